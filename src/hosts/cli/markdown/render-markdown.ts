import type { Paint } from "../paint.ts";
import { type CodePainter, createCodePainter } from "./highlight-code.ts";
import { paintInline } from "./inline-marks.ts";
import { isDelimiterRow, tableLines } from "./markdown-table.ts";
import { wrapWords } from "./wrap-words.ts";

export interface MarkdownOptions {
  readonly paint: Paint;
  columns(): number;
}

/** The Markdown of one answer as lines for a terminal, while it streams. Pure: the same text gives the same lines. */
export interface MarkdownStream {
  /** The lines that this text completes. */
  push(text: string): readonly string[];
  /** The lines of what is not complete yet: a line without its end, a table that may go on. They may still change. */
  open(): readonly string[];
  /** The rest. The next text begins a line; open code stays open. */
  end(): readonly string[];
}

/** A whole text as lines. */
export function renderMarkdown(text: string, options: MarkdownOptions): readonly string[] {
  const stream = createMarkdownStream(options);
  return [...stream.push(text), ...stream.end()];
}

export function createMarkdownStream({ paint, columns }: MarkdownOptions): MarkdownStream {
  /** The end marker of the open code block. */
  let fence = "";
  let code: CodePainter | undefined;
  /** Rows of a table, or one line that may be its first. */
  let rows: string[] = [];
  let partial = "";

  const isTable = () => isDelimiterRow(rows[1] ?? "");

  function endTable(): readonly string[] {
    const held = rows;
    const isWhole = isTable();
    rows = [];
    return isWhole ? tableLines(held, columns(), paint) : held.flatMap(textLine);
  }

  function take(line: string): readonly string[] {
    const mark = /^ {0,3}(?<mark>`{3,}|~{3,})(?<name>[^`]*)$/u.exec(line)?.groups;
    if (fence !== "") {
      const isEnd = mark?.["mark"]?.startsWith(fence) === true && mark["name"]?.trim() === "";
      if (!isEnd) return codeLine(line);
      fence = "";
      return [paint.dim(line)];
    }
    if (mark) {
      const before = endTable();
      fence = mark["mark"] ?? "";
      code = createCodePainter(/[\w+#-]+/u.exec(mark["name"] ?? "")?.[0] ?? "", paint);
      return [...before, paint.dim(line)];
    }
    const goesOn = rows.length === 0 || isTable() || isDelimiterRow(line);
    if (line.includes("|") && goesOn) {
      rows.push(line);
      return [];
    }
    const before = endTable();
    if (!line.includes("|")) return [...before, ...textLine(line)];
    rows.push(line);
    return before;
  }

  function codeLine(line: string): readonly string[] {
    const indent = /^\s*/u.exec(line)?.[0] ?? "";
    const shown = (code?.line(line) ?? line).replaceAll("\t", "    ");
    return wrapWords(shown, columns(), " ".repeat(Math.min(indent.length + 4, Math.floor(columns() / 2))));
  }

  function textLine(line: string): readonly string[] {
    // Code by its indentation stays as it is.
    if (/^(?: {4}|\t)\s*\S/u.test(line) && !/^\s+(?:[-*+>]|\d+[.)]) /u.test(line)) return codeLine(line);
    if (/^ {0,3}(?:-{3,}|\*{3,}|_{3,})\s*$/u.test(line)) return [paint.dim("─".repeat(Math.min(columns(), 40)))];
    const heading = /^ {0,3}#{1,6} +(?<words>.*?)(?: +#+)? *$/u.exec(line)?.groups?.["words"];
    if (heading !== undefined && paint.isColoured)
      return wrapWords(paintInline(heading, paint).replaceAll(/[^ ]+/gu, paint.bold), columns());
    const {
      indent = "",
      sign = "",
      words = line,
    } = /^(?<indent>\s*)(?<sign>[-*+]|>|\d{1,3}[.)]) +(?<words>\S.*)$/u.exec(line)?.groups ?? {};
    if (sign === "") return wrapWords(paintInline(line, paint), columns(), /^ */u.exec(line)?.[0]);
    const shown = !paint.isColoured || /^\d/u.test(sign) ? sign : paint.dim(sign === ">" ? "│" : "•");
    const margin = indent.replaceAll("\t", "    ");
    const below = sign === ">" ? `${margin}${shown} ` : " ".repeat(margin.length + sign.length + 1);
    const box = words.replace(/^\[(?<state>[ xX])\] /u, (_, state: string) => (state === " " ? "☐ " : "☑ "));
    return wrapWords(`${margin}${shown} ${paintInline(box, paint)}`, columns(), below);
  }

  return {
    push(text) {
      const lines = (partial + text).split("\n");
      partial = lines.pop() ?? "";
      return lines.flatMap(take);
    },
    open() {
      const table = isTable() ? tableLines(rows, columns(), paint) : rows.flatMap(textLine);
      if (partial === "") return table;
      return [...table, ...(fence === "" ? textLine(partial) : wrapWords(partial, columns()))];
    },
    end() {
      const rest = partial;
      partial = "";
      return [...(rest === "" ? [] : take(rest)), ...endTable()];
    },
  };
}
