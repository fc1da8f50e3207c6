import type { Strictness } from "./named-values.ts";
import type { Span } from "./span.ts";
import { isPlaceholder, isWordy, looksGenerated, looksRandom } from "./value-shape.ts";

/** Secrets that their place gives away: headers, addresses, key files, options of well-known programs. */
export function credentialsInPlace(text: string, strictness: Strictness): Span[] {
  return [
    ...headers(text, strictness),
    ...addresses(text, strictness),
    ...privateKeys(text),
    ...keyPairs(text),
    ...(strictness === "all" ? [...cookies(text), ...options(text), ...queries(text)] : []),
  ];
}

/** `Authorization: Bearer …`, `Basic …` and the like, in headers, objects and commands. */
function headers(text: string, strictness: Strictness): Span[] {
  const least = strictness === "all" ? 6 : 16;
  return spansOf(text, scheme, (value) => {
    if (value.length < least || isPlaceholder(value) || /^[A-Za-z_.]*[([]/u.test(value)) return false;
    if (strictness === "generated") return looksRandom(value, least) || /^[A-Za-z0-9+/]{16,}={1,2}$/u.test(value);
    return /\d|=$/u.test(value) || looksRandom(value, 12);
  });
}

const scheme =
  /\b(?:authorization|authentication)\b["'\]]{0,3}\s{0,4}[:=]\s{0,4}["'`]{0,2}(?:bearer|basic|token|apikey|api-key|key|digest|negotiate|bot|oauth|jwt|splunk|genie?key)[ \t]{1,4}["']?([^\s"'`,;<>{}|\\]+)|\bbearer[ \t]{1,2}([A-Za-z0-9_.~+/-]{16,}={0,2})/giu;

/** `scheme://user:password@host` and `scheme://token@host`. */
function addresses(text: string, strictness: Strictness): Span[] {
  const found: Span[] = [];
  for (const match of text.matchAll(userInfo)) {
    const [whole, name = "", user = "", password] = match;
    const end = match.index + whole.length - 1;
    if (password === undefined) {
      if (isToken(user)) found.push({ start: end - user.length, end });
    } else if (isPassword(password, user, /^https?$/iu.test(name) && strictness === "generated")) {
      found.push({ start: end - password.length, end });
    }
  }
  return found;
}

function isToken(user: string): boolean {
  return (
    !isPlaceholder(user) &&
    (looksRandom(user, 16) || (/^[\w-]{20,}$/u.test(user) && /\d/u.test(user) && !isWordy(user)))
  );
}

/** The last `@` before the path ends the password. */
const userInfo =
  /\b([a-z][a-z0-9+.-]{1,30}):\/\/([^\s:/?#@"'`<>]{0,200})(?::([^\s/?#"'`<>]{1,400}))?@(?=[\w[${<.-])/giu;

function isPassword(value: string, user: string, isInCode: boolean): boolean {
  if (value.length < 3 || isPlaceholder(value) || value === user || wellKnown.has(value.toLowerCase())) return false;
  return !isInCode || /\d/u.test(value) || value.length >= 8;
}

const wellKnown: ReadonlySet<string> = new Set(
  "password passwd pass pwd pw secret token user username postgres mysql root admin guest test example pass123 x-oauth-basic redis mongo x".split(
    " ",
  ),
);

/** The body of a private key in PEM, also with `\n` for line ends, also cut off. */
function privateKeys(text: string): Span[] {
  return spansOf(text, pem, (body) => body.replaceAll(/[^A-Za-z0-9+/]/gu, "").length >= 40 && !body.includes("***"));
}

const pem =
  /-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----((?:[A-Za-z0-9+/=\s>|]|\\[nr]|\b(?:Proc-Type|DEK-Info|Version|Comment): ?[^\n\\]{0,80})+)/gu;

/** The secret half of an AWS pair, by its name or beside its key id. */
function keyPairs(text: string): Span[] {
  return spansOf(text, awsSecret, (value) => looksRandom(value, 40) && !isPlaceholder(value));
}

const awsSecret =
  /(?:secret_?access_?key|aws_?secret_?key|\bA(?:KIA|SIA)[A-Z0-9]{16})[^A-Za-z0-9+/\n]{1,12}(?:[\w "',-]{0,30}[:=]["' ]{0,3})?([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/])/giu;

function cookies(text: string): Span[] {
  const found: Span[] = [];
  for (const line of text.matchAll(cookieLine)) {
    const list = line[1] ?? "";
    const from = line.index + line[0].length - list.length;
    for (const pair of list.matchAll(/([^=;\s]{1,80})=([^;\s"']+)/gu)) {
      const value = pair[2] ?? "";
      const start = from + pair.index + pair[0].length - value.length;
      if (isCookieSecret(pair[1] ?? "", value)) found.push({ start, end: start + value.length });
    }
  }
  return found;
}

const cookieLine = /\b(?:set-)?cookie["']?\s{0,3}[:=]\s{0,3}["']?([^\n"']{3,8000})/giu;

function isCookieSecret(name: string, value: string): boolean {
  if (isPlaceholder(value)) return false;
  const isSession = /sess|sid|auth|token|jwt|csrf|xsrf|remember|login|secret/iu.test(name);
  return isSession ? value.length >= 8 && !isWordy(value) : looksGenerated(value);
}

/** Programs that take a password as an argument. */
function options(text: string): Span[] {
  return spansOf(text, passwordOption, (value) => {
    if (value.length < 4 || isPlaceholder(value) || wellKnown.has(value.toLowerCase())) return false;
    return /[\d!#%^*]/u.test(value) || value.length >= 8;
  });
}

const passwordOption = new RegExp(
  [
    String.raw`\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n|;]{0,120}?\s-p(?=[^\s-])["']?([^\s"']+)`,
    String.raw`\bsshpass\s+-p\s*["']?([^\s"']+)`,
    String.raw`\bredis-cli\b[^\n|;]{0,80}?\s-a\s+["']?([^\s"']+)`,
    String.raw`\b(?:docker|podman|helm|az|oc)\b[^\n|;]{0,20}\blogin\b[^\n|;]{0,120}?\s-p\s+["']?([^\s"']+)`,
    String.raw`\b(?:curl|wget|http|httpie)\b[^\n|;]{0,200}?\s(?:-u|--user|-a)\s*["']?[^\s:"'$]{1,60}:([^\s"']+)`,
    String.raw`\b(?:smbclient|rpcclient|wbinfo)\b[^\n|;]{0,80}?\s-U\s*["']?[^\s%"']{1,60}%([^\s"']+)`,
    String.raw`:_(?:authToken|auth|password)[ \t]+["']?([^\s"']+)`,
    String.raw`\bmachine\s+\S{1,100}\s+login\s+\S{1,100}\s+password\s+(\S+)`,
  ].join("|"),
  "giu",
);

/** Parameters that hold a secret in addresses only. */
function queries(text: string): Span[] {
  return spansOf(text, queryValue, (value) => looksRandom(value, 16) && !isPlaceholder(value));
}

const queryValue =
  /[?&;](?:key|code|ticket|hmac|assertion|auth|se?cr?e?t|sid|t|x-goog-credential)=([^&\s"'<>#;]{16,})/giu;

/** The spans of the one group that matched, where `holds` says so. */
function spansOf(text: string, shape: RegExp, holds: (value: string) => boolean): Span[] {
  const found: Span[] = [];
  for (const match of text.matchAll(shape)) {
    const value = match.slice(1).find((group) => group !== undefined);
    if (value === undefined || !holds(value)) continue;
    const start = match.index + match[0].lastIndexOf(value);
    found.push({ start, end: start + value.length });
  }
  return found;
}
