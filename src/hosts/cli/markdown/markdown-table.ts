import { type InlineStyle, parseInline } from "./inline-runs.ts";
import { runStyles, runsWidth, type TextRun, withStyle } from "./text-runs.ts";
import { longestWordOf, type RunLine, wrapRuns } from "./wrap-runs.ts";

/** A row of dashes below the names of the columns. */
export function isDelimiterRow(line: string): boolean {
  return /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/u.test(line) && line.includes("-") && line.includes("|");
}

/**
 * A table while it streams. The first rows decide about the widths of the columns, so a short table is drawn when it ends,
 * and a long one row by row.
 */
export interface MarkdownTable {
  /** The lines that this row completes. */
  add(row: string): readonly RunLine[];
  /** The last lines so far, which may still change. */
  open(maxLines: number): readonly RunLine[];
  end(): readonly RunLine[];
}

export interface TableOptions extends InlineStyle {
  columns(): number;
}

type Cells = readonly (readonly TextRun[])[];

/**
 * Aligned columns; columns that are too wide wrap between words. If not even words fit, each row becomes a list of its
 * cells.
 */
export function createMarkdownTable(names: string, delimiters: string, options: TableOptions): MarkdownTable {
  const alignments = cellsOf(delimiters).map((cell) =>
    cell.endsWith(":") ? (cell.startsWith(":") ? "center" : "right") : "left",
  );
  const count = Math.max(alignments.length, cellsOf(names).length);
  const widths = Array.from({ length: count }, () => 1);
  const minimums = Array.from({ length: count }, () => 1);
  const head = measured(names).map((cell) => withStyle(cell, options.isColoured ? runStyles.bold : 0));
  let rows: Cells[] = [];
  let rowNumber = 0;
  /** Set when the widths are decided: undefined columns mean a list of cells. */
  let decided: { readonly columns: readonly number[] | undefined } | undefined;

  function measured(row: string): Cells {
    const own = cellsOf(row);
    return Array.from({ length: count }, (_, index) => {
      const { runs } = parseInline(own[index] ?? "", true, options);
      widths[index] = Math.max(widths[index] ?? 1, runsWidth(runs));
      minimums[index] = Math.max(minimums[index] ?? 1, Math.min(maxWordColumns, longestWordOf(runs)));
      return runs;
    });
  }

  function headLines(columns: readonly number[] | undefined): readonly RunLine[] {
    if (!columns) return [];
    const rule = columns.map((width) => "─".repeat(width)).join("─┼─");
    return [...rowLines(head, columns, alignments), [{ text: rule, style: runStyles.dim }]];
  }

  function bodyLines(cells: Cells, number: number, columns: readonly number[] | undefined): readonly RunLine[] {
    return columns ? rowLines(cells, columns, alignments) : recordLines(head, cells, number, options);
  }

  const fitted = () => columnWidths(widths, minimums, options.columns() - 3 * (count - 1));

  function decide(): readonly RunLine[] {
    const columns = fitted();
    decided = { columns };
    const held = rows;
    rows = [];
    return [...headLines(columns), ...held.flatMap((cells) => bodyLines(cells, rowNumber++, columns))];
  }

  return {
    add(row) {
      if (decided) return bodyLines(measured(row), rowNumber++, decided.columns);
      rows.push(measured(row));
      return rows.length < maxHeldRows ? [] : decide();
    },
    open(maxLines) {
      if (decided) return [];
      const columns = fitted();
      const start = Math.max(0, rows.length - maxLines);
      const body = rows.slice(start).flatMap((cells, index) => bodyLines(cells, start + index, columns));
      return [...(start === 0 ? headLines(columns) : []), ...body];
    },
    end: () => (decided ? [] : decide()),
  };
}

/** Rows that decide about the widths. */
const maxHeldRows = 100;
/** Maximum width of a word; longer words are broken. */
const maxWordColumns = 24;

function rowLines(cells: Cells, widths: readonly number[], alignments: readonly string[]): readonly RunLine[] {
  const wrapped = cells.map((cell, index) => wrapRuns(cell, { columns: () => widths[index] ?? 1, minRoom: 1 }));
  const height = Math.max(1, ...wrapped.map((lines) => lines.length));
  return Array.from({ length: height }, (_, row) => {
    const line: TextRun[] = [];
    for (const [index, lines] of wrapped.entries()) {
      const own = lines[row] ?? [];
      const room = Math.max(0, (widths[index] ?? 1) - runsWidth(own));
      const align = alignments[index];
      const before = align === "right" ? room : align === "center" ? Math.floor(room / 2) : 0;
      if (index > 0) line.push({ text: " │ ", style: runStyles.dim });
      if (before > 0) line.push({ text: " ".repeat(before), style: 0 });
      line.push(...own);
      if (room > before) line.push({ text: " ".repeat(room - before), style: 0 });
    }
    while (line.at(-1)?.text.trim() === "") line.pop();
    return line;
  });
}

/** Undefined: the words do not fit side by side. */
function columnWidths(
  natural: readonly number[],
  minimums: readonly number[],
  room: number,
): readonly number[] | undefined {
  const widths = [...natural];
  let excess = widths.reduce((sum, width) => sum + width, 0) - room;
  while (excess > 0) {
    // Narrows the widest column to the width of the next one.
    const order = widths
      .map((width, index) => ({ width, index, spare: width - (minimums[index] ?? 0) }))
      .filter(({ spare }) => spare > 0)
      .toSorted((a, b) => b.width - a.width);
    const [widest, next] = order;
    if (!widest) return undefined;
    const step = Math.max(1, Math.min(excess, widest.spare, widest.width - (next?.width ?? 0)));
    widths[widest.index] = widest.width - step;
    excess -= step;
  }
  return widths;
}

function recordLines(
  head: Cells,
  cells: Cells,
  number: number,
  { columns, isColoured }: TableOptions,
): readonly RunLine[] {
  const lines = cells.flatMap((cell, index) => {
    const name = [...(head[index] ?? []), { text: ":", style: isColoured ? runStyles.bold : 0 }];
    return wrapRuns([...name, { text: " ", style: 0 }, ...cell], { columns, hang: [{ text: "  ", style: 0 }] });
  });
  return number > 0 ? [[], ...lines] : lines;
}

function cellsOf(row: string): readonly string[] {
  const inner = row
    .trim()
    .replace(/^\|/u, "")
    .replace(/(?<!\\)\|$/u, "");
  const cells = inner.match(/(?:\\\||`[^`]*`|[^|])+|(?<=\|)(?=\|)|^(?=\|)/gu) ?? [];
  return cells.map((cell) => cell.trim().replaceAll("\\|", "|"));
}
