import { graphemes, graphemeWidth } from "../../../../base/text/graphemes.ts";
import { escapeInvisible } from "../../escape-invisible.ts";

/** A row of a wrapped draft: the characters between two offsets. */
export interface DraftRow {
  /** The start of its line. Offsets of cells are relative to it. */
  readonly start: number;
  readonly from: number;
  readonly to: number;
  readonly cells: readonly DraftCell[];
  /** True for the last row of a line, where the cursor can be after the last character. */
  readonly endsLine: boolean;
}

/** One character as it is shown. */
export interface DraftCell {
  readonly offset: number;
  readonly shown: string;
  readonly width: number;
  readonly isLabel: boolean;
}

export interface DraftLayout {
  readonly rows: readonly DraftRow[];
}

/** The label of a character that represents a folded part. */
export type LabelOf = (char: string) => string | undefined;

const tabColumns = 4;
const maxLabelColumns = 60;

/** Wraps between words. Lines that did not change are not measured again. */
export function createDraftLayout(labelOf: LabelOf) {
  let measured = new Map<string, readonly DraftRow[]>();
  let measuredWidth = 0;

  function rowsOf(line: string, width: number): readonly DraftRow[] {
    const rows: DraftRow[] = [];
    let cells: DraftCell[] = [];
    let offset = 0;
    let from = 0;
    let column = 0;
    /** The index after the last space of the row. */
    let breakAt = 0;
    const endRow = (index: number) => {
      const rest = cells.slice(index);
      const end = rest[0]?.offset ?? offset;
      rows.push({ start: 0, from, to: end, cells: cells.slice(0, index), endsLine: false });
      from = end;
      cells = rest;
      column = rest.reduce((sum, cell) => sum + cell.width, 0);
      breakAt = 0;
    };
    for (const grapheme of graphemes(line)) {
      const cell = cellOf(grapheme, offset, column, width, labelOf);
      if (column + cell.width > width && cells.length > 0) endRow(breakAt > 0 ? breakAt : cells.length);
      // Breaks a word that was moved to this row but is still too long for it.
      if (column + cell.width > width && cells.length > 0) endRow(cells.length);
      cells.push(cell);
      column += cell.width;
      offset += grapheme.length;
      if (grapheme === " " || grapheme === "\t") breakAt = cells.length;
    }
    rows.push({ start: 0, from, to: offset, cells, endsLine: true });
    return rows;
  }

  return (text: string, width: number): DraftLayout => {
    const columns = Math.max(2, width);
    if (columns !== measuredWidth) measured = new Map();
    measuredWidth = columns;
    const used = new Map<string, readonly DraftRow[]>();
    const rows: DraftRow[] = [];
    let start = 0;
    for (const line of text.split("\n")) {
      const own = measured.get(line) ?? rowsOf(line, columns);
      used.set(line, own);
      for (const row of own) rows.push({ ...row, start, from: row.from + start, to: row.to + start });
      start += line.length + 1;
    }
    measured = used;
    return { rows };
  };
}

/** The row and column of an offset. An offset between two rows of a line belongs to the second. */
export function cursorPlace({ rows }: DraftLayout, offset: number): { readonly row: number; readonly column: number } {
  let row = rows.findIndex(({ from, to, endsLine }) => offset >= from && (offset < to || (endsLine && offset === to)));
  if (row < 0) row = rows.length - 1;
  let column = 0;
  const target = rows[row];
  for (const cell of target?.cells ?? []) {
    if (cell.offset + (target?.start ?? 0) >= offset) break;
    column += cell.width;
  }
  return { row, column };
}

/** The offset that is nearest to a column of a row. */
export function offsetAt({ rows }: DraftLayout, row: number, column: number): number {
  const target = rows[row];
  if (!target) return 0;
  let reached = 0;
  for (const cell of target.cells) {
    if (reached + cell.width > column) return cell.offset + target.start;
    reached += cell.width;
  }
  // The end of a wrapped row is the start of the next one.
  const last = target.cells.at(-1);
  return target.endsLine || !last ? target.to : target.start + last.offset;
}

function cellOf(grapheme: string, offset: number, column: number, width: number, labelOf: LabelOf): DraftCell {
  const label = labelOf(grapheme);
  if (label !== undefined) {
    const shown =
      label.length > width ? `${label.slice(0, Math.max(1, Math.min(width, maxLabelColumns) - 1))}…` : label;
    return { offset, shown, width: shown.length, isLabel: true };
  }
  if (grapheme === "\t") {
    const columns = Math.min(tabColumns - (column % tabColumns), width);
    return { offset, shown: " ".repeat(columns), width: columns, isLabel: false };
  }
  const own = graphemeWidth(grapheme);
  if (own > 0 && !/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(grapheme))
    return { offset, shown: grapheme, width: own, isLabel: false };
  // Invisible characters and those that change the direction of the line are shown by their codes.
  const escaped = escapeInvisible(grapheme);
  if (escaped === grapheme) return { offset, shown: `◌${grapheme}`, width: 1, isLabel: false };
  const shown = escaped.slice(0, width);
  return { offset, shown, width: shown.length, isLabel: false };
}
