import {
  isNamedSecret,
  isVariableLine,
  maxJudgedChars,
  type NamedValue,
  memoize,
  createValueChecks,
  type Strictness,
} from "./named-secret.ts";
import { nameWords, secretName } from "./secret-name.ts";
import type { SecretSpan } from "./span.ts";

/** Finds values next to a name for a secret, in any notation: settings, fields, forms, flags, headers. */
export function namedValues(text: string, strictness: Strictness): SecretSpan[] {
  const spans: SecretSpan[] = [];
  const strengthOf = memoize(secretName);
  const looks = createValueChecks();
  let from = 0;
  for (const match of text.matchAll(nameWords)) {
    if (match.index < from) continue;
    const name = nameAround(text, match.index, match.index + match[0].length);
    const strength = strengthOf(text.slice(name.start, name.end));
    if (strength === undefined || isPublicName(text, name)) continue;
    const list = strength === "password" || strength === "secret" ? listAfter(text, name) : [];
    for (const item of list) {
      if (isNamedSecret(text, name, item, strength, strictness, looks))
        spans.push({ start: item.start, end: item.end });
    }
    if (list.length > 0) continue;
    const value = valueAfter(text, name);
    if (value === undefined) continue;
    if (!isNamedSecret(text, name, value, strength, strictness, looks)) continue;
    from = wholeEnd(text, value);
    spans.push({ start: value.start, end: from });
  }
  return spans;
}

/** `AWS::IAM::AccessKey` is a type, and a public key token is public. */
function isPublicName(text: string, { start }: SecretSpan): boolean {
  return /\w::\w+::$|\bpublic key $|\barn:[\w:/-]{1,55}:$/iu.test(text.slice(Math.max(0, start - 60), start));
}

/** Returns the end of the value. A long unquoted value is judged by its beginning and masked completely. */
function wholeEnd(text: string, { start, end, quote }: NamedValue): number {
  if (quote !== "" || end - start < maxJudgedChars) return end;
  return start + (matchAt(bare, text, start, maxValue)?.length ?? maxJudgedChars);
}

const maxName = 64;
const maxValue = 4096;

function nameAround(text: string, from: number, to: number): SecretSpan {
  let start = from;
  let end = to;
  while (start > 0 && from - start < maxName && isNameLetter(text.charCodeAt(start - 1))) start -= 1;
  while (end < text.length && end - to < maxName && isNameLetter(text.charCodeAt(end))) end += 1;
  // A word of another script ends where its particles begin: `비밀번호는`, `密码是`.
  if (text.charCodeAt(to - 1) > 0x2e7f) {
    start = from;
    end = to;
  }
  // `%5F` is an underscore in a form: `client%5Fsecret`.
  if (text.charAt(start - 1) === "%" && start + 2 <= from) start += 2;
  // An escape sequence before the name is not part of the name: `\npassword`.
  if (text.charAt(start - 1) === "\\" && /[nrt]/u.test(text.charAt(start)) && start < from) start += 1;
  return { start, end };
}

/** Matches letters of any script, digits, `_`, `.` and `-`, but not punctuation and spaces of other scripts. */
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

/** The items of a list after a name: `passwords: ["…", "…"]`, or lines of YAML that start with a dash. */
function listAfter(text: string, name: SecretSpan): NamedValue[] {
  const opening = matchAt(listStart, text, name.end, 60);
  if (opening === undefined) return [];
  const within = text.slice(name.end, name.end + maxValue);
  const items: NamedValue[] = [];
  const shape = opening.endsWith("[") ? bracketItem : dashItem;
  shape.lastIndex = opening.endsWith("[") ? opening.length : opening.lastIndexOf("\n");
  for (let match = shape.exec(within); match !== null && items.length < maxItems; match = shape.exec(within)) {
    const [whole, quote = "", item = ""] = match;
    const start = name.end + match.index + whole.indexOf(item, whole.indexOf(quote) + quote.length);
    items.push({ start, end: start + item.length, quote, sign: "list" });
  }
  return items;
}

const listStart = /^["']?[ \t]{0,4}(?:[:=][ \t]{0,4}\[(?=\s{0,20}["'])|:[ \t]{0,4}\r?\n[ \t]{0,20}-[ \t](?=["'\w]))/u;
const bracketItem = /\s{0,20}(["'])([^"'\n]{1,200})\1\s{0,4},?/uy;
const dashItem = /\r?\n[ \t]{0,20}-[ \t]{1,4}(["']?)([^\s"'{}:]{1,200})\1[ \t]{0,4}(?=\r?\n|$)/uy;
const maxItems = 50;

function valueAfter(text: string, name: SecretSpan): NamedValue | undefined {
  const isFlag = text.startsWith("-", name.start);
  const isTag =
    /[<:]/u.test(text.charAt(name.start - 1)) && tagBefore.test(text.slice(Math.max(0, name.start - 20), name.start));
  const sign =
    beforeOtherwise(text, name) ?? matchAt(isFlag ? betweenFlag : isTag ? betweenTags : between, text, name.end, 100);
  // Only of a password: one can `pass` a value `to "…"`, and write a key to a file.
  const isPassword = () => /pass(?:word|phrase|code|wd)$/iu.test(text.slice(name.start, name.end));
  if (sign === undefined || (sign === " to " && !isPassword())) return undefined;
  const index = name.end + sign.length;
  const opening = matchAt(quotes, text, index, 32) ?? "";
  const start = index + opening.length;
  const isPassed = /\w\(/u.test(opening) && !opening.startsWith("[]") && !textType.test(opening);
  const mark = isPassed ? "list" : markOf(text, name, sign, isFlag, opening);
  if (opening !== "") {
    const quote = opening.replace(/^(?:(?:new )?[\w.:]+\(|[a-z]+|@|\[\]byte\()/iu, "");
    const end = closing(text, start, quote);
    if (end === undefined && quote.length === 1 && mark !== "list") {
      const cut = bareEnd(text, start, mark, false);
      return cut === start ? undefined : { start, end: cut, quote: "", sign: mark };
    }
    return end === undefined || end === start ? undefined : { start, end, quote, sign: mark };
  }
  if (isTag) return elementText(text, start);
  const inBrackets = matchAt(bracketedValue, text, start, 200);
  if (inBrackets !== undefined)
    return { start: start + 1, end: start + inBrackets.length - 1, quote: "", sign: "list" };
  const bareText = text.slice(start, bareEnd(text, start, mark, isVariableLine(text, name)));
  const end = start + (sign.startsWith("%") ? (bareText.split(/%(?:26|3b|23)/iu)[0] ?? "") : bareText).length;
  return end === start ? undefined : { start, end, quote: "", sign: mark };
}

/** `= isProd ? … : ` in `password = isProd ? … : "…"`. */
function beforeOtherwise(text: string, name: SecretSpan): string | undefined {
  return text.slice(name.end, name.end + 70).includes("?") ? matchAt(otherwise, text, name.end, 240) : undefined;
}

const otherwise =
  /^["'\])]{0,3}[ \t]{0,4}(?::?=(?!=)|,|:)[ \t]{0,4}[^\n;?]{1,60}\?[^\n;?]{1,60}?:[ \t]{0,4}(?=["'`][^"'`\s:]{6,}["'`])/u;
const tagBefore = /<(?:[\w.-]{1,18}:)?$/u;

/** The text of an XML element, up to its closing tag. */
function elementText(text: string, start: number): NamedValue | undefined {
  const [, value = "", gap = ""] = untilClosingTag.exec(text.slice(start, start + maxValue)) ?? [];
  const end = start + value.length;
  return value === "" || text.slice(end + gap.length, end + gap.length + 2) !== "</"
    ? undefined
    : { start, end, quote: "", sign: ">" };
}

const untilClosingTag = /^([^<\s]+(?:[ \t][^<\s]+){0,40})(\s{0,30})/u;

/** The sign as `isNamedSecret` reads it. A directive or a semicolon makes a blank as clear as `=`. */
function markOf(text: string, name: SecretSpan, sign: string, isFlag: boolean, opening: string): string {
  if (sign.includes("<")) return sign.endsWith(">") ? ">" : "=";
  if (sign.endsWith("(") && setting.test(text.slice(name.start, name.end))) return "=";
  if (/(?:\|\||\?\?)=/u.test(sign)) return "=";
  if (/\(|\|\||\?\?|[ \t]or[ \t]|\?.*:/u.test(sign)) return "list";
  if (/^\p{L}|^%|^[ \t]to[ \t]$/u.test(sign) || (isFlag && sign.includes(","))) return "=";
  if (/^[ \t](?:for|on|of|to|от|для)[ \t].*:[ \t]*$/u.test(sign)) return ":";
  if (/^["']?[ \t]*,[ \t]*["']?$/u.test(sign))
    return setter.test(text.slice(Math.max(0, name.start - 24), name.start)) ? "=" : ",";
  if (!/^[ \t]*(?:-*>?[ \t]+)?$/u.test(sign) || isFlag)
    return sign.replaceAll(/[\s"'\\\])]/gu, "").replace(/^\??/u, "");
  const before = text.slice(Math.max(0, name.start - 20), name.start);
  const isClear =
    directive.test(before) ||
    (opening !== "" &&
      (endsStatement(text, name.end + sign.length) ||
        (/#[ \t]?define[ \t]{1,4}$/u.test(before) &&
          /pass|pwd|secret|token|api_?key/iu.test(text.slice(name.start, name.end)))));
  return isClear ? "=" : "blank";
}

/** Calls that take a name and its value, or its default: `getenv("NAME", "…")`. */
const setter =
  /(?:getenv|environ\.get|\benv|\bdefine|property|putenv|setenv|\bput|getordefault|\bconfig)\([ \t]{0,4}["']?$/iu;

/** Names of calls whose argument is the secret: `set_password("…")`. */
const setting = /(?:^|\.)(?:set|with|change|update|reset)_?(?=[A-Z_a-z])|\.equals(?:IgnoreCase)?$/u;

/** Words before a name that is followed by its value: `SetEnv NAME …`. */
const directive = /(?:^|[\s|;&])(?:ENV|ARG|setenv|SetEnv|setx|fastcgi_param)[ \t]{1,4}$/u;

function endsStatement(text: string, index: number): boolean {
  return /^(["'])[^"'\s]{6,}\1;/u.test(text.slice(index, index + 300));
}

function bareEnd(text: string, start: number, mark: string, isVariable: boolean): number {
  const shape = mark.startsWith(">") ? untilTag : bare;
  const value = matchAt(shape, text, start, maxJudgedChars) ?? "";
  if (value.length === maxJudgedChars) return start + maxJudgedChars;
  const phrase = mark === ":" ? (matchAt(phraseLine, text, start, maxJudgedChars) ?? "") : "";
  if (
    phrase !== "" &&
    /(?:^|\n)[ \t]{0,20}(?:- )?[a-z_]{3,40}:[ \t]{1,4}$/u.test(text.slice(Math.max(0, start - 60), start))
  )
    return start + phrase.length;
  const line = isVariable && mark === "=" ? (matchAt(untilLineEnd, text, start, maxJudgedChars) ?? "") : "";
  // `TOKEN=… ./deploy.sh`: a command follows.
  const isCommand = /^(?=\S*\d)\S{12,} (?:\.{0,2}\/|[a-z])/u.test(line);
  return start + trimmed(isCommand || /^$|\s[A-Za-z_]\w*=|\s#|[;|&]/u.test(line) ? value : line).length;
}

/** Signs between a name and its value. Each alternative reads at most a few dozen characters. */
const between = new RegExp(
  `^(?:${[
    // `apikey[] =`, `password for bob:`, `token ??=`, `TOKEN ::=`
    /\??(?:\\?["'`])?\]?(?:\[\])?(?:[ \t]for[ \t][\w.@-]{1,40})?[ \t]{0,20}(?::{1,3}=|=>|(?:\?\?|\|\||[.+?])?=(?![=>]|~[\s"'(])|：|＝|\|(?=[ \t]*[^\s|]*\d[^\s|]*[ \t]*\|))[ \t]{0,20}/u,
    // `password == "…"`
    /["'\]]{0,2}[ \t]{0,4}[=!]==?[ \t]{0,4}(?=[fbr]?["'][^"'\s]{6,}["'])/u,
    // `token: string =`, `token string =`
    /\??(?:[ \t]{0,4}:[ \t]{0,4}[A-Za-z&][\w&'.<>?[\]]{1,30}|[ \t]{1,4}string)[ \t]{1,4}=(?![=>])[ \t]{0,20}/u,
    // A block of YAML with one line.
    /["']?:[ \t]{1,4}[|>][-+]?[ \t]{0,4}\r?\n[ \t]{1,20}(?=\S+[ \t]*(?:[\r\n]|$))/u,
    /\??(?:\\?["'`])?\]?(?:[ \t]for[ \t][\w.@-]{1,40})?[ \t]{0,20}:(?![:/=])[ \t]{0,20}/u,
    // `API key for the weather page: …`, `pw on web-3: …`
    /[ \t](?:for|on|of|to|от|для)[ \t](?:[\p{L}\p{N}_.@\\-]{1,30}[ \t]){0,4}[\p{L}\p{N}_.@\\-]{1,30}[ \t]{0,4}:[ \t]{1,4}(?=[^\s"'`]*\d)/u,
    // `set the passphrase to "…"`
    /[ \t]to[ \t](?=["'`][^"'`\n]{6,}["'`])/u,
    // `access_token%3D…` in an address inside another
    /%3[Dd]/u,
    // `Incorrect API key provided: …`
    /[ \t](?:provided|supplied|given|used|received|sent|generated|created|value)[ \t]{0,4}[:=][ \t]{1,4}(?=\S*\d)/u,
    // `API_KEY || "…"`, `.apiKey("…")`, `Token(value="…")`: only for generated values.
    /["'\])]{0,2}[ \t]{1,4}(?:\|\||\?\?|or)[ \t]{1,4}(?=["'`][^"'`\s]{6,}["'`])/u,
    /\((?:value=|secret=)?(?=["'`][^"'`\s]{6,}["'`][ \t]{0,4}[),])/u,
    // `put(X_CREDENTIALS, "…")`
    /,[ \t]{0,4}(?=["'][^"'\s]{6,}["'][ \t]{0,4}\))/u,
    // `비밀번호는 …`, `パスワードは …`, `密码是…`
    /(?:는|은|이|가|は|が|是|为|為)[ \t]{0,2}:?[ \t]{0,2}["'`]?(?=[^\s"'`]*\d)/u,
    // `password(…)`, `password(default: …)` in a note
    /\((?:default:[ \t]?)?(?=[^\s()"'`,;{}[\]]{8,40}\))/u,
    // `the password for the user "bob" is "…"`
    /(?:[ \t](?:for|in|of|on|del|du|der|do)[ \t](?:[\w.@-]{1,20}[ \t]){0,3}["']?[\w.@-]{1,30}["']?)?[ \t]{0,4}(?:is|was|lautet|est|es|是):?[ \t](?=\S*\d|["'][^"'\s]{6,}["'])/u,
    // The value in a field, attribute or element of its own.
    /["']?[\s,]{1,12}(?:"slotSetting":[ ]?(?:true|false),\s{0,12})?["']?(?:(?:Parameter)?[vV]alue|content|default)["']?[ \t]{0,4}[:=][ \t]{0,4}/u,
    /(?:["'][ \t]{0,4}\/?>|<\/(?:name|key|Name|Key)>)\s{0,20}<(?:value|Value|string)(?:[ \t]{0,4}=[ \t]{0,4}|>)/u,
    // `<string name="api_key">…</string>`
    /["'][ \t]{0,4}>(?=[^<\s]{6,200}<\/)/u,
    // `"token", "…"`, `'API_KEY' , '"…"'`, `token,…,`
    /["'][ \t]{0,4},[ \t]{0,4}["']?(?=["'][^"'\s]{6})/u,
    /,(?=[^\s,"']{20,}(?:[,\r\n]|$))/u,
    // `**Token**: …`, `│ secret_key │ …`, `["secret"]=> string(32) "…"`, and a part of a form.
    /\*{1,2}[ \t]{0,4}:\*{0,2}[ \t]{1,4}/u,
    /[ \t]{0,40}│[ \t]{0,8}(?=[^\s│]*\d)/u,
    /["']\]=>[ \t]{0,4}(?:\r?\n[ \t]{0,20})?string\(\d{1,4}\)[ \t]/u,
    /["']\r?\n(?:[A-Za-z-]{1,30}:[^\n]{0,80}\n)?\r?\n(?=\S{8,}[ \t]*\r?\n--)/u,
    // `secret "…";`
    /[ \t]{0,4}(?=(["'])[^"'\s]{6,}\1;)/u,
    /[ \t](?=["'`][^"'`\s]{8,}["'`]|[a-z]{4}(?:-[a-z]{4}){3}(?![\w-]))/u,
    /[ \t]{1,24}(?:-{1,8}>?[ \t]{1,12})?(?=[^\s"'`,;:=<>{}]*\d)(?=[^\s"'`,;:=<>{}]{8})/u,
  ]
    .map(({ source }) => source)
    .join("|")})`,
  "u",
);
const betweenFlag = /^(?:[:=]|[ \t]{1,4}(?![-|])|["'],\s{0,20}(?=["'][^-]))/u;
const betweenTags = /^(?:[ \t][^<>\n]{0,50})?>\s{0,30}/u;
const quotes = /^(?:[fbru]{0,2}|@|\[\]byte\(|(?:new )?[A-Za-z_][\w.:]{0,24}\()(?:\\?["'`]|&quot;)/u;
/** The text is the value: `new String("…")`. */
const textType = /^(?:new )?(?:std::)?(?:string|str|SecretStr|SecureString)\(/iu;
/** `token=[…]` in logs. */
const bracketedValue = /^\[[\w.+/=-]{14,}\]/u;
/** An escaped line end also ends the value. */
const bare = /^(?:[^\s"'`,;<>&|\\]|\\(?![nrt"']))+/u;
/** A phrase with a number to the end of the line: `three blind mice 7`. */
const phraseLine = /^(?=[^\n]*\d)[a-z\d]{2,}(?: [a-z\d]+){2,7}(?=\r?\n|$)/u;
const untilTag = /^[^<\n]+/u;
const untilLineEnd = /^(?:[^\r\n\\"]|\\(?![nrt"]))+/u;

function matchAt(shape: RegExp, text: string, index: number, within: number): string | undefined {
  return shape.exec(text.slice(index, index + within))?.[0];
}

function closing(text: string, start: number, quote: string): number | undefined {
  const within = text.slice(start, start + maxValue);
  const lineEnd = within.indexOf("\n");
  let index = within.indexOf(quote);
  while (index > 0 && quote.length === 1 && /(?<!\\)(?:\\\\)*\\$/u.test(within.slice(Math.max(0, index - 8), index))) {
    index = within.indexOf(quote, index + 1);
  }
  return index < 0 || (lineEnd >= 0 && lineEnd < index) ? undefined : start + index;
}

/** Returns the value without punctuation or brackets at its end. */
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
