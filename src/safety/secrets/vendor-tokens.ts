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

const hex = "[0-9A-Fa-f]";
const alnum = "[A-Za-z0-9]";
const word = "[A-Za-z0-9_-]";
const uuid = `${hex}{8}-${hex}{4}-${hex}{4}-${hex}{4}-${hex}{12}`;

/** Tokens with a fixed prefix. Lengths are the minimum of the issuer, or slightly less if the issuer has changed it. */
const prefixed: readonly string[] = [
  // Tokens for models and agent services.
  `sk-(?:proj|svcacct|admin|None)-${word}{20,}`,
  `sk-ant-${word}{20,}`,
  `sk-or-(?:v1-)?${word}{20,}`,
  `sk-(?:lf-)?${uuid}`,
  `sk-(?:[a-z0-9]{1,10}-){0,2}[A-Za-z0-9_]{16,}(?:-${word}+)?`,
  `xai-${word}{20,}`,
  `gsk_${alnum}{20,}`,
  `pplx-${alnum}{20,}`,
  `tvly-${word}{16,}`,
  `r8_${alnum}{20,}`,
  `hf_${alnum}{20,}`,
  `api_org_${alnum}{20,}`,
  `nvapi-${word}{20,}`,
  `csk-${alnum}{20,}`,
  `fw_${alnum}{20,}`,
  `tgp_v1_${word}{20,}`,
  `fal_${word}{20,}`,
  `fc-${alnum}{20,}`,
  `bb_(?:live|test)_${word}{16,}`,
  `exa_${word}{20,}`,
  `am_${alnum}{20,}`,
  `mem0[-_]${alnum}{16,}`,
  `m0-${alnum}{20,}`,
  `hsk[-_]${word}{20,}`,
  `brv_${word}{20,}`,
  `retaindb_${word}{16,}`,
  `lsv2_(?:pt|sk)_${alnum}{16,}(?:_${alnum}+)?`,
  `pcsk_${alnum}{4,}_${alnum}{20,}`,
  `sk_${hex}{32,}`,
  `voyage-${hex}{20,}`,
  `pa-${word}{40,}`,
  `jina_${word}{32,}`,
  `BSA${word}{24,}`,
  `ctx7sk-${word}{20,}`,
  `e2b_${hex}{40}`,
  `gAAAA${word}{40,}={0,2}`,
  `ABSK[A-Za-z0-9+/]{60,}={0,2}`,
  // Tokens for source code and packages.
  `(?:ghp|gho|ghu|ghs|ghr)_${alnum}{20,}`,
  `github_pat_\\w{20,}`,
  `(?:glpat|glrt|gldt|glptt|glft|glsoat|glcbt|glimt|glagent|gloas|glffct|glwt|glrtr)-${word}{16,}(?:\\.${alnum}{2}\\.${alnum}{7,9})?`,
  `GR1348941${word}{20}`,
  `ATATT3${word}{20,}(?:=${alnum}{8})?`,
  `ATCTT3${word}{20,}(?:=${alnum}{8})?`,
  `ATBB${alnum}{24,}`,
  `npm_${alnum}{30,}`,
  `pypi-A${word}{30,}`,
  `rubygems_${hex}{40,}`,
  `cio${alnum}{32}(?!${alnum})`,
  `oy2[a-z0-9]{43}(?!${alnum})`,
  `dckr_(?:pat|oat)_${word}{20,}`,
  `(?:CLOJARS|clojars)_${hex}{40,}`,
  `BBDC-[A-Za-z0-9+/]{40,}={0,2}`,
  `(?:bkua|bkaj|bkrt)_${alnum}{20,}`,
  `CCIPAT_${alnum}{16,}(?:_${alnum}{20,})?`,
  `sgp_(?:${alnum}{16}_)?${hex}{40}`,
  `(?:squ|sqa|sqp)_${hex}{40}`,
  `PMAK-${hex}{24}-${hex}{34}`,
  `AKCp${alnum}{60,}`,
  `cmVmdGtu${alnum}{40,}`,
  `(?:vcp|vca|vck|vci|vcr)_${alnum}{20,}`,
  `(?:nfp|nfc|nfo|nfb|nfu)_${alnum}{30,}`,
  `(?:rnd|vercel)_${alnum}{24,}`,
  `snyk_(?:uat|sat)\\.${alnum}+\\.${word}{20,}`,
  `cmVmd${alnum}{59}(?!${alnum})`,
  `CLOJARS_[a-z0-9]{50,}`,
  `sgp_(?:(?:${hex}{16}|local)_)?${hex}{40}`,
  `CCI(?:PAT|PRJ)_${alnum}{16,}_${hex}{40}`,
  `API-[A-Z0-9]{26}(?!${alnum})`,
  `tk-us-${word}{40,}`,
  `(?:pat|sat)\\.${word}{22}\\.${alnum}{24}\\.${alnum}{20}`,
  `s-s4t2(?:ud|af)-${hex}{64}`,
  `SWMTKN-1-[a-z0-9]{40,}-[a-z0-9]{20,}`,
  `waka_${uuid}`,
  // Clouds and machines.
  `4b1d${alnum}{38}(?!${alnum})`,
  `dnkey-[a-z0-9=_-]{26}-[a-z0-9=_-]{52}`,
  `rpa_[A-Z0-9]{36,}`,
  `zpka_${hex}{32}_${hex}{8}`,
  `napi_[a-z0-9]{40,}`,
  `(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\\.[a-z0-9]{4,6}\\.acc[_-][a-z0-9-]{10,32}\\.[A-Za-z0-9+/_=-]{30,120}`,
  `AQ\\.${word}{40,}`,
  `(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16}(?![A-Za-z0-9])`,
  `AIza${word}{30,}`,
  `ya29\\.${word}{20,}`,
  `1//0${word}{30,}`,
  `GOCSPX-${word}{20,}`,
  `LTAI${alnum}{16,24}(?!${alnum})`,
  `AKID${alnum}{32}(?!${alnum})`,
  `(?:dop|doo|dor|dos)_v1_${hex}{40,}`,
  `(?:hvs|hvb|hvr)\\.${word}{24,}`,
  `dp\\.(?:pt|st|ct|sa|scim|audit)\\.(?:${alnum}{1,40}\\.)?${word}{30,}`,
  `dapi${hex}{32}(?:-\\d)?`,
  `dt0[a-z]\\d\\d\\.${alnum}{24}\\.${alnum}{60,}`,
  `glc_[A-Za-z0-9+/=]{32,}`,
  `glsa_${alnum}{32}_[0-9A-Fa-f]{8}`,
  `HRKU-${word}{30,}`,
  `vercel_blob_rw_${alnum}{16}_${alnum}{24,}`,
  `amzn\\.mws\\.${uuid}`,
  `ory_(?:at|rt|ac|st|pat)_${word}{32,}(?:\\.${word}{32,})?`,
  `sbp_(?:v0_)?${hex}{40}`,
  `sb_secret_${word}{20,}`,
  `pscale_(?:tkn|pw|oauth)_${word}{30,}`,
  `npg_${alnum}{10,}`,
  `pul-${hex}{40}`,
  `sha256~${word}{40,}`,
  `tskey-(?:auth|api|client|scim|webhook)-${alnum}{8,}(?:CNTRL)?-${alnum}{16,}`,
  `(?:fo1|fm1|fm2)[ar]?_[A-Za-z0-9+/_-]{40,}={0,2}`,
  `AGE-SECRET-KEY-1[A-Z0-9]{50,}`,
  `ops_eyJ${word}{60,}`,
  `A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}`,
  `v1\\.0-${hex}{24}-${hex}{100,}`,
  `AQVN${word}{30,}`,
  `y0_${word}{50,}`,
  `t1\\.(?:[A-Z0-9a-z_-]+={0,2}\\.)?[A-Z0-9a-z_-]{40,}={0,2}`,
  `scw-${uuid}`,
  // Money.
  `(?:sk|rk)_(?:live|test|prod)_${alnum}{10,}`,
  `whsec_[A-Za-z0-9+/]{20,}={0,2}`,
  `sq0[a-z]{3}-${word}{20,}`,
  `EAAA${word}{40,}`,
  `shp(?:at|ca|pa|ss|tka)_${alnum}{28,}`,
  `access_token\\$(?:production|sandbox)\\$${alnum}{16}\\$${hex}{32}`,
  `access-(?:sandbox|development|production)-${uuid}`,
  `shippo_(?:live|test)_${hex}{40}`,
  `FLWSECK(?:_TEST)?-${alnum}{12,}(?:-X)?`,
  `EZ[AT]K${alnum}{54}`,
  `duffel_(?:test|live)_${word}{40,}`,
  `rzp_live_${alnum}{14,}`,
  `live_(?=${word}*\\d)(?=${word}*[A-Z])${word}{40}(?!${word})`,
  `ramp_tok_${alnum}{40,}`,
  `lip_${alnum}{20}(?!${alnum})`,
  // Messages and mail.
  `xox[abcdeoprs](?:\\.xox[bp])?-(?:\\d-)?${word}{10,}`,
  `xapp-\\d-[A-Z0-9]+-\\d+-${alnum}{6,}`,
  `xwfp-${word}{20,}`,
  `SG\\.(?:${word}{16,}\\.${word}{16,}|[A-Za-z0-9_.=-]{60,})`,
  `key-[a-z0-9]{32}(?!${alnum})`,
  `xkeysib-${hex}{64}-${alnum}{16}`,
  `xsmtpsib-${hex}{64}-${alnum}{16}`,
  `re_${alnum}{8}_${alnum}{20,}`,
  `syt_${word}{16,}`,
  `EAA${alnum}{60,}`,
  `EAACEdEose0cBA${alnum}{10,}`,
  `IG${word}{100,}`,
  `AAAAAAAAAAAAAAAAAAAA[A-Za-z0-9%]{60,}`,
  `oauth:[a-z0-9]{30}(?!${alnum})`,
  // Tokens for work, data and monitoring.
  `lin_(?:api|oauth)_${alnum}{30,}`,
  `ntn_${alnum}{30,}`,
  `secret_${alnum}{40,}`,
  `(?:figd|figu|figo)_${word}{30,}`,
  `pat${alnum}{14}\\.${hex}{64}`,
  `pat-(?:na|eu|ap)\\d-${uuid}`,
  `NR[A-Z]{2}-${word}{16,}`,
  `sntr(?:ys|yu)_[A-Za-z0-9+/=_-]{40,}`,
  `phx_${alnum}{32,}`,
  `(?:pnu|pnb)_${alnum}{30,}`,
  `phs_${alnum}{30,}`,
  `CFPAT-${word}{40,}`,
  `tfp_${word}{40,}`,
  `rdme_${alnum}{60,}`,
  `sk\\.eyJ${word}{20,}\\.${word}{16,}`,
  `sl\\.${word}{60,}`,
  `(?:api|sdk|mob)-${uuid}`,
  `aio_${alnum}{28}`,
  `fio-u-${word}{60,}`,
  `sm_(?:aat|pat|sat)_${alnum}{16}(?!${alnum})`,
  `eyJrIjoi${alnum}{60,}={0,3}`,
  `p8e-${alnum}{32}`,
  `dG9rOi?${word}{30,}={0,2}`,
  `PRIVATE-TOKEN-${word}{20,}`,
  `apify_api_${alnum}{30,}`,
  `(?:cfut|cfat|cfk)_${word}{30,}`,
  `xau_${alnum}{30,}`,
  `fmu1-${hex}{8}-${hex}{32}`,
  `1000\\.${hex}{32}\\.${hex}{32}`,
  `[0-2]/\\d{12,20}:${hex}{32}`,
  `akab-${alnum}{16}-${alnum}{16}`,
  `eyJ2ZXIiOi${word}{80,}`,
  `pk_\\d{5,10}_[A-Z0-9]{30,}`,
  `AKLT${alnum}{30,}`,
  `llx-${alnum}{40,}`,
  `tr_(?:dev|prod|stg|preview)_${alnum}{20,}`,
  `(?:unkey|vtwn|tss|polar_oat|polar_pat|wandb_v1|depot_(?:org|project|user)|infracost|ico|mdb_sa_sk|lmnr|crsr|key_live|key_test)[-_]${word}{20,}`,
  `api_(?:live|sandbox)(?:_[a-z]{2})?\\.${word}{16,}\\.${word}{16,}`,
  `(?:live|test)_${hex}{35}(?!${alnum})`,
  // JSON in base64 (JWT) with at least two parts.
  `eyJ(?:hbGciOi|0eXAiOi)${word}{4,}\\.${word}{4,}\\.${word}{4,}`,
  `eyJ${word}{8,}\\.eyJ${word}{4,}(?:\\.${word}*)?`,
  `eyJ${word}{16,}\\.${word}{16,}\\.${word}{16,}`,
  `eyJ${word}{16,}\\.${word}*\\.${word}{8,}\\.${word}{8,}\\.${word}{8,}`,
];

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
  `\\b[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}\\b`,
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
  // Fal: a key id, a colon, the key.
  `\\b${uuid}:${hex}{32}\\b`,
];

/** Prefixes of public keys and of names, which are not secrets. */
const publicWords =
  "(?:pk|pub|public|phc|id|uid|ref|sha\\d{1,3}|md5|etag|hash|chunk|index|vendor|main|asset|img|image|blob|file|req|request|resp|run|msg|call|chatcmpl|toolu|asst|price|cus|evt|seti|acct|batch|thread|trace|span|build|deploy|commit|module|css|sc|jsx?|svg)";

/** Tokens of unlisted issuers: a short word, a separator, then random letters and digits. */
const unlisted =
  `(?<![A-Za-z0-9+/=_.:@-])(?!${publicWords}[-_])[a-z][a-z0-9]{1,11}[-_](?:[a-z][a-z0-9]{1,9}[-_])?` +
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
