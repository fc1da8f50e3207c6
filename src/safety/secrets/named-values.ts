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

/** Values next to a name for a secret, in any notation: settings, fields, forms, flags, headers. */
export function namedValues(text: string, strictness: Strictness): SecretSpan[] {
  const spans: SecretSpan[] = [];
  const strengthOf = memoize(secretName);
  const looks = createValueChecks();
  let from = 0;
  for (const match of text.matchAll(nameWords)) {
    if (match.index < from) continue;
    const name = nameAround(text, match.index, match.index + match[0].length);
    const strength = strengthOf(text.slice(name.start, name.end));
    if (strength === undefined) continue;
    const value = valueAfter(text, name);
    if (value === undefined) continue;
    if (!isNamedSecret(text, name, value, strength, strictness, looks)) continue;
    from = wholeEnd(text, value);
    spans.push({ start: value.start, end: from });
  }
  return spans;
}

/** The end of the value. A long unquoted value is judged by its beginning and hidden completely. */
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
  // An escape sequence before the name is not part of it: `\npassword`.
  if (text.charAt(start - 1) === "\\" && /[nrt]/u.test(text.charAt(start)) && start < from) start += 1;
  return { start, end };
}

/** Letters of any script, digits, `_`, `.`, `-`; not punctuation and spaces of other scripts. */
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

function valueAfter(text: string, name: SecretSpan): NamedValue | undefined {
  const isFlag = text.startsWith("-", name.start);
  const isTag = text.charAt(name.start - 1) === "<";
  const sign = matchAt(isFlag ? betweenFlag : isTag ? betweenTags : between, text, name.end, 64);
  if (sign === undefined) return undefined;
  const index = name.end + sign.length;
  const opening = matchAt(quotes, text, index, 16) ?? "";
  const start = index + opening.length;
  const mark = /^[ \t]+$/u.test(sign) && !isFlag ? "blank" : sign.replaceAll(/[\s"'\\\])]/gu, "").replace(/^\??/u, "");
  if (opening !== "") {
    const quote = opening.replace(/^(?:[a-z]+|@|\[\]byte\()/iu, "");
    const end = closing(text, start, quote);
    return end === undefined || end === start ? undefined : { start, end, quote, sign: mark };
  }
  const end = bareEnd(text, start, mark, isVariableLine(text, name));
  if (isTag && text.slice(end, end + 2) !== "</") return undefined;
  return end === start ? undefined : { start, end, quote: "", sign: mark };
}

function bareEnd(text: string, start: number, mark: string, isVariable: boolean): number {
  const shape = mark.startsWith(">") ? untilTag : bare;
  const value = matchAt(shape, text, start, maxJudgedChars) ?? "";
  if (value.length === maxJudgedChars) return start + maxJudgedChars;
  const line = isVariable && mark === "=" ? (matchAt(untilLineEnd, text, start, maxJudgedChars) ?? "") : "";
  return start + trimmed(/^$|\s[A-Za-z_]\w*=|\s#|[;|&]/u.test(line) ? value : line).length;
}

const between =
  /^(?:\??(?:\\?["'`])?\]?(?:[ \t]for[ \t][\w.@-]{1,40})?[ \t]{0,20}(?::=|=>|=(?![=>]|~[\s"'(])|:(?![:/=])|：|＝|(?:is|was|lautet|est|es|是):?[ \t](?=\S*\d)|\|(?=[ \t]*[^\s|]*\d[^\s|]*[ \t]*\|))[ \t]{0,20}|["'][ \t]{0,4},[ \t]{0,4}(?=["'][^"'\s]{12})|[ \t](?=["'`][^"'`\s]{12,}["'`])|[ \t]{1,12}(?=[^\s"'`,;:=<>{}]*\d)(?=[^\s"'`,;:=<>{}]{8})|["']?[\s,]{1,12}["']?[vV]alue["']?[ \t]{0,4}[:=][ \t]{0,4})/u;
const betweenFlag = /^(?:=|[ \t]{1,4}(?![-|]))/u;
const betweenTags = /^>/u;
const quotes = /^(?:[fbru]{0,2}|@|\[\]byte\()(?:\\?["'`]|&quot;)/u;
/** An escaped line end also ends the value. */
const bare = /^(?:[^\s"'`,;<>&|\\]|\\(?![nrt"']))+/u;
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

/** The value without punctuation or brackets at its end. */
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
