import { columnSecrets } from "./column-secrets.ts";
import { matchedSpans } from "./matched-spans.ts";
import type { Strictness } from "./named-secret.ts";
import { isPassword, passwordArguments, wellKnownPasswords } from "./password-arguments.ts";
import { paymentCards } from "./payment-cards.ts";
import type { SecretSpan } from "./span.ts";
import {
  isDrawnPassword,
  isGenerated,
  isPlaceholder,
  isWordy,
  looksGenerated,
  looksLikeRandomCode,
  looksLikeRandomHex,
  looksLikeStrongPassword,
  looksRandom,
  mixesFourKinds,
  mixesThreeKinds,
} from "./value-shape.ts";

/** Finds secrets that are recognised by their position: headers, URLs, key files, options of well-known programs. */
export function credentialsInPlace(text: string, strictness: Strictness): SecretSpan[] {
  const lower = text.toLowerCase();
  const has = (...words: readonly string[]): boolean => words.some((word) => lower.includes(word));
  return [
    ...(has("auth", "bearer") ? [...headers(text, strictness), ...proofs(text)] : []),
    ...addresses(text, strictness),
    ...(has("|", "%7c") ? matchedSpans(text, appToken, (value) => looksRandom(value, 27)) : []),
    ...(has("private key") ? privateKeys(text) : []),
    ...(has("secret", "akia", "asia") ? [...keyPairs(text), ...keysBeforeSecrets(text)] : []),
    ...(has("machine") ? logins(text) : []),
    ...(has("hmac", "jwt", "insert into", '"key"', '"auth"') ? matchedSpans(text, signedWith, isGenerated) : []),
    ...(has('"kty"', "'kty'") ? matchedSpans(text, privateJwk, (value) => value.length >= 20) : []),
    ...(has("@tcp(", "@unix(") ? matchedSpans(text, goAddress, (value) => isUrlPassword(value, "", false)) : []),
    ...(has(':key"', ':secret"', ':password"')
      ? matchedSpans(text, sectionKey, strictness === "all" ? isPassword : isGenerated)
      : []),
    ...(has("phrase", "mnemonic", "seed") ? matchedSpans(text, walletPhrase, () => true) : []),
    ...(has("appid=") ? matchedSpans(text, weatherKey, isGenerated) : []),
    ...(has("key:") ? matchedSpans(text, keyOfBlock, (value) => isGenerated(value) || looksRandom(value, 16)) : []),
    ...(has("password=", "pwd=") ? matchedSpans(text, connection, isConnectionPassword) : []),
    ...(has(" is the ") ? valuesBeforeNames(text) : []),
    ...(strictness === "all" && has("/") ? matchedSpans(text, userAndPassword, mixesThreeKinds) : []),
    ...(strictness === "all" && has("cred", "login") ? matchedSpans(text, loginPair, isChosenPassword) : []),
    ...(has("cookie") ? cookies(text, strictness) : []),
    ...passwordArguments(text, lower, strictness === "all" ? isPassword : isDrawnPassword),
    ...columnSecrets(text, lower, strictness),
    ...(has(".equals") ? matchedSpans(text, equalsName, strictness === "all" ? isPassword : isDrawnPassword) : []),
    ...(strictness === "all" && has("abcdefghij", "1234567890") ? matchedSpans(text, countedToken, () => true) : []),
    ...(strictness === "all" ? [...passwordFiles(text), ...queries(text), ...paymentCards(text, lower)] : []),
    ...(strictness === "all" && has("$ansible_vault") ? matchedSpans(text, vaultBlock, () => true) : []),
  ];
}

/** Matches `Authorization: Bearer …`, `Basic …` and similar headers, in headers, objects and commands. */
function headers(text: string, strictness: Strictness): SecretSpan[] {
  const minChars = strictness === "all" ? 6 : 16;
  return matchedSpans(text, scheme, (value) => {
    if (value.length < minChars || isPlaceholder(value) || /^[A-Za-z_.]*[([]|^[a-z_]+=$/u.test(value)) return false;
    if (strictness === "generated")
      return looksRandom(value, minChars) || looksLikeRandomCode(value) || /^[A-Za-z0-9+/]{16,}={1,2}$/u.test(value);
    return /\d|=$|^[A-Za-z]{3,}(?:[-_.][A-Za-z]{3,})+$/u.test(value) || looksRandom(value, 12);
  });
}

const scheme =
  /\b(?:authorization|authentication)\b[\\"'\]]{0,4}\s{0,4}[:=](?:\s|\\[nrt]){0,4}[\\"'`]{0,4}(?:bearer|basic|token|apikey|api-key|api-token|key|digest|negotiate|ntlm|bot|oauth|jwt|splunk|genie?key|sharedkey(?:lite)?(?=[ \t]+\w+:)|[a-z][a-z0-9+-]{1,20}(?=[ \t]{1,4}[^\s"',;]{20}))(?:[ \t]{1,4}|\\t)["']?(?:\w+:(?=\S{20}))?([^\s"'`,;<>{}|\\]+)|\bauthorization[\\"'\]]{0,4}\s{0,4}[:=]\s{0,4}[\\"'`]{0,4}((?=[^\s\d]{0,60}\d)[A-Za-z0-9_~+/-]{20,}={0,2}|[A-Za-z0-9_~+/-]{32,}={0,2})(?![\w(.])|\bbearer[ \t]{1,2}([A-Za-z0-9_.~+/-]{16,}={0,2})|\bauthorization[ \t]{1,4}["'](?:basic|bearer|token)[ \t]{1,4}([^\s"';]+)/giu;

/** Matches the signature in a header of several parts: `Digest … response="…"`, `Hawk … mac="…"`. */
function proofs(text: string): SecretSpan[] {
  return matchedSpans(text, proof, (value) => !isPlaceholder(value));
}

const proof =
  /\bauthorization\b[\\"']{0,4}\s{0,4}[:=](?:[^\n]|\n[ \t]){1,600}?\b(?:response|mac|oauth_signature|oauth_token|signature|proof)=[\\"']{0,5}([A-Za-z0-9+/=%_-]{16,})/giu;

/** The token of an app of Facebook: its number, a bar, the secret. */
const appToken = /\b\d{15,16}(?:\||%7C)([\w-]{27,40})(?![\w-])/giu;

/** `scheme://user:password@host` and `scheme://token@host`. */
function addresses(text: string, strictness: Strictness): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (let index = text.indexOf("://"); index >= 0; index = text.indexOf("://", index + 3)) {
    const name = /[a-z][a-z0-9+.-]{1,30}$/iu.exec(text.slice(Math.max(0, index - 31), index))?.[0];
    const match = name === undefined ? undefined : userInfo.exec(text.slice(index + 3, index + 700));
    if (!match) continue;
    const [whole, user = "", password] = match;
    const end = index + 3 + whole.length - 1;
    if (password === undefined || password === "x-oauth-basic") {
      if (isToken(user) && password !== undefined) spans.push({ start: index + 3, end: index + 3 + user.length });
      else if (isToken(user)) spans.push({ start: end - user.length, end });
    } else if (
      !isExample(text, end + 1, password) &&
      isUrlPassword(password, user, /^https?$/iu.test(name ?? "") && strictness === "generated")
    ) {
      spans.push({ start: end - password.length, end });
    }
  }
  return spans;
}

/** Returns whether the URL is an example: `https://abc:xyz@example.com`. */
function isExample(text: string, host: number, password: string): boolean {
  return (
    password.length < 8 &&
    !/\d/u.test(password) &&
    /^(?:[\w-]+\.)*example(?:\.(?:com|org|net))?\b/u.test(text.slice(host, host + 60))
  );
}

function isToken(user: string): boolean {
  return (
    !isPlaceholder(user) &&
    (looksRandom(user, 16) || (/^[\w-]{20,}$/u.test(user) && /\d/u.test(user) && !isWordy(user)))
  );
}

/** The password ends at the last `@` before the path. */
const userInfo = /^([^\s:/?#@"'`<>]{0,200})(?::([^\s/?#"'`<>]{1,400}))?@(?=[\w[${<.-])/iu;

function isUrlPassword(value: string, user: string, isInCode: boolean): boolean {
  if (value.length < 4 || isPlaceholder(value) || value === user || wellKnownPasswords.has(value.toLowerCase()))
    return false;
  return !isInCode || /\d/u.test(value) || value.length >= 8;
}

/** Matches the body of a PEM private key, even truncated or with `\n` as line ends. */
function privateKeys(text: string): SecretSpan[] {
  return matchedSpans(text, pem, (body, end) => {
    const minChars = text.startsWith("-----END", end) ? 16 : 28;
    return body.replaceAll(/[^A-Za-z0-9+/]/gu, "").length >= minChars && !body.includes("***");
  });
}

const pem =
  /-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----((?:[A-Za-z0-9+/=\s>|]|\\[nr]|\b(?:Proc-Type|DEK-Info|Version|Comment): ?[^\n\\]{0,80})+)/gu;

/** Finds the secret key of an AWS key pair, recognised by its name or next to its key id. */
function keyPairs(text: string): SecretSpan[] {
  return matchedSpans(text, awsSecret, (value) => looksRandom(value, 40) && !isPlaceholder(value));
}

const awsSecret =
  /(?:secret_?access_?key|aws_?secret_?key|\bA(?:KIA|SIA)[A-Z0-9]{16})[^A-Za-z0-9+/\n]{1,12}(?:[\w "',-]{0,30}[:=]["' ]{0,3})?([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/])/giu;

/** A generated value of `key` directly before one of `secret`: together they are a login. */
function keysBeforeSecrets(text: string): SecretSpan[] {
  return matchedSpans(text, keyAndSecret, isGenerated);
}

const keyAndSecret =
  /\bkey["']?[ \t]{0,2}[:=][ \t]{0,2}["']?([A-Za-z0-9]{24,64})["']?[\s,;-]{1,12}["']?(?:api_?|client_?)?secret["']?[ \t]{0,2}[:=]/giu;

/** `jwt.sign(payload, "…")`, `createHmac("sha256", "…")`, `insert into tokens (…) values (…, '…')`, `"auth": {"key": "…"}`. */
const signedWith =
  /\b(?:jwt\.(?:sign|verify|encode|decode)|createHmac|hmac\.new|HMAC)\([^()"'\n]{0,60}(?:["'][\w-]{1,20}["'],[ \t]{0,4})?b?["']([^"'\s]{14,200})["']|\binsert\s+into\s[^()\n]{1,80}\([^()\n]{0,200}(?:token|secret|api_?key|password)[^()\n]{0,200}\)\s{0,4}values\s{0,4}\([^()\n]{0,400}?["']([A-Za-z0-9_.+/=-]{20,200})["']|"(?:auth|credentials?)"\s{0,4}:\s{0,4}\{\s{0,20}"key"\s{0,4}:\s{0,4}"([^"\s]{14,200})"|"auth"\s{0,4}:\s{0,4}"([A-Za-z0-9+/=]{24,400})"/giu;

/** A line of `.netrc`. */
function logins(text: string): SecretSpan[] {
  return matchedSpans(
    text,
    netrc,
    (value) => value.length >= 4 && !isPlaceholder(value) && !wellKnownPasswords.has(value),
  );
}

const netrc = /\bmachine\s{1,4}\S{1,100}\s{1,4}login\s{1,4}\S{1,100}\s{1,4}password\s{1,4}["']?([^\s\\"']+)/gu;

/** `… is the password`: a generated value before the name. */
function valuesBeforeNames(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (const { 0: phrase, index } of text.matchAll(isTheSecret)) {
    const before = text.slice(Math.max(0, index - 200), index);
    const value = /[^\s"'`]*$/u.exec(before.replace(/["'`]$/u, ""))?.[0].replace(/^[/*#;(]+/u, "") ?? "";
    if (isPlaceholder(value)) continue;
    const isRandom = looksGenerated(value) || looksLikeRandomHex(value) || looksLikeStrongPassword(value);
    if (!isRandom && !(mixesThreeKinds(value) && / pass\w+$/iu.test(phrase))) continue;
    const start = index - before.length + before.lastIndexOf(value);
    spans.push({ start, end: start + value.length });
  }
  return spans;
}

/** `ID/PW: bob/…`, `(login & password) bob (…)`, `10.0.0.1 (bob/…)` in a note. */
const userAndPassword =
  /(?:\b(?:id|login|user(?:name)?|account)|계정)[ \t]?[/&,][ \t]?(?:p\/?wd?|pass(?:word|wd)?|비번|비밀번호)\)?(?:\/port)?(?:[ \t]for[ \t]\w{1,20})?[ \t]{0,2}[:=-]?[ \t]{0,2}(?:[\w.]{1,40}:\d{0,5}[ \t]?)?\(?[\w.@-]{1,40}[ \t]?[/:(]([^\s()/,]{8,40})|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?[ \t]?(?:-+>|\()[ \t]?[\w.@-]{1,40}\/([^\s()/,]{8,40})/giu;

/** `creds: bob / …`, `the staging login is bob / …` in a note, and `admin / …` on a line of its own. */
const loginPair =
  /^[ \t]{0,8}(?:admin|root|administrator|demo|guest)[ \t]?\/[ \t]?([^\s()/,]{8,40})[ \t]{0,8}$|\b(?:creds?|credentials|login)(?:[ \t](?:is|are|for[ \t][\w.-]{1,30}))?[ \t]{0,2}[:=]?[ \t]{1,2}[\w.@-]{2,40}[ \t]?\/[ \t]?([^\s()/,]{8,40})/gimu;

function isChosenPassword(value: string): boolean {
  return /\d/u.test(value) && /[A-Z!#%^*@$]/u.test(value) && /[a-z]/u.test(value) && !isPlaceholder(value);
}

/** The beginning of an issuer's tokens before a stretch of the alphabet or of digits, shorter than real tokens. */
const countedToken =
  /(?<![A-Za-z0-9_-])((?:npm_|pypi-|do[opr]_v1_|sk[-_]|hf_|gl\w{2,4}-|gh[a-z]_|github_pat_|xox[a-z]-|SG\.|AIza|ya29\.|shp[a-z]{2}_|r8_|gsk_|dapi|gAAAA|(?:bot)?\d{6,10}:)[A-Za-z0-9_.-]{0,12}?(?:abcdefghij|ABCDEFGHIJ|1234567890)[\w.-]{6,200})/gu;

/** `Configuration["Jwt:Key"] = "…"`, `"Auth:Google:Secret": "…"` */
const sectionKey =
  /["'](?:\w{1,30}:){1,4}\w{0,20}(?:key|secret|password)["']\]?\s{0,4}[=:,]\s{0,4}["']([^"'\s]{8,200})["']/giu;

/** The words of a wallet after their name. */
const walletPhrase =
  /\b(?:seed|phrase|mnemonic|recovery words)["']?[ \t]{0,4}[:=][ \t]{0,4}["']?((?:[a-z]{3,8} ){11,23}[a-z]{3,8})\b/giu;

const weatherKey = /openweathermap\.org\/[^\s"']{0,200}[?&]appid=([\da-f]{32})/giu;

/** `bob:…@tcp(db:3306)/shop`, as Go writes it. */
const goAddress = /(?<=["'\s=][\w.-]{1,40}:)([^\s"'@:]{4,80})@(?:tcp|unix)\(/gu;

/** The private parts of a key in JSON (RFC 7517), which a line end may break. */
const privateJwk =
  /(?<=["']kty["'][^{}]{0,2000})["'](?:k|d|p|q|dp|dq|qi)["']\s{0,4}:\s{0,4}["']([\w-]{20,}(?:\s{1,20}[\w-]{4,}){0,20})["']/gu;

/** `key: …` below `encryption:` and similar words in YAML. */
const keyOfBlock =
  /^[ \t]{0,12}(?:[\w-]{0,20}[-_])?(?:encryption|crypto|cipher|signing|jwt|hmac|cookie|session|auth)[\w-]{0,10}:[ \t]{0,4}\r?\n(?:[ \t]{1,20}[\w-]{1,30}:[^\n]{0,100}\n){0,4}?[ \t]{1,20}key:[ \t]{1,4}["']?([^\s"'#]{16,})/gmu;

/** The password in a connection string of ODBC or .NET: `Server=…;User Id=sa;Password=…`. */
const connection =
  /\b(?:server|data source|host|user ?id|uid|user|initial catalog|database)=[^;"'\n]{0,120};(?:[^;"'\n]{0,120};){0,8}?\s{0,4}(?:password|pwd)=([^;"'\s]{6,100})/giu;

function isConnectionPassword(value: string): boolean {
  return (
    (mixesFourKinds(value) && !isPlaceholder(value)) ||
    (/\d/u.test(value) &&
      value.length >= 8 &&
      !isPlaceholder(value) &&
      !/p[a@4][s5$]{2}|test|secret|1234/iu.test(value))
  );
}

/** `"…".equals(password)` */
const equalsName =
  /["']([^"'\s]{6,100})["']\.equals(?:IgnoreCase)?\(\w{0,30}(?:password|passwd|pwd|secret|token)\w{0,10}\)/giu;

/** The lines of a value that Ansible encrypted. */
const vaultBlock = /\$ANSIBLE_VAULT;[\d.]{1,5};AES256(?:;[\w.-]{1,40})?((?:\s{1,40}[\da-f]{40,100})+)/gu;

const isTheSecret =
  / is (?:the|our|your|my) (?:[a-z]{1,12} ){0,2}(?:password|passphrase|token|secret|api key|key)\b/giu;

/** Passwords in `.pgpass` lines, and password hashes in lines of `/etc/shadow` and `.htpasswd`. */
function passwordFiles(text: string): SecretSpan[] {
  return [
    ...matchedSpans(text, pgpassLine, (value) => !isPlaceholder(value) && !wellKnownPasswords.has(value)),
    ...(text.includes(":$") ? matchedSpans(text, shadowLine, (hash) => !isPlaceholder(hash)) : []),
  ];
}

const pgpassLine = /^[\w.*-]{1,80}:(?:\d{4,5}|\*):[A-Za-z*][\w-]{0,40}:[A-Za-z*][\w-]{0,40}:([^\s:]{4,200})$/gmu;

const shadowLine = /^[\w.-]{1,40}:(\$(?:1|2[abxy]|5|6|y|apr1)\$[^\s:]{20,200})(?=:|\s|$)/gmu;

function cookies(text: string, strictness: Strictness): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (const line of text.matchAll(cookieLine)) {
    const list = line[1] ?? "";
    const from = line.index + line[0].length - list.length;
    let start = from;
    for (const pair of list.split(";")) {
      const sign = pair.indexOf("=") + 1;
      const value = /^[^\s"']*/u.exec(pair.slice(sign))?.[0] ?? "";
      const isAlone = sign === 0 && pair === list && /^[\w.-]{20,}$/u.test(pair) && /\d/u.test(pair);
      if (isAlone && strictness === "all" && !isPlaceholder(pair)) spans.push({ start, end: start + pair.length });
      if (sign > 1 && value !== "" && isCookieSecret(pair.slice(0, sign - 1).trim(), value, strictness))
        spans.push({ start: start + sign, end: start + sign + value.length });
      start += pair.length + 1;
    }
  }
  return spans;
}

const cookieLine = /\b(?:set-)?cookie["']?\s{0,3}[:=]\s{0,3}["']?([^\n"']{3,8000})/giu;

function isCookieSecret(name: string, value: string, strictness: Strictness): boolean {
  if (isPlaceholder(value)) return false;
  const isSession = /sess|sid|auth|token|jwt|csrf|xsrf|remember|login|secret/iu.test(name);
  if (strictness === "generated")
    return looksGenerated(value) || (isSession && (looksLikeRandomCode(value) || looksLikeRandomHex(value)));
  return isSession ? value.length >= 8 && !isWordy(value) : looksGenerated(value);
}

/** URL parameters that contain a secret. */
function queries(text: string): SecretSpan[] {
  return [
    ...matchedSpans(
      text,
      queryValue,
      (value) => (looksRandom(value, 16) || looksLikeRandomCode(value, 16)) && !isPlaceholder(value),
    ),
    ...(text.includes("code=") ? matchedSpans(text, grantCode, (value) => !isPlaceholder(value)) : []),
  ];
}

/** The code that a login sends back: with digits and letters, or next to the state. */
const grantCode =
  /[?&]code=((?=[^&\s?]{0,200}\d)(?=[^&\s?]{0,200}[A-Za-z])[^&\s"'<>#;?]{12,})|\bcode=([^&\s"'<>#;?=]{6,300})(?=&(?:state|client_id|grant_type|redirect_uri|\w{1,20}token)=)|[?&]state=[^&\s?]{1,200}&code=([^&\s"'<>#;?]{6,})/gu;

const queryValue =
  /[?&;](?:key|code|ticket|hmac|assertion|auth|se?cr?e?t|sid|t|x-goog-credential)=([^&\s"'<>#;]{16,})/giu;
