import { runStyles, type TextRun } from "./text-runs.ts";

/** The kinds of a source line. `start`: where its words begin. */
export type LineKind =
  | { readonly kind: "fence"; readonly mark: string; readonly language: string; readonly indent: number }
  | { readonly kind: "rule" }
  | { readonly kind: "heading"; readonly words: string }
  /** The line may be the first row of a table. */
  | { readonly kind: "row" }
  /** A formula on its own line. `body` undefined: this is its first line. */
  | { readonly kind: "math"; readonly end: string; readonly body?: string }
  | { readonly kind: "code" }
  | {
      readonly kind: "text";
      readonly start: number;
      readonly first: readonly TextRun[];
      readonly hang: readonly TextRun[];
      readonly isItem: boolean;
    };

export interface LineContext {
  readonly isColoured: boolean;
  /** True: indented lines belong to a list item. */
  readonly isInList: boolean;
  /** False: the line cannot be part of a table. */
  readonly mayBeRow: boolean;
}

/**
 * The kind of a line, as soon as more text cannot change it; undefined until then. `isEnd`: the line is complete. Lines that
 * are too long to wait for are text.
 */
export function lineKind(line: string, isEnd: boolean, context: LineContext): LineKind | undefined {
  const indent = /^ */u.exec(line)?.[0] ?? "";
  const body = line.slice(indent.length);
  if (indent.length > maxHeld || (body === "" && isEnd))
    return { kind: "text", start: 0, first: [], hang: [], isItem: false };
  if (body === "") return undefined;
  if (line.length <= maxHeld) {
    const special = specialKind(indent, body, isEnd, context);
    if (special !== "none") return special;
  }
  if (body.length <= maxLeader && !isEnd && mayBeLeader(body)) return undefined;
  return textKind(line, context);
}

const maxHeld = 2_000;
const maxLeader = 100;
const maxHeading = 300;
const maxFence = 200;

/** Recognizes kinds that need their whole line. "none": the line has none of these kinds. */
function specialKind(
  indent: string,
  body: string,
  isEnd: boolean,
  { isInList, mayBeRow }: LineContext,
): LineKind | "none" | undefined {
  if (/^(?:`{1,2}|~{1,2})$/u.test(body) && !isEnd) return undefined;
  const fence = /^(?<mark>`{3,}|~{3,})(?<info>[^`]*)$/u.exec(body)?.groups;
  if (fence && (indent.length <= 3 || isInList) && body.length <= maxFence) {
    if (!isEnd) return undefined;
    const language = /[\w+#-]+/u.exec(fence["info"] ?? "")?.[0] ?? "";
    return { kind: "fence", mark: fence["mark"] ?? "", language, indent: indent.length };
  }
  if (/^(?:\$|\\)$/u.test(body) && !isEnd) return undefined;
  const mark = body.startsWith("$$") ? "$$" : body.startsWith("\\[") ? "\\[" : undefined;
  if (mark !== undefined) return isEnd ? mathKind(body, mark) : undefined;
  if (indent.length <= 3) {
    if (/^(?:-+|\*+|_+)\s*$/u.test(body)) {
      if (!isEnd) return undefined;
      if (/^(?:-{3,}|\*{3,}|_{3,})/u.test(body)) return { kind: "rule" };
    }
    if (/^#{1,6}$/u.test(body) && !isEnd) return undefined;
    if (/^#{1,6} /u.test(body) && body.length <= maxHeading) {
      if (!isEnd) return undefined;
      const words = /^#{1,6} +(?<words>.*?)(?: +#+)? *$/u.exec(body)?.groups?.["words"] ?? "";
      return { kind: "heading", words };
    }
  }
  const isRow =
    body.startsWith("|") || (!isListItem(body) && !body.startsWith(">") && body.slice(0, maxLeader).includes("|"));
  if (isRow && mayBeRow) return isEnd ? { kind: "row" } : undefined;
  return "none";
}

function mathKind(body: string, mark: "$$" | "\\["): LineKind | "none" {
  const end = mark === "$$" ? "$$" : "\\]";
  const inner = body.slice(2).trimEnd();
  const close = inner.indexOf(end);
  if (close < 0) return inner === "" || /[\\^_={]/u.test(inner) ? { kind: "math", end } : "none";
  const after = inner.slice(close + 2);
  return /^[.,;]?$/u.test(after) ? { kind: "math", end, body: inner.slice(0, close) + after } : "none";
}

function isListItem(body: string): boolean {
  return /^(?:[-*+]|\d{1,3}[.)]) /u.test(body);
}

/** Whether further text could make the line a list item, a quote, or the first row of a table. */
function mayBeLeader(body: string): boolean {
  if (/^(?:>[> ]*)?(?:[-*+]|\d{1,3}[.)]?)? *(?:\[[ xX]?\]?)? *$/u.test(body)) return true;
  return !isListItem(body) && !body.startsWith(">");
}

/** Paragraphs, items of lists with their check boxes, quotes, and indented code. */
function textKind(line: string, { isColoured, isInList }: LineContext): LineKind {
  const first: TextRun[] = [];
  const hang: TextRun[] = [];
  let start = 0;
  let isItem = false;
  const put = (text: string, below: string, style = 0) => {
    first.push({ text, style });
    hang.push({ text: below, style: below.trim() === "" ? 0 : style });
  };
  const indent = /^ */u.exec(line)?.[0] ?? "";
  const dim = isColoured ? runStyles.dim : 0;
  const isLeader = /^(?:> ?|(?:[-*+]|\d{1,3}[.)]) +\S)/u.test(line.slice(indent.length));
  if (indent.length >= 4 && !isInList && !isLeader && line.trim() !== "") return { kind: "code" };
  if (indent !== "") put(indent.slice(0, maxMargin), indent.slice(0, maxMargin));
  start = indent.length;
  for (let level = 0; level < maxQuotes && line[start] === ">"; level++) {
    const sign = isColoured ? "│" : ">";
    put(`${sign} `, `${sign} `, dim);
    start += line[start + 1] === " " ? 2 : 1;
  }
  const item = /^(?<space> *)(?<sign>[-*+]|\d{1,3}[.)])(?<gap> +)(?<box>\[[ xX]\] )?(?=\S)/u.exec(
    line.slice(start, start + 60),
  );
  if (item?.groups) {
    const { space = "", sign = "", box } = item.groups;
    const isNumber = /^\d/u.test(sign);
    isItem = true;
    const shown = isNumber || !isColoured ? sign : "•";
    if (space !== "") put(space, space);
    put(`${shown} `, " ".repeat(sign.length + 1), isNumber ? 0 : dim);
    if (box !== undefined) put(box.includes(" ]") ? "☐ " : "☑ ", "  ");
    start += item[0].length;
  }
  return { kind: "text", start, first, hang, isItem };
}

const maxMargin = 40;
const maxQuotes = 8;
