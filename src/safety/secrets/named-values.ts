import { nameWords, type NameStrength, secretName } from "./secret-name.ts";
import type { Span } from "./span.ts";
import { isPlaceholder, isPublicShape, isWordy, looksGenerated, looksRandom } from "./value-shape.ts";

/** `all`: whatever stands beside such a name. `generated`: only what no person typed, for code and its output. */
export type Strictness = "all" | "generated";

/** Values beside a name that says secret: settings, fields, forms, flags, headers, in whatever notation. */
export function namedValues(text: string, strictness: Strictness): Span[] {
  const found: Span[] = [];
  const strengthOf = remembered(secretName);
  let from = 0;
  for (const match of text.matchAll(nameWords)) {
    if (match.index < from) continue;
    const name = nameAround(text, match.index, match.index + match[0].length);
    const strength = strengthOf(text.slice(name.start, name.end));
    if (strength === undefined) continue;
    const value = valueAfter(text, name);
    if (value === undefined) continue;
    if (!isSecret(text, name, value, strength, strictness)) continue;
    from = wholeEnd(text, value);
    found.push({ start: value.start, end: from });
  }
  return found;
}

/** The same few names come again and again. */
function remembered<T>(compute: (name: string) => T): (name: string) => T {
  const known = new Map<string, { readonly answer: T }>();
  return (name) => {
    const answer = known.get(name) ?? { answer: compute(name) };
    known.set(name, answer);
    return answer.answer;
  };
}

/** A long value without quotes is judged by its beginning and hidden whole. */
function wholeEnd(text: string, { start, end, quote }: Value): number {
  if (quote !== "" || end - start < judged) return end;
  return start + (matchAt(bare, text, start, longestValue)?.length ?? judged);
}

interface Value extends Span {
  readonly quote: string;
  /** What stands between name and value: `=`, `:`, `>`, a blank. */
  readonly sign: string;
}

const longestName = 64;
const longestValue = 4096;
/** How much of a long value is looked at. */
const judged = 64;

function nameAround(text: string, from: number, to: number): Span {
  let start = from;
  let end = to;
  while (start > 0 && from - start < longestName && isNameLetter(text.charCodeAt(start - 1))) start -= 1;
  while (end < text.length && end - to < longestName && isNameLetter(text.charCodeAt(end))) end += 1;
  // An escape before the name is no part of it: `\npassword`.
  if (text.charAt(start - 1) === "\\" && /[nrt]/u.test(text.charAt(start)) && start < from) start += 1;
  return { start, end };
}

/** Letters of any script, digits, `_`, `.`, `-`; not the marks and blanks of other scripts. */
function isNameLetter(code: number): boolean {
  if (code < 128) {
    return (
      (code >= 97 && code <= 122) ||
      (code >= 65 && code <= 90) ||
      (code >= 48 && code <= 57) ||
      code === 95 ||
      code === 46 ||
      code === 45
    );
  }
  return /\p{L}/u.test(String.fromCharCode(code));
}

function valueAfter(text: string, name: Span): Value | undefined {
  const isFlag = text.startsWith("-", name.start);
  const isTag = text.charAt(name.start - 1) === "<";
  const sign = matchAt(isFlag ? betweenFlag : isTag ? betweenTags : between, text, name.end, 64);
  if (sign === undefined) return undefined;
  const at = name.end + sign.length;
  const opening = matchAt(quotes, text, at, 16) ?? "";
  const start = at + opening.length;
  const mark = sign.replaceAll(/[\s"'\\\])]/gu, "").replace(/^\??/u, "");
  if (opening !== "") {
    const quote = opening.replace(/^[a-z]+/iu, "");
    const end = closing(text, start, quote);
    return end === undefined || end === start ? undefined : { start, end, quote, sign: mark };
  }
  const end = bareEnd(text, start, mark, isVariableLine(text, name));
  return end === start ? undefined : { start, end, quote: "", sign: mark };
}

function bareEnd(text: string, start: number, mark: string, isVariable: boolean): number {
  const shape = mark.startsWith(">") ? untilTag : bare;
  const value = matchAt(shape, text, start, judged) ?? "";
  if (value.length === judged) return start + judged;
  const line = isVariable && mark === "=" ? (matchAt(untilLineEnd, text, start, judged) ?? "") : "";
  return start + trimmed(/^$|\s[A-Za-z_]\w*=|\s#|[;|&]/u.test(line) ? value : line).length;
}

/** `NAME=` at the start of a line, as `env` prints it: the value is all of the line. */
function isVariableLine(text: string, name: Span): boolean {
  const before = text.charAt(name.start - 1);
  return (before === "" || before === "\n") && /^[A-Z][A-Z0-9_]*$/u.test(text.slice(name.start, name.end));
}

const between =
  /^(?:\??(?:\\?["'`])?\]?(?:[ \t]for[ \t][\w.@-]{1,40})?[ \t]{0,20}(?::=|=>|=(?![=~>])|:(?![:/=])|：|＝|(?:is|was|lautet|est|es|是)[ \t](?=\S*\d))[ \t]{0,20}|[ \t](?=["'`][^"'`\s]{12,}["'`])|["']?[\s,]{1,12}["']?[vV]alue["']?[ \t]{0,4}[:=][ \t]{0,4})/u;
const betweenFlag = /^(?:=|[ \t]{1,4}(?![-|]))/u;
const betweenTags = /^>/u;
const quotes = /^(?:[fbru]{0,2}|@)(?:\\?["'`]|&quot;)/u;
/** An escaped line end ends it too. */
const bare = /^(?:[^\s"'`,;<>&|\\]|\\(?![nrt"']))+/u;
const untilTag = /^[^<\n]+/u;
const untilLineEnd = /^[^\r\n]+/u;

function matchAt(shape: RegExp, text: string, at: number, within: number): string | undefined {
  return shape.exec(text.slice(at, at + within))?.[0];
}

function closing(text: string, start: number, quote: string): number | undefined {
  const within = text.slice(start, start + longestValue);
  const lineEnd = within.indexOf("\n");
  let at = within.indexOf(quote);
  while (at > 0 && quote.length === 1 && /(?<!\\)(?:\\\\)*\\$/u.test(within.slice(Math.max(0, at - 8), at))) {
    at = within.indexOf(quote, at + 1);
  }
  return at < 0 || (lineEnd >= 0 && lineEnd < at) ? undefined : start + at;
}

/** Without what closes the sentence or the bracket around it. */
function trimmed(value: string): string {
  let end = value.length;
  while (end > 0 && /[.)\]}:!?\\]/u.test(value.charAt(end - 1))) {
    const last = value.charAt(end - 1);
    if ((last === "!" || last === "?") && end === value.length) break;
    if (last === "}" && value.slice(0, end).includes("{")) break;
    if (last === ")" && value.slice(0, end).includes("(")) break;
    if (last === "]" && value.slice(0, end).includes("[")) break;
    end -= 1;
  }
  return value.slice(0, end);
}

function isSecret(text: string, name: Span, value: Value, strength: NameStrength, strictness: Strictness): boolean {
  const shown = text.slice(value.start, Math.min(value.end, value.start + judged));
  if (shown.length < 4 || isPlaceholder(shown) || (isPublicShape(shown) && !/^\d{6,}$/u.test(shown))) return false;
  if (value.quote === "" && isExpression(shown, text.charAt(value.end))) return false;
  if (strictness === "generated") return strength !== "hint" && looksGenerated(shown);
  if (plainWords.has(shown.toLowerCase())) return false;
  if (looksRandom(shown, 12)) return true;
  if (strength === "hint" || namesSecret(shown)) return false;
  if (/^\d+$/u.test(shown)) return strength === "password" && shown.length >= 6;
  if (/\s/u.test(shown)) return isVariableLine(text, name) && strength === "password" && value.quote === "";
  if (/^[\p{L}_]+$/u.test(shown)) return isChosenWord(text, name, value, shown, strength);
  if (/\d/u.test(shown)) return strength === "password" || shown.length >= 6;
  return strength === "password" && shown.length >= 6 && !isWordy(shown);
}

/** Code that gets the value from elsewhere: a call, an index, a member, a lookup. */
function isExpression(shown: string, next: string): boolean {
  return (
    /^[\w.$?!&*@]*[([]|^(?:await|new|lambda|function|async)\b|^[&*@!]?[A-Za-z_$][\w$]*(?:(?:\??\.|->|::)[A-Za-z_$][\w$]*)+$/u.test(
      shown,
    ) ||
    (next === "(" && /^\w+$/u.test(shown)) ||
    (next === ">" && /^\$\w+-$/u.test(shown)) ||
    /^(?:process|os|import|req|request|self|this|config|settings|env|ctx|args|opts|options|params|props|state|secrets|vars|var|local|data|module|steps|inputs|github)\??[.[]/u.test(
      shown,
    )
  );
}

/** A value that is itself only a name for secrets: `api_key=api_key`, `"password": "Passwort"`, `my-token-2`. */
function namesSecret(shown: string): boolean {
  const rest = shown
    .replaceAll(/([a-z0-9])([A-Z])/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((part) => part !== "");
  return (
    rest.length > 0 &&
    rest.every((part) => ownWords.has(part)) &&
    (/^[\p{L}_ ?:.-]+$/u.test(shown) || (/token|key|secret$/u.test(rest.join("")) && /^\D+[-_]?\d{1,2}$/u.test(shown)))
  );
}

/** A word that somebody chose as a password, not a word of a sentence, a type or a variable. */
function isChosenWord(text: string, name: Span, value: Value, shown: string, strength: NameStrength): boolean {
  if (shown.length < 6) return false;
  const next = text.slice(value.end, value.end + 2);
  if (value.quote !== "") return strength === "password" && !/^\p{Lu}/u.test(shown);
  const endsThere = next === "" || /^[\r\n&;"'<]/u.test(next);
  if (isVariableLine(text, name)) return endsThere && (strength === "password" || shown.length >= 8);
  return (
    strength === "password" && endsThere && !/^\p{Lu}[\p{Ll}]+$|^\p{Lu}+$/u.test(shown) && !/[a-z][A-Z]/u.test(shown)
  );
}

const ownWords: ReadonlySet<string> = new Set(
  "password passwd pwd pass passphrase passcode passwort kennwort contraseña contrasena senha wachtwoord hasło heslo пароль 密码 密碼 口令 パスワード 비밀번호 passe mot de du lösenord adgangskode passord salasana şifre mật khẩu mdp token tokens secret secrets key keys api apikey access auth authentication authorization bearer client private my the a new old current confirm confirmed repeat user username admin root db database app test valid invalid wrong bad good other another value string field input hash hashed encrypted plain raw id name session refresh jwt signing webhook stored saved given hidden temp default initial expected actual random generated your is or and not no".split(
    " ",
  ),
);

const plainWords: ReadonlySet<string> = new Set(
  "aws4-hmac-sha256 str string text varchar char bytes byte buffer int integer number float bool boolean object array list dict map any unknown never void undefined null none nil nan true false yes no on off optional required mandatory nullable readonly literal symbol type enum option some ok okay valid invalid expired missing absent present empty blank unset set found failed failure denied accepted rejected revoked rotated refreshed created deleted removed changed updated saved stored loaded loading pending active inactive enabled disabled default wrong incorrect correct weak strong short long bearer basic digest oauth oauth2 jwt opaque saml openid ldap kerberos ntlm negotiate apikey hs256 hs512 rs256 es256 eddsa sha256 sha512 sha1 md5 bcrypt argon2 scrypt base64 base32 utf8 utf-8 ascii ed25519 rsa2048 rsa4096 aes256 aes128 x25519 hidden masked redacted secret password token example sample prompt ask keychain keyring env environment vault file stdin input interactive manual automatic auto inherit self this test tests testing todo localhost postgres mysql guest identifier comma keyword operator punctuation whitespace comment ident eof newline equals continue abort ignore skip never always only must should cannot click please see read write admin:admin".split(
    " ",
  ),
);
