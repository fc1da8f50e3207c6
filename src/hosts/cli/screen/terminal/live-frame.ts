import { textWidth } from "../../../../base/text/text-width.ts";
import type { Drawn, Space } from "../parts.ts";
import { changeOf, fittedRow } from "./row-change.ts";

/**
 * The rows at the bottom that the program owns. Finished lines are written above them, once. Moves relative to the
 * cursor, so that the absolute position does not matter.
 */
export interface LiveFrame {
  /** The bytes that turn the rows of the last call into these. Empty: nothing changed. */
  draw(finished: readonly string[], live: Drawn, space: Space): string;
  /** The bytes that remove the live rows; afterwards the cursor is at the start of an empty row. */
  clear(space: Space): string;
  /** The window shows something else: the next call draws everything, starting at the cursor. */
  forget(): void;
  /** The column of the cursor, from 0. */
  readonly cursorColumn: number;
}

export interface FrameOptions {
  /** The terminal shows a frame only when it is complete (DECSET 2026). */
  readonly isSynchronized: () => boolean;
  /** When the window becomes narrower, the terminal wraps rows instead of cutting them. */
  readonly reflows: () => boolean;
  /** The terminal also wraps the row of the cursor. */
  readonly reflowsCursorRow: () => boolean;
}

interface Shown {
  readonly rows: readonly string[];
  readonly row: number;
  readonly column: number;
  readonly isCursorVisible: boolean;
  readonly columns: number;
  readonly height: number;
}

const nothing: Shown = { rows: [], row: 0, column: 0, isCursorVisible: true, columns: 0, height: 0 };

export function createLiveFrame({ isSynchronized, reflows, reflowsCursorRow }: FrameOptions): LiveFrame {
  let shown = nothing;

  /** How many rows are above the cursor now, if the width of the window has changed. */
  function rowsAbove(columns: number): number {
    if (shown.columns <= columns || !reflows()) return shown.row;
    const above = shown.rows.slice(0, shown.row).map((row) => Math.max(1, Math.ceil(textWidth(row) / columns)));
    const own = reflowsCursorRow() ? Math.floor(shown.column / columns) : 0;
    return above.reduce((sum, height) => sum + height, own);
  }

  /** Moves to the first row and erases from there on. */
  function erase({ columns, rows }: Space): string {
    return `${up(Math.min(rowsAbove(columns), rows - 1))}\r${eraseBelow}`;
  }

  return {
    draw(finished, { lines, cursor }, space) {
      const { columns, rows: height } = space;
      const own = lines.length > height ? lines.slice(lines.length - height) : lines;
      const cut = lines.length - own.length;
      const target = [...finished, ...own].map((line) => fittedRow(line, columns));
      // A window that became lower may have dropped rows below the cursor.
      const isResized = (shown.columns !== columns || shown.height !== height) && shown !== nothing;
      let written = "";
      if (isResized) {
        written = erase(space);
        shown = { ...nothing, isCursorVisible: shown.isCursorVisible };
      }
      const cursorRow =
        finished.length + Math.max(0, Math.min((cursor?.row ?? own.length - 1 + cut) - cut, own.length - 1));
      const cursorColumn = Math.min(cursor?.column ?? 0, columns - 1);
      const body = rowChanges(shown, target, columns, height);
      const isVisible = cursor !== undefined;
      const isMoved = cursorRow !== body.row || cursorColumn !== body.column;
      const isToggled = isVisible !== shown.isCursorVisible;
      written += body.bytes;
      if (isMoved) written += `${moveRows(body.row, cursorRow)}${toColumn(cursorColumn)}`;
      if (isToggled) written += isVisible ? "\x1b[?25h" : "\x1b[?25l";
      shown = {
        rows: target.slice(finished.length),
        row: cursorRow - finished.length,
        column: cursorColumn,
        isCursorVisible: isVisible,
        columns,
        height,
      };
      if (written === "") return "";
      // A single changed row is drawn at once anyway.
      return isSynchronized() && (body.changedRows > 1 || isResized) ? `\x1b[?2026h${written}\x1b[?2026l` : written;
    },
    clear(space) {
      const written = shown === nothing ? "" : erase(space);
      const isHidden = !shown.isCursorVisible;
      shown = nothing;
      return isHidden ? `${written}\x1b[?25h` : written;
    },
    forget() {
      shown = nothing;
    },
    get cursorColumn() {
      return shown.column;
    },
  };
}

interface RowChanges {
  readonly bytes: string;
  /** The row of the cursor afterwards, in rows of the target. */
  readonly row: number;
  readonly column: number;
  readonly changedRows: number;
}

/**
 * Transforms the shown rows into the target. The terminal moves rows that only changed their position; they are not
 * written again.
 */
function rowChanges(shown: Shown, target: readonly string[], columns: number, height: number): RowChanges {
  const { rows } = shown;
  const shorter = Math.min(rows.length, target.length);
  let before = 0;
  while (before < shorter && rows[before] === target[before]) before++;
  let after = 0;
  while (after < shorter - before && rows[rows.length - 1 - after] === target[target.length - 1 - after]) after++;
  if (before === rows.length && before === target.length)
    return { bytes: "", row: shown.row, column: shown.column, changedRows: 0 };
  if (rows.length === 0 || target.length > height) return writeFrom(shown, before, target, columns);
  const added = target.length - rows.length;
  const oldEnd = rows.length - after;
  const newEnd = target.length - after;
  let bytes = "";
  let row = shown.row;
  let column = shown.column;
  if (added > 0 && after > 0) {
    // New rows at the bottom scroll the window if needed; the rows after the change then move down into them.
    bytes += `${moveRows(row, rows.length - 1)}${"\n".repeat(added)}\r${up(rows.length - 1 - oldEnd + added)}\x1b[${added}L`;
    row = oldEnd;
    column = 0;
  } else if (added > 0) {
    bytes += `${moveRows(row, rows.length - 1)}${"\n".repeat(added)}\r`;
    row = target.length - 1;
    column = 0;
  } else if (added < 0) {
    bytes += `${moveRows(row, newEnd)}\r\x1b[${-added}M`;
    row = newEnd;
    column = 0;
  }
  let changedRows = added === 0 ? 0 : 2;
  for (let index = before; index < newEnd; index++) {
    const old = index < oldEnd ? (rows[index] ?? "") : "";
    const change = changeOf(old, target[index] ?? "", columns);
    if (!change) continue;
    bytes += `${moveRows(row, index)}${toColumn(change.column)}${change.bytes}`;
    row = index;
    column = change.endColumn;
    changedRows++;
  }
  return { bytes, row, column, changedRows };
}

/** Writes all rows from a given one, after erasing everything below. */
function writeFrom(shown: Shown, from: number, target: readonly string[], columns: number): RowChanges {
  const isBelow = from >= shown.rows.length && from > 0;
  const start = isBelow ? `${moveRows(shown.row, from - 1)}\r\n` : `${moveRows(shown.row, from)}\r`;
  const rows = target.slice(from).map((row) => changeOf("", row, columns)?.bytes ?? "");
  return {
    bytes: `${start}${eraseBelow}${rows.join("\r\n")}`,
    row: target.length - 1,
    // Unknown after a full row.
    column: -1,
    changedRows: target.length - from + 1,
  };
}

/**
 * Erases the row and everything below, from the first column. Not in one step: at the first cell of the window tmux would
 * move the erased rows into its scrollback.
 */
const eraseBelow = "\x1b[K\x1b[C\x1b[J\r";

function up(rows: number): string {
  return rows <= 0 ? "" : `\x1b[${rows === 1 ? "" : rows}A`;
}

/**
 * A line feed instead of a move down: a window that became lower may have dropped the rows below the cursor, and at the
 * bottom only a line feed creates new ones. The column is not preserved.
 */
function moveRows(from: number, to: number): string {
  return to <= from ? up(from - to) : "\n".repeat(to - from);
}

function toColumn(column: number): string {
  return column === 0 ? "\r" : `\x1b[${column + 1}G`;
}
