import { alnum, hex, prefixed, uuid, word } from "./issued-formats.ts";
import type { SecretSpan } from "./span.ts";
import { isPlaceholder, isWordy, looksRandom } from "./value-shape.ts";

/** Finds keys whose format shows the issuer. Skips placeholders and names made of words. */
export function vendorTokens(text: string, sequences = longSequences(text)): SecretSpan[] {
  const spans: SecretSpan[] = [];
  const { joined, places } = candidates(sequences);
  if (joined === "" || (joined.length < fewChars && !mayHold(joined))) return spans;
  let place = 0;
  for (const { 0: token, index } of joined.matchAll(issued)) {
    if (isPlaceholder(token) || (isWordy(token) && !accessKeyId.test(token))) continue;
    while ((places[place + 1]?.inJoined ?? Number.POSITIVE_INFINITY) <= index) place += 1;
    const { inText = 0, inJoined = 0 } = places[place] ?? {};
    const start = index - inJoined + inText;
    spans.push({ start, end: start + token.length });
  }
  return spans;
}

/** A key id of AWS may consist of letters only. */
const accessKeyId = /^A(?:KIA|SIA)[A-Z]{16}$/u;

/** Finds vendor tokens in two parts with a line end between them. */
export function brokenTokens(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (let index = text.indexOf("\n"); index >= 0; index = text.indexOf("\n", index + 1)) {
    const { head, whole } = endOfLine(text, index);
    if (head === "") continue;
    const [tail = ""] = startOfLine.exec(text.slice(index + 1, index + 1 + maxPart)) ?? [];
    const rest = tail.replace(/^[ \t]*(?:[>|#*][ \t])?/u, "");
    if (rest === "" || !mixed.test(head + rest)) continue;
    const first = index - whole.length;
    const token = vendorTokens(head + rest).find(({ start, end }) => start < head.length && end > head.length);
    if (token === undefined || vendorTokens(rest).some(({ start }) => start === 0)) continue;
    if (vendorTokens(head).some(({ end }) => end === head.length) && !goesOn(rest)) continue;
    spans.push({ start: first + token.start, end: index + 1 + tail.length - rest.length + token.end - head.length });
  }
  return spans;
}

/** Returns whether a line continues the token of the line before it: random, and not a date. */
function goesOn(tail: string): boolean {
  return /\d/u.test(tail) && /[A-Za-z]/u.test(tail) && looksRandom(tail, 8) && !/^\d{4}-\d\d/u.test(tail);
}

/**
 * Returns the letters before a line end; `whole` includes a backslash and a carriage return after them. Read from the
 * end, because a pattern would start at every letter of a long sequence.
 */
function endOfLine(text: string, lineEnd: number): { readonly head: string; readonly whole: string } {
  let end = lineEnd;
  if (text[end - 1] === "\r") end -= 1;
  if (text[end - 1] === "\\") end -= 1;
  const min = Math.max(0, lineEnd - maxPart);
  let start = end;
  while (start > min && inHead.test(text.charAt(start - 1))) start -= 1;
  return end - start < minHead
    ? { head: "", whole: "" }
    : { head: text.slice(start, end), whole: text.slice(start, lineEnd) };
}

const maxPart = 300;
const minHead = 6;
const inHead = /[A-Za-z0-9_.:$~/+=-]/u;
const startOfLine = /^[ \t]{0,8}(?:[>|#*][ \t])?[A-Za-z0-9_.~/+=-]{4,}/u;

/** A sequence of the characters of tokens, without a blank, and its offset in the text. */
export interface LongSequence {
  readonly text: string;
  readonly start: number;
}

/** Every token and every encoded text is inside one of these sequences, so most of a text is scanned only once. */
export function longSequences(text: string): readonly LongSequence[] {
  const sequences: LongSequence[] = [];
  for (const { 0: run, index } of text.matchAll(runs)) sequences.push({ text: run, start: index });
  return sequences;
}

function candidates(sequences: readonly LongSequence[]) {
  const places: { readonly inText: number; readonly inJoined: number }[] = [];
  let joined = "";
  for (const { text, start } of sequences) {
    if (!mixed.test(text)) continue;
    places.push({ inText: start, inJoined: joined.length });
    joined += `${text}\n`;
  }
  return { joined, places };
}

const runs = /[A-Za-z0-9_.:$~@\\%/+=-]{13,}/gu;
const mixed = /\d|[a-z][A-Z]|[A-Z]{2}[a-z]|A[KS]IA|[a-z]{22}/u;

/** A letter or digit before a token means that the token is inside another word, unless it ends an escape sequence. */
const begins = String.raw`(?<=^|[^A-Za-z0-9]|\\[nrtbf]|\\u00[0-9a-fA-F]{2}|%[0-9A-Fa-f]{2})`;

/** Tokens without a fixed prefix. */
const unprefixed: readonly string[] = [
  // Telegram: the bot's number, a colon, 35 characters.
  `(?<=\\b|\\bbot)\\d{6,12}:A[A-Za-z0-9_-]{34}(?![A-Za-z0-9_-])`,
  `(?<=\\b|\\bbot)\\d{8,10}:[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])`,
  // Discord: the bot's number in base64, a time, a signature.
  `\\b[MNO]${word}{23,50}\\.${word}{6}\\.${word}{27,40}(?!${word})`,
  `\\bmfa\\.${word}{80,}`,
  // Mailchimp.
  `\\b${hex}{32}-us\\d{1,2}\\b`,
  // A token of Azure Active Directory.
  `(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.]{3}\\dQ~[A-Za-z0-9_~.-]{31,34}`,
  // A token of Azure DevOps.
  `\\b[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4,6}\\b`,
  // A token of Terraform Cloud.
  `\\b(?:${alnum}{14}\\.)?atlasv1\\.${word}{60,}`,
  // Twilio: a key, and an account with its password.
  `\\bSK(?:[a-z0-9]{32}|${hex}{32})\\b`,
  // Firebase Cloud Messaging: a device, a colon, its token.
  `\\b${word}{11,22}:APA91b${word}{100,}`,
  // Mailgun.
  `\\b[0-9a-h]{32}-[0-9a-h]{8}-[0-9a-h]{8}\\b`,
  `(?<=\\bAC${hex}{32}:)${hex}{32}\\b`,
  // A token of Vault before version 1.10.
  `(?<![A-Za-z0-9_.$)\\]])s\\.(?=[a-z]*[A-Z]|[A-Z]*[a-z])(?=[A-Za-z]*\\d)${alnum}{24}(?![A-Za-z0-9_.(])`,
  // Webhooks: the URL alone allows posting.
  `(?<=hooks\\.slack\\.com/(?:services|workflows|triggers)/)[A-Za-z0-9]+/[A-Za-z0-9]+/[A-Za-z0-9/]{10,}`,
  `(?<=discord(?:app)?\\.com/api/(?:v\\d+/)?webhooks/\\d{6,20}/)${word}{11,}`,
  `(?<=hooks\\.zapier\\.com/hooks/catch/\\d{4,9}/)[a-z0-9]{6,}`,
  `(?<=outlook\\.office(?:365)?\\.com/webhook/)[A-Za-z0-9@-]{60,}/IncomingWebhook/[A-Za-z0-9/-]{32,}`,
  `(?<=\\.webhook\\.office\\.com/webhookb2/)[A-Za-z0-9@/-]{60,}`,
  `(?<=api\\.softlayer\\.com/(?:soap|rest)/v3(?:\\.1)?/)${hex}{64}`,
  // MaxMind; JFrog.
  `\\b${alnum}{6}_${alnum}{29}_mmk\\b`,
  `(?<=\\breftkn:\\d\\d:\\d{10}:)${alnum}{20,}`,
  // RapidAPI: 50 characters with three marks.
  `\\b[a-z0-9]{10}msh[a-z0-9]{15}p1[a-z0-9]{5}jsn[a-z0-9]{12}\\b`,
  // Bitwarden Secrets Manager; Infisical; Flagsmith.
  `\\b0\\.${uuid}\\.${alnum}{24,}:[A-Za-z0-9+/]{20,}={0,2}`,
  `\\bst\\.${hex}{24}\\.${hex}{32}\\.${hex}{32}\\b`,
  `\\bser\\.(?=[A-Za-z]*\\d)${alnum}{22,}\\b`,
  // Fal: a key id, a colon, the key.
  `\\b${uuid}:${hex}{32}\\b`,
];

/** Prefixes of public keys and of names, which are not secrets. */
const publicWords =
  "(?:pk|pub|public|phc|id|uid|ref|sha\\d{1,3}|md5|etag|hash|chunk|index|vendor|main|asset|img|image|blob|file|req|request|resp|run|msg|call|chatcmpl|toolu|asst|price|cus|evt|seti|acct|batch|thread|trace|span|build|deploy|commit|module|css|sc|jsx?|svg)";

/** Tokens of unlisted issuers: a short word, a separator, then random letters and digits. */
const unlisted =
  `(?<![A-Za-z0-9+/=_.:@-])(?!${publicWords}[-_])(?:[a-z][a-z0-9]{1,11}[-_](?:[a-z][a-z0-9]{1,9}[-_])?|[A-Z]{2}[A-Z0-9]{0,8}[-_](?:${alnum}{16,40}_)?)` +
  `(?=[A-Za-z]*\\d)(?=[A-Z0-9]*[a-z])(?=[a-z0-9]*[A-Z])${alnum}{28,200}(?![A-Za-z0-9+/=_-])`;

/** The same with a word that means a key between both, which makes hex and shorter values a secret too. */
const unlistedKey =
  `(?<![A-Za-z0-9+/=_.:@-])(?!${publicWords}[-_])(?:[a-z][a-z0-9]{0,11}[-_]` +
  `(?:(?:v1|live|test|prod|production|sandbox|pat|oat|key|sk|api|apikey|secret|token|tok|auth|access|personal|service)[-_]){1,3}|[a-z]{1,9}(?:api|apikey|token|secret)[-_])` +
  `(?=[A-Za-z]*\\d)(?=\\d*[A-Za-z])${alnum}{20,200}(?![A-Za-z0-9+/=_-])`;

/**
 * The pattern is built only for longer texts, because building it takes longer than scanning a short text without it.
 */
const fewChars = 2_000;

function mayHold(joined: string): boolean {
  return beginnings.some((each) => joined.includes(each)) || longOrOdd.test(joined);
}

/** The characters that occur in every token without a fixed prefix. */
const longOrOdd = /[\w-]{24}|Q~|hook/u;

/**
 * Returns the letters before the first alternative or character class: every token of the list contains some of them.
 */
const beginnings: readonly string[] = prefixed.flatMap((shape) => {
  const [, choices, next = ""] = /^\(\?:([\w|-]+)\)([\w-]?)/u.exec(shape) ?? [];
  const letters = /^(?:[\w:~/-]|\\[.$])+(?![*+?{])/u.exec(shape)?.[0] ?? "";
  return choices?.split("|").map((each) => each + next) ?? [letters.replaceAll("\\", "")];
});

const issued = new RegExp(
  `${begins}(?:${prefixed.join("|")})|${unprefixed.join("|")}|${unlisted}|${unlistedKey}`,
  "gu",
);
