import type { Paint } from "../paint.ts";
import { cleanText } from "./clean-text.ts";
import { type CodeHighlighter, createCodeHighlighter } from "./highlight-code.ts";
import { parseInline } from "./inline-runs.ts";
import { latexLines } from "./latex/latex-text.ts";
import { type LineKind, lineKind } from "./line-kinds.ts";
import { createMarkdownTable, isDelimiterRow, type MarkdownTable } from "./markdown-table.ts";
import { paintRuns, runStyles, type TextRun, withStyle } from "./text-runs.ts";
import { createRunWrap, type RunLine, type RunWrap, wrapRuns } from "./wrap-runs.ts";

export interface MarkdownOptions {
  readonly paint: Paint;
  columns(): number;
  /** True: the terminal has links (OSC 8). Default: the address of a link is shown. */
  readonly hyperlinks?: boolean;
}

/**
 * The Markdown of one answer as lines for a terminal, while it streams. A line is returned once, as soon as it cannot
 * change, even in a paragraph that continues. The result does not depend on how the text was split.
 */
export interface MarkdownStream {
  /** The lines that this text completes. */
  push(text: string): readonly string[];
  /** The last lines of the incomplete part. They may still change. */
  open(maxLines?: number): readonly string[];
  /** Returns the remaining lines. The next text starts a new line; open code stays open. */
  end(): readonly string[];
}

/** Renders a complete text as lines. */
export function renderMarkdown(text: string, options: MarkdownOptions): readonly string[] {
  const stream = createMarkdownStream(options);
  return [...stream.push(text), ...stream.end()];
}

type TextKind = Extract<LineKind, { kind: "text" }>;

export function createMarkdownStream({ paint, columns, hyperlinks = false }: MarkdownOptions): MarkdownStream {
  const { isColoured } = paint;
  const style = { isColoured, hyperlinks: hyperlinks && isColoured };
  const clean = cleanText();
  /** The open code block. */
  let code: { readonly fence: string; readonly highlighter: CodeHighlighter } | undefined;
  let formula: { readonly end: string; source: string } | undefined;
  /** A held line that may be the first row of a table. */
  let row: string | undefined;
  let table: MarkdownTable | undefined;
  let isInList = false;
  /** Text of the current line that is not drawn yet. */
  let rest = "";
  /** The current line, when its kind is known. */
  let current: { readonly wrap: RunWrap; readonly isPlain: boolean; before: string } | undefined;

  function feed(text: string, isEnd: boolean): readonly RunLine[] {
    rest += text;
    if (current) return advance(isEnd);
    if (code) return codeText(isEnd);
    if (formula) return formulaText(formula, isEnd);
    if (table) return tableText(table, isEnd);
    if (row !== undefined) return secondRow(row, isEnd);
    return startLine(isEnd);
  }

  function startLine(isEnd: boolean): readonly RunLine[] {
    const kind = lineKind(rest, isEnd, { isColoured, isInList, mayBeRow: true });
    if (!kind) return [];
    if (kind.kind === "text") {
      startText(kind);
      return advance(isEnd);
    }
    if (kind.kind === "code" && !isEnd) {
      startPlain();
      return advance(isEnd);
    }
    const line = takeRest();
    if (kind.kind !== "fence" && kind.kind !== "row" && kind.kind !== "math") isInList = false;
    if (kind.kind === "row") row = line;
    else if (kind.kind === "math" && kind.body === undefined) formula = { end: kind.end, source: line };
    else if (kind.kind === "fence")
      code = { fence: kind.mark, highlighter: createCodeHighlighter(isColoured ? kind.language : "") };
    return row !== undefined || formula ? [] : drawn(kind, line);
  }

  /** A whole line of a kind that has no state. */
  function drawn(kind: LineKind, line: string): readonly RunLine[] {
    switch (kind.kind) {
      case "fence":
        return fenceLine(line);
      case "rule":
        return [[{ text: "─".repeat(Math.min(columns(), 40)), style: runStyles.dim }]];
      case "heading": {
        if (!isColoured) return wrapRuns(parseInline(line.trim(), true, style).runs, { columns });
        return wrapRuns(withStyle(parseInline(kind.words, true, style).runs, runStyles.bold), { columns });
      }
      case "math":
        return formulaLines(kind.body ?? line);
      case "code":
        return codeLine([{ text: line, style: 0 }], line);
      case "row":
        return drawn(paragraph, line);
      case "text":
        return wrapRuns(parseInline(line.slice(kind.start), true, style).runs, { columns, ...kind });
    }
  }

  function startText(kind: TextKind): void {
    const isIndented = rest.startsWith(" ");
    if (kind.isItem) isInList = true;
    else if (!isIndented && rest.trim() !== "") isInList = false;
    const wrap = createRunWrap({ columns, first: kind.first, hang: kind.hang });
    current = { wrap, isPlain: false, before: "" };
    rest = rest.slice(kind.start);
  }

  /** Code that is shown unformatted, without waiting for its end. */
  function startPlain(): void {
    current = { wrap: createRunWrap({ columns, hang: hangOf(rest, columns()) }), isPlain: true, before: "" };
  }

  function advance(isEnd: boolean): readonly RunLine[] {
    if (!current) return [];
    const { wrap, isPlain, before } = current;
    const { runs, length } = isPlain
      ? { runs: [{ text: rest, style: 0 }], length: rest.length }
      : parseInline(rest, isEnd, style, before);
    if (length > 0) current.before = rest[length - 1] ?? "";
    rest = rest.slice(length);
    const lines = wrap.add(runs);
    if (!isEnd) return lines;
    current = undefined;
    return [...lines, ...wrap.end()];
  }

  function codeText(isEnd: boolean): readonly RunLine[] {
    if (rest.length > maxCodeLine) {
      startPlain();
      return advance(isEnd);
    }
    if (!isEnd || !code) return [];
    const line = takeRest();
    if (isFenceEnd(line, code.fence)) {
      code = undefined;
      return fenceLine(line);
    }
    return codeLine(code.highlighter.line(line), line);
  }

  function fenceLine(line: string): readonly RunLine[] {
    return wrapRuns([{ text: line, style: runStyles.dim }], { columns });
  }

  function codeLine(runs: readonly TextRun[], line: string): readonly RunLine[] {
    return wrapRuns(runs, { columns, hang: hangOf(line, columns()) });
  }

  function formulaText(open: NonNullable<typeof formula>, isEnd: boolean): readonly RunLine[] {
    const isLong = open.source.length + rest.length > maxFormula;
    if (!isEnd && !isLong) return [];
    formula = undefined;
    // The text turned out not to be a formula.
    if (isLong) return [...open.source.split("\n").flatMap((line) => drawn(paragraph, line)), ...startLine(isEnd)];
    const line = takeRest();
    const close = line.indexOf(open.end);
    if (close < 0) {
      formula = { ...open, source: `${open.source}\n${line}` };
      return [];
    }
    const after = line.slice(close + open.end.length).trimStart();
    return [
      ...formulaLines(bodyOf(`${open.source}\n${line.slice(0, close)}`)),
      ...(after === "" ? [] : drawn(paragraph, after)),
    ];
  }

  function formulaLines(body: string): readonly RunLine[] {
    const lines = latexLines(body.trim()).map((line): RunLine => [{ text: `  ${line}`, style: 0 }]);
    return lines.flatMap((line) => wrapRuns(line, { columns, hang: [{ text: "    ", style: 0 }] }));
  }

  function secondRow(first: string, isEnd: boolean): readonly RunLine[] {
    const isPossible = rest.length <= maxDelimiters && /^[\s|:-]*$/u.test(rest);
    if (isPossible && !isEnd) return [];
    row = undefined;
    if (isPossible && isDelimiterRow(rest)) {
      table = createMarkdownTable(first, takeRest(), { ...style, columns });
      isInList = false;
      return [];
    }
    return [...finishRow(first), ...startLine(isEnd)];
  }

  /** The line was not the first row of a table. */
  function finishRow(line: string): readonly RunLine[] {
    const lines = rowText(line);
    if (!line.startsWith(" ")) isInList = false;
    return lines;
  }

  function rowText(line: string): readonly RunLine[] {
    return drawn(lineKind(line, true, { isColoured, isInList, mayBeRow: false }) ?? paragraph, line);
  }

  function tableText(open: MarkdownTable, isEnd: boolean): readonly RunLine[] {
    const isRow = rest.slice(0, maxRowStart).includes("|");
    if (isEnd && isRow) return open.add(takeRest());
    if (!isEnd && (isRow || rest.length <= maxRowStart)) return [];
    table = undefined;
    return [...open.end(), ...startLine(isEnd)];
  }

  function takeRest(): string {
    const line = rest;
    rest = "";
    return line;
  }

  /** The current line as if it ended here. */
  function preview(): readonly RunLine[] {
    if (current) {
      const runs = current.isPlain ? [] : parseInline(rest, true, style, current.before).runs;
      return current.wrap.open(runs);
    }
    if (rest === "") return [];
    if (code) return codeLine(code.highlighter.preview(rest), rest);
    if (formula || table || row !== undefined) return drawn(paragraph, rest);
    const kind = lineKind(rest, true, { isColoured, isInList, mayBeRow: false });
    return kind ? drawn(kind.kind === "math" && kind.body === undefined ? paragraph : kind, rest) : [];
  }

  const painted = (lines: readonly RunLine[]) => lines.map((line) => paintRuns(line, { paint, hyperlinks }));

  return {
    push(text) {
      const lines: RunLine[] = [];
      const pieces = clean.add(text).split("\n");
      for (const [index, piece] of pieces.entries()) {
        const isEnd = index < pieces.length - 1;
        if (isEnd || piece !== "") lines.push(...feed(piece, isEnd));
      }
      return painted(lines);
    },
    open(maxLines = Infinity) {
      const held = formula ? formulaLines(bodyOf(formula.source)) : row === undefined ? [] : rowText(row);
      const lines = [...(table?.open(maxLines) ?? held), ...preview()];
      return painted(lines.slice(-Math.min(lines.length, maxLines)));
    },
    end() {
      const lines: RunLine[] = [...(rest === "" && !current ? [] : feed("", true))];
      if (row !== undefined) lines.push(...finishRow(row));
      if (table) lines.push(...table.end());
      if (formula) lines.push(...formulaLines(bodyOf(formula.source)));
      [row, table, formula] = [undefined, undefined, undefined];
      return painted(lines);
    },
  };
}

/** The source of a formula without its first mark. */
function bodyOf(source: string): string {
  return source.trimStart().slice(2);
}

const paragraph: TextKind = { kind: "text", start: 0, first: [], hang: [], isItem: false };

function isFenceEnd(line: string, fence: string): boolean {
  const { mark = "" } = /^\s*(?<mark>`{3,}|~{3,})\s*$/u.exec(line)?.groups ?? {};
  return mark.startsWith(fence);
}

/** Continuation lines of wrapped code are indented below the start of the code. */
function hangOf(line: string, columns: number): RunLine {
  const indent = /^ */u.exec(line.slice(0, 200))?.[0].length ?? 0;
  return [{ text: " ".repeat(Math.min(indent + 4, Math.floor(columns / 2))), style: 0 }];
}

const maxCodeLine = 2_000;
const maxFormula = 4_000;
const maxDelimiters = 1_000;
const maxRowStart = 2_000;
