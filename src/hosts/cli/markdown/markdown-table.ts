import { textWidth } from "../../../base/text/text-width.ts";
import type { Paint } from "../paint.ts";
import { paintInline } from "./inline-marks.ts";
import { longestWordWidth, padTo, wrapWords } from "./wrap-words.ts";

/** A row of dashes below the names of the columns. */
export function isDelimiterRow(line: string): boolean {
  return /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/u.test(line) && line.includes("-") && line.includes("|");
}

/** Aligned columns; too wide ones are wrapped between words. Where not even words fit, each row is a list of its cells. */
export function tableLines(rows: readonly string[], columns: number, paint: Paint): readonly string[] {
  const [names = "", delimiters = "", ...body] = rows;
  const alignments = cellsOf(delimiters).map((cell) =>
    cell.endsWith(":") ? (cell.startsWith(":") ? "center" : "right") : "left",
  );
  const count = Math.max(alignments.length, cellsOf(names).length);
  const cells = [names, ...body].map((row) => {
    const own = cellsOf(row).map((cell) => paintInline(cell, paint));
    return Array.from({ length: count }, (_, index) => own[index] ?? "");
  });
  const [head = [], ...rest] = cells;
  const widths = columnWidths(cells, count, columns - 3 * (count - 1));
  if (!widths) return recordLines(head, rest, columns, paint);
  const separator = paint.dim(" │ ");
  const rowLines = (row: readonly string[], style: (text: string) => string) => {
    const wrapped = row.map((cell, index) => wrapWords(cell, widths[index] ?? 1));
    const height = Math.max(1, ...wrapped.map((lines) => lines.length));
    return Array.from({ length: height }, (_, line) =>
      wrapped
        .map((lines, index) => style(padTo(lines[line] ?? "", widths[index] ?? 1, alignments[index])))
        .join(separator)
        .trimEnd(),
    );
  };
  const rule = paint.dim(widths.map((width) => "─".repeat(width)).join("─┼─"));
  return [...rowLines(head, paint.bold), rule, ...rest.flatMap((row) => rowLines(row, (text) => text))];
}

/** Undefined: the words do not fit beside each other. */
function columnWidths(
  cells: readonly (readonly string[])[],
  count: number,
  room: number,
): readonly number[] | undefined {
  const column = (index: number, measure: (cell: string) => number) =>
    Math.max(1, ...cells.map((row) => measure(row[index] ?? "")));
  const widths = Array.from({ length: count }, (_, index) => column(index, textWidth));
  const minimums = Array.from({ length: count }, (_, index) => column(index, longestWordWidth));
  let excess = widths.reduce((sum, width) => sum + width, 0) - room;
  for (; excess > 0; excess--) {
    const widest = widths.reduce((best, width, index) => {
      const spare = width - (minimums[index] ?? 0);
      return spare > 0 && (best < 0 || width > (widths[best] ?? 0)) ? index : best;
    }, -1);
    if (widest < 0) return undefined;
    widths[widest] = (widths[widest] ?? 1) - 1;
  }
  return widths;
}

function recordLines(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number,
  paint: Paint,
): readonly string[] {
  return rows.flatMap((row, number) => [
    ...(number > 0 ? [""] : []),
    ...row.flatMap((cell, index) => wrapWords(`${paint.bold(`${head[index] ?? ""}:`)} ${cell}`, columns, "  ")),
  ]);
}

function cellsOf(row: string): readonly string[] {
  const inner = row
    .trim()
    .replace(/^\|/u, "")
    .replace(/(?<!\\)\|$/u, "");
  const cells = inner.match(/(?:\\\||`[^`]*`|[^|])+|(?<=\|)(?=\|)|^(?=\|)/gu) ?? [];
  return cells.map((cell) => cell.trim().replaceAll("\\|", "|"));
}
