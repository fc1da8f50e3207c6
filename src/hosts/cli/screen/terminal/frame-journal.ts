import { createWindowRows, plainLine, type ReflowFacts, type WindowRows } from "./window-rows.ts";

/** The live rows after a frame, and the cursor in them. */
export interface ShownFrame {
  readonly rows: readonly string[];
  readonly row: number;
  readonly column: number;
  readonly isCursorVisible: boolean;
  readonly columns: number;
  readonly height: number;
}

/** A frame, the finished lines that it writes, and its bytes. */
export interface SentFrame {
  readonly frame: ShownFrame;
  readonly lines: readonly string[];
  readonly bytes: string;
}

/**
 * A terminal changes its size before the program is notified, so a frame may arrive in a window of another width than
 * the one it was drawn for, and change other rows than it should. Each frame can query the width of the window that it
 * reached. The journal keeps the bytes of the frames since the last one that arrived at the right width. With the
 * answers it computes the rows that the terminal shows, so that wrong ones can be written again.
 */
export interface FrameJournal {
  add(sent: SentFrame): void;
  /** Adds a frame that queries the width of the window. The returned number identifies the answer. */
  addAsking(sent: SentFrame): number;
  answered(question: number, columns: number): void;
  /** Reports the current row of the cursor in the window, starting at 0. */
  located(row: number): void;
  /** Called when the terminal does not answer: all frames count as shown at the right width. */
  giveUp(): void;
  readonly isWaiting: boolean;
  /** True if a frame arrived in a window of another width. */
  readonly isCut: boolean;
  /** Returns where the rows that must be written again start, and their finished lines. The next frame erases them. */
  recover(columns: number, height: number): Recovery;
  /** Forgets all frames; the next one starts at the cursor. */
  restart(): void;
}

export interface Recovery {
  /** Rows between the cursor and the first row to erase. */
  readonly rowsAbove: number;
  /** Finished lines that are not complete above that row. */
  readonly lines: readonly string[];
}

interface Entry extends SentFrame {
  readonly question?: number;
  /** The width of the window that the frame reached. */
  reachedColumns?: number;
}

const start: ShownFrame = { rows: [], row: 0, column: 0, isCursorVisible: true, columns: 0, height: 0 };

/** Maximum number of frames to keep, and of finished lines above them. */
const maxEntries = 200;
const maxLinesAbove = 200;

export function createFrameJournal(facts: ReflowFacts): FrameJournal {
  /** The last frame that certainly arrived at the right width. */
  let settled = start;
  /** The rows before the first entry, if they differ from `linesAbove` and `settled`. */
  let window: WindowRows | undefined;
  let entries: Entry[] = [];
  /** The last finished lines before the first entry. A frame that reaches a wider window may erase some of them. */
  let linesAbove: string[] = [];
  let isCut = false;
  let questions = 0;
  let cursorRow: number | undefined;

  /** The rows that the terminal shows now. */
  function replayed(columns: number): WindowRows {
    const first = settled.columns || entries[0]?.reachedColumns || columns;
    const rows = window ?? createWindowRows({ ...settled, columns: first, lines: linesAbove }, facts);
    for (const { frame, reachedColumns = frame.columns, bytes } of entries) {
      rows.resize(reachedColumns);
      rows.write(bytes);
    }
    rows.resize(columns);
    return rows;
  }

  function settle(count: number): void {
    const last = entries[count - 1];
    if (!last) return;
    settled = last.frame;
    window = undefined;
    linesAbove = [...linesAbove, ...entries.slice(0, count).flatMap(({ lines }) => lines)].slice(-maxLinesAbove);
    entries = entries.slice(count);
  }

  return {
    add(sent) {
      const isSettled = entries.length === 0;
      entries.push(sent);
      if (isSettled || entries.length > maxEntries) settle(entries.length);
    },
    addAsking(sent) {
      const question = ++questions;
      entries.push({ ...sent, question });
      return question;
    },
    answered(question, columns) {
      const index = entries.findIndex((entry) => entry.question === question);
      const entry = entries[index];
      if (!entry) return;
      entry.reachedColumns = columns;
      if (columns !== entry.frame.columns) isCut = true;
      else if (!isCut) settle(index + 1);
    },
    located(row) {
      cursorRow = row;
    },
    giveUp() {
      if (!isCut) settle(entries.length);
    },
    get isWaiting() {
      return entries.some(({ question, reachedColumns }) => question !== undefined && reachedColumns === undefined);
    },
    get isCut() {
      return isCut;
    },
    recover(columns, height) {
      const isUnchanged = settled.columns === columns && settled.height === height;
      if (isUnchanged && !window && entries.length === 0) return { rowsAbove: settled.row, lines: [] };
      window = replayed(columns);
      const expected = [...linesAbove, ...entries.flatMap(({ lines }) => lines)];
      // Rows that have scrolled out of the window cannot be written again.
      const top = window.cursorRow - Math.min(cursorRow ?? Infinity, height - 1);
      let complete = 0;
      let first = 0;
      for (const { text, row, rows } of window.lines()) {
        const next = expected[complete];
        const isComplete = next !== undefined && text === plainLine(next) && row <= window.cursorRow;
        if (!isComplete && row + rows > top) break;
        first = row + rows;
        if (isComplete) complete++;
      }
      linesAbove = expected.slice(0, complete);
      entries = [];
      isCut = false;
      cursorRow = undefined;
      return { rowsAbove: Math.max(0, window.cursorRow - Math.max(first, top)), lines: expected.slice(complete) };
    },
    restart() {
      settled = start;
      window = undefined;
      linesAbove = [];
      entries = [];
      isCut = false;
      cursorRow = undefined;
    },
  };
}
