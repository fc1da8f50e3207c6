import { codeSpanEnd, emphasisEnd, markAt } from "./emphasis.ts";
import { entityText } from "./html-entities.ts";
import { latexText, looksLikeMath } from "./latex/latex-text.ts";
import { linkRuns, linkUrl } from "./link-runs.ts";
import { runStyles, type TextRun, withStyle } from "./text-runs.ts";

export interface InlineStyle {
  /** False: the Markdown marks around words are kept. */
  readonly isColoured: boolean;
  /** True: the terminal supports links, so their address is not printed. */
  readonly hyperlinks: boolean;
}

export interface InlineText {
  readonly runs: readonly TextRun[];
  /** The number of source characters that these runs represent. */
  readonly length: number;
}

/**
 * The marks within a line: code, emphasis, links, formulas, entities. Returns the runs that no further text can change;
 * `isEnd`: of everything. A mark without its end within some hundred characters is plain text. `before`: the character
 * before the source.
 */
export function parseInline(source: string, isEnd: boolean, style: InlineStyle, before = ""): InlineText {
  const runs: TextRun[] = [];
  let plain = "";
  const flush = () => {
    if (plain !== "") runs.push({ text: withoutSigns(plain), style: 0 });
    plain = "";
  };
  let index = 0;
  while (index < source.length) {
    special.lastIndex = index;
    const next = special.exec(source)?.index ?? source.length;
    plain += source.slice(index, next);
    index = next;
    if (index >= source.length) break;
    const previous = index > 0 ? (source[index - 1] ?? "") : before;
    const token = tokenAt(source, index, isEnd, previous, style);
    if (!token) break;
    if (token.text !== undefined) plain += token.text;
    if (token.runs) {
      flush();
      runs.push(...token.runs);
    }
    index += token.length;
  }
  flush();
  return { runs, length: index };
}

/** Replaces the symbols that Hermes prints before prompts and calls, so that a text cannot imitate such lines. */
function withoutSigns(text: string): string {
  return text.replaceAll(/[┊❯]/gu, (sign) => (sign === "┊" ? "¦" : "›"));
}

/** A part of the source and its visible form. */
interface Token {
  readonly length: number;
  readonly text?: string;
  readonly runs?: readonly TextRun[];
}

const special = /[\\`*_~[!<&$]|https?(?::\/\/)?|http?$|ht?$|h$/gu;

/** Parses the mark at this position. Undefined: more text is needed to decide. */
function tokenAt(source: string, index: number, isEnd: boolean, before: string, style: InlineStyle): Token | undefined {
  const literal = (length = 1): Token => ({ length, text: source.slice(index, index + length) });
  switch (source[index]) {
    case "\\":
      return escaped(source, index, isEnd, literal);
    case "`":
      return codeSpan(source, index, isEnd, style);
    case "*":
    case "_":
    case "~":
      return emphasised(source, index, isEnd, before, style);
    case "!":
      if (index + 1 >= source.length && !isEnd) return undefined;
      return source[index + 1] === "[" ? link(source, index, isEnd, style) : literal();
    case "[":
      return link(source, index, isEnd, style);
    case "<":
      return angled(source, index, isEnd, style);
    case "&":
      return entity(source, index, isEnd);
    case "$":
      return dollars(source, index, isEnd, before);
    default:
      return bareUrl(source, index, isEnd, before, style);
  }
}

function escaped(
  source: string,
  index: number,
  isEnd: boolean,
  literal: (length?: number) => Token,
): Token | undefined {
  const next = source[index + 1];
  if (next === undefined) return isEnd ? literal() : undefined;
  if (next === "(" || next === "[") {
    const close = next === "(" ? "\\)" : "\\]";
    const end = endOf(source, close, index + 2, maxMath, isEnd);
    if (end === undefined) return undefined;
    if (end >= 0) return { length: end + 2 - index, text: onOneLine(latexText(source.slice(index + 2, end))) };
    return { length: 2, text: `\\${next}` };
  }
  return /[!-/:-@[-`{-~]/u.test(next) ? { length: 2, text: next } : literal();
}

/** The index of the end mark; -1: there is none; undefined: it may still arrive. */
function endOf(source: string, mark: string, from: number, max: number, isEnd: boolean): number | undefined {
  const end = source.indexOf(mark, from);
  if (end >= 0 && end - from <= max) return end;
  return !isEnd && source.length - from <= max ? undefined : -1;
}

function codeSpan(source: string, index: number, isEnd: boolean, { isColoured }: InlineStyle): Token | undefined {
  const end = codeSpanEnd(source, index, isEnd);
  if (end === undefined) return undefined;
  const ticks = markAt(source, index);
  if (end < 0) return { length: ticks.length, text: ticks };
  const whole = source.slice(index, end);
  const code = whole.slice(ticks.length, -ticks.length).replace(/^ (?<inner>.*\S.*) $/u, "$<inner>");
  const run = isColoured ? { text: code, style: runStyles.accent } : { text: whole, style: 0 };
  return { length: whole.length, runs: [run] };
}

function emphasised(
  source: string,
  index: number,
  isEnd: boolean,
  before: string,
  style: InlineStyle,
): Token | undefined {
  const run = markAt(source, index);
  if (index + run.length >= source.length && !isEnd) return undefined;
  const end = emphasisEnd(source, index, run, before, isEnd);
  if (end === undefined) return undefined;
  if (end < 0) return { length: run.length, text: run };
  const inner = source.slice(index + run.length, end);
  const { runs } = parseInline(inner, true, style, run.at(-1));
  const mark: TextRun = { text: run, style: 0 };
  return {
    length: end + run.length - index,
    runs: style.isColoured ? withStyle(runs, styleOf(run)) : [mark, ...runs, mark],
  };
}

function styleOf(mark: string): number {
  if (mark.startsWith("~")) return runStyles.dim;
  if (mark.length === 1) return runStyles.italic;
  return mark.length === 2 ? runStyles.bold : runStyles.bold | runStyles.italic;
}

/** `[label](url "title")`, for links and images. */
function link(source: string, index: number, isEnd: boolean, style: InlineStyle): Token | undefined {
  const start = source[index] === "!" ? index + 2 : index + 1;
  const plain = { length: start - index, text: source.slice(index, start) };
  let depth = 1;
  let end = start;
  for (; depth > 0; end++) {
    if (end - start > maxLabel) return plain;
    const char = source[end];
    if (char === undefined) return isEnd ? plain : undefined;
    if (char === "[") depth++;
    else if (char === "]") depth--;
    else if (char === "\\") end++;
  }
  if (end >= source.length) return isEnd ? plain : undefined;
  if (source[end] !== "(") return plain;
  const rest = source.slice(end, end + maxUrl);
  const whole = target.exec(rest);
  const url = whole?.groups?.["url"];
  if (!whole || url === undefined) return !isEnd && rest.length < maxUrl && openTarget.test(rest) ? undefined : plain;
  const { runs } = parseInline(source.slice(start, end - 1), true, style, "[");
  return { length: end + whole[0].length - index, runs: linkRuns(runs, url, style) };
}

const target = /^\(\s*<?(?<url>[^()\s<>]+(?:\([^()\s]*\)[^()\s<>]*)*)>?(?:\s+"[^"]*")?\s*\)/u;
/** Further text may complete the link. */
const openTarget = /^\(\s*<?[^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)*(?:\([^()\s]*)?>?(?:\s+(?:"[^"]*"?)?\s*)?$/u;

/** `<https://…>`, `<person@host>`, `<br>`. Other tags stay unchanged. */
function angled(source: string, index: number, isEnd: boolean, style: InlineStyle): Token | undefined {
  const text = source.slice(index, index + maxUrl);
  const whole = /^<(?:(?<url>https?:\/\/[^\s<>]+)|(?<mail>[\w.+-]+@[\w.-]+)|(?<tag>br\s*\/?))>/iu.exec(text);
  const { url, mail, tag } = whole?.groups ?? {};
  const length = whole?.[0].length ?? 0;
  if (url !== undefined) return { length, runs: linkRuns([], url, style) };
  if (mail !== undefined) return { length, runs: [{ text: mail, style: runStyles.underline }] };
  if (tag !== undefined) return { length, text: "\n" };
  const mayFollow =
    !isEnd && source.length - index < maxUrl && /^<(?:[\w.+-]*(?:@[\w.-]*)?|h[^\s<>]*|br\s*\/?)$/iu.test(text);
  return mayFollow ? undefined : { length: 1, text: "<" };
}

function entity(source: string, index: number, isEnd: boolean): Token | undefined {
  const text = source.slice(index, index + 34);
  const whole = /^&#?\w{1,31};/u.exec(text)?.[0];
  const shown = whole === undefined ? undefined : entityText(whole);
  if (whole !== undefined && shown !== undefined) return { length: whole.length, text: shown };
  return whole === undefined && !isEnd && text.length < 34 && /^&#?\w{0,31}$/u.test(text)
    ? undefined
    : { length: 1, text: "&" };
}

/** `$…$` and `$$…$$`, if it reads like a formula rather than like prices or variables. */
function dollars(source: string, index: number, isEnd: boolean, before: string): Token | undefined {
  const mark = source.startsWith("$$", index) ? "$$" : "$";
  const start = index + mark.length;
  const plain = { length: mark.length, text: mark };
  const next = source[start];
  if (next === undefined) return isEnd ? plain : undefined;
  if ((mark === "$" && /\s/u.test(next)) || /[\w\\$]/u.test(before)) return plain;
  const end = endOf(source, mark, start, mark === "$" ? maxMath : 2 * maxMath, isEnd);
  if (end === undefined) return undefined;
  if (end <= start) return plain;
  const after = source[end + mark.length];
  if (after === undefined && !isEnd) return undefined;
  const inner = source.slice(start, end);
  const isFormula = mark === "$$" || (!/\s$/u.test(inner) && !/\w/u.test(after ?? "") && looksLikeMath(inner));
  return isFormula ? { length: end + mark.length - index, text: onOneLine(latexText(inner)) } : plain;
}

function onOneLine(text: string): string {
  return text.includes("\n") ? text.split("\n").join("; ") : text;
}

function bareUrl(source: string, index: number, isEnd: boolean, before: string, style: InlineStyle): Token | undefined {
  const text = source.slice(index, index + maxUrl);
  const scheme = /^https?:\/\//u.exec(text)?.[0];
  if (/\w/u.test(before)) return { length: 1, text: text[0] ?? "" };
  if (scheme === undefined) {
    const mayFollow = !isEnd && text.length < 8 && "https://".startsWith(text.replace(/^http:/u, "https:"));
    return mayFollow ? undefined : { length: 1, text: text[0] ?? "" };
  }
  const all = /^[^\s<>"`*|]+/u.exec(text)?.[0] ?? scheme;
  if (all.length === text.length && !isEnd && text.length < maxUrl) return undefined;
  const url = linkUrl(all);
  return { length: url.length, runs: linkRuns([], url, style) };
}

const maxMath = 500;
const maxLabel = 500;
const maxUrl = 2_000;
