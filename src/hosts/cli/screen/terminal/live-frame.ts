import { textWidth } from "../../../../base/text/text-width.ts";
import type { Drawn, Space } from "../parts.ts";
import { createFrameJournal, type FrameJournal, type ShownFrame } from "./frame-journal.ts";
import { changeOf, fittedRow, withCaret } from "./row-change.ts";
import type { ReflowFacts } from "./window-rows.ts";

/**
 * The rows at the bottom that the program owns. Finished lines are written above them, once. Moves relative to the
 * cursor, so that the absolute position does not matter.
 */
export interface LiveFrame {
  /**
   * The bytes that turn the rows of the last call into these. Empty: nothing changed. `parks`: more frames follow soon,
   * so the cursor waits in a row where a resize cannot move it.
   */
  draw(finished: readonly string[], live: Drawn, space: Space, asksWidth?: boolean, parks?: boolean): DrawnFrame;
  /** The bytes that remove the live rows; afterwards the cursor is at the start of an empty row. */
  clear(space: Space): string;
  /** Called when the window shows something else: the next frame is drawn completely, starting at the cursor. */
  forget(): void;
  /** True if the next frame erases the rows of the last one, because the window has another size. */
  hasNewSize(space: Space): boolean;
  /** True: the cursor waits in the last row. */
  readonly isParked: boolean;
  /** The column of the cursor, from 0. */
  readonly cursorColumn: number;
  /** Frames whose width the terminal has not confirmed. */
  readonly journal: Omit<FrameJournal, "add" | "addAsking" | "restart">;
}

/** The bytes of a frame. `question` identifies the answer of the terminal if the bytes query the window width. */
export interface DrawnFrame {
  readonly bytes: string;
  readonly question?: number;
}

export interface FrameOptions extends ReflowFacts {
  /** True if the terminal shows a frame only when it is complete (DECSET 2026). */
  readonly isSynchronized: () => boolean;
}

const nothing: ShownFrame = { rows: [], row: 0, column: 0, isCursorVisible: true, columns: 0, height: 0 };

export function createLiveFrame(options: FrameOptions): LiveFrame {
  const { isSynchronized } = options;
  const journal = createFrameJournal(options);
  let shown = nothing;
  /**
   * Finished lines that wait until a frame for a new size has reached a window of that size. They are written a few at a
   * time: rows that the next resize damages must still be in the window, so that they can be repaired.
   */
  let held: readonly string[] = [];
  let isParked = false;

  /** Moves to the first row and erases from there on. Finished lines that are damaged are returned, to be written again. */
  function erase({ columns, rows }: Space) {
    journal.giveUp();
    const { lines: cutLines, rowsAbove } = journal.recover(columns, rows);
    shown = { ...nothing, isCursorVisible: shown.isCursorVisible };
    return { bytes: `${up(rowsAbove)}\r${eraseBelow}`, cutLines };
  }

  /** Compares the height too: when a window gets shorter, the terminal may drop rows below the cursor. */
  function hasNewSize({ columns, rows }: Space): boolean {
    return shown !== nothing && (journal.isCut || shown.columns !== columns || shown.height !== rows);
  }

  return {
    draw(given, { lines: rows, cursor }, space, asks = false, parks = asks) {
      const { columns, rows: height } = space;
      const own = rows.length > height ? rows.slice(rows.length - height) : rows;
      const cut = rows.length - own.length;
      const isResized = hasNewSize(space);
      const fitting = isResized ? 0 : held.length > 0 ? Math.ceil(height / 3) : Infinity;
      const lines = [...held, ...given].slice(0, asks ? fitting : Infinity);
      held = [...held, ...given].slice(lines.length);
      // Long runs of lines are written with automatic wrapping, because they cannot be rewritten if the window turns
      // out to be narrower.
      const isLong =
        lines.length > height / 3 || lines.some((line) => line.length > columns && textWidth(line) > columns);
      let written = "";
      let long: readonly string[] = [];
      if (isResized || isLong) {
        const { bytes, cutLines } = erase(space);
        long = isLong ? [...cutLines, ...lines.map((line) => fittedRow(line, Infinity))] : cutLines;
        written = `${bytes}${wrapping(long)}`;
      }
      const finished = isLong ? [] : lines;
      const target = [...finished, ...own].map((line) => fittedRow(line, columns));
      // A hidden cursor is in the first row: a lower window drops the rows below it instead of moving the rows above it
      // to the scrollback.
      const hiddenRow = options.driftsDown() ? own.length - 1 : 0;
      const row = cursor ? cursor.row - cut : hiddenRow;
      const caretRow = finished.length + Math.max(0, Math.min(row, own.length - 1));
      const caretColumn = Math.min(cursor?.column ?? 0, columns - 1);
      // Keeps the terminal's cursor in the last row and draws a caret instead, because a cursor without rows below it
      // cannot drift.
      isParked = parks && options.driftsDown() && own.length > 0;
      if (isParked && cursor) target[caretRow] = withCaret(target[caretRow] ?? "", caretColumn);
      const cursorRow = isParked ? target.length - 1 : caretRow;
      const cursorColumn = isParked ? 0 : caretColumn;
      const body = rowChanges(shown, target, columns, height);
      const isVisible = cursor !== undefined && !isParked;
      const isMoved = cursorRow !== body.row || cursorColumn !== body.column;
      const isToggled = isVisible !== shown.isCursorVisible;
      const isAsking = asks && (written !== "" || body.bytes !== "" || isMoved);
      written += body.bytes;
      if (isMoved || isAsking)
        written += `${moveRows(body.row, cursorRow)}${isAsking ? askWidth : ""}${toColumn(cursorColumn)}`;
      if (isToggled) written += isVisible ? "\x1b[?25h" : "\x1b[?25l";
      shown = {
        rows: target.slice(finished.length),
        row: cursorRow - finished.length,
        column: cursorColumn,
        isCursorVisible: isVisible,
        columns,
        height,
      };
      // Rows that are finished as they were drawn need no bytes, but a resize must not erase them.
      if (written === "" && finished.length === 0) return { bytes: "" };
      const sent = { frame: shown, lines: [...long, ...target.slice(0, finished.length)], bytes: written };
      const question = isAsking ? journal.addAsking(sent) : journal.add(sent);
      // A single changed row needs no synchronized update.
      const isWhole = isSynchronized() && (body.changedRows > 1 || isResized || isLong);
      return {
        bytes: isWhole ? `\x1b[?2026h${written}\x1b[?2026l` : written,
        ...(question !== undefined && { question }),
      };
    },
    clear(space) {
      const isHidden = !shown.isCursorVisible;
      const { bytes, cutLines } = shown === nothing ? { bytes: "", cutLines: [] } : erase(space);
      const written = `${bytes}${wrapping([...cutLines, ...held.map((line) => fittedRow(line, Infinity))])}`;
      held = [];
      shown = nothing;
      journal.restart();
      return isHidden ? `${written}\x1b[?25h` : written;
    },
    forget() {
      shown = nothing;
      journal.restart();
    },
    hasNewSize,
    get isParked() {
      return isParked;
    },
    get cursorColumn() {
      return shown.column;
    },
    journal,
  };
}

/** Writes lines that the terminal itself wraps at its current width. */
function wrapping(lines: readonly string[]): string {
  if (lines.length === 0) return "";
  const rows = lines.map((line) => `${changeOf("", line, 0)?.bytes ?? ""}\r\n`);
  return `\x1b[?7h${rows.join("")}\x1b[?7l`;
}

/** Moves to the last column and asks for the position: the answer has the width of the window. */
const askWidth = "\x1b[999G\x1b[6n";

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
function rowChanges(shown: ShownFrame, target: readonly string[], columns: number, height: number): RowChanges {
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
function writeFrom(shown: ShownFrame, from: number, target: readonly string[], columns: number): RowChanges {
  const isBelow = from >= shown.rows.length && from > 0;
  const start = isBelow ? `${moveRows(shown.row, from - 1)}\r\n` : `${moveRows(shown.row, from)}\r`;
  const rows = target.slice(from).map((row) => changeOf("", row, columns)?.bytes ?? "");
  return {
    bytes: `${start}${eraseBelow}${rows.join("\r\n")}`,
    row: target.length - 1,
    // The column of the cursor; unknown after a full row.
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
