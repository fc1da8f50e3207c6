import { textWidth } from "../../../../base/text/text-width.ts";

/** The live rows after a frame, and the cursor in them. */
export interface ShownFrame {
  readonly rows: readonly string[];
  readonly row: number;
  readonly column: number;
  readonly isCursorVisible: boolean;
  readonly columns: number;
  readonly height: number;
}

export interface ReflowFacts {
  /** True if the terminal wraps rows instead of cutting them when the window becomes narrower. */
  readonly reflows: () => boolean;
  /** True if the terminal also wraps the row of the cursor. */
  readonly reflowsCursorRow: () => boolean;
}

/**
 * A terminal changes its size before the program is notified, so a frame may arrive in a window that is narrower than
 * the one it was drawn for. Each frame can query the width of the window in which it was shown. The journal keeps the
 * frames since the last one that was shown at the right width, so that their rows can be located and written again.
 */
export interface FrameJournal {
  add(frame: ShownFrame, lines: WrittenLines): void;
  /** Adds a frame that queries the width of the window. The returned number identifies the answer. */
  addAsking(frame: ShownFrame, lines: WrittenLines): number;
  answered(question: number, columns: number): void;
  /** Reports the current row of the cursor in the window, starting at 0. */
  located(row: number): void;
  /** Called when the terminal does not answer: all frames count as shown at the right width. */
  giveUp(): void;
  readonly isWaiting: boolean;
  /** True if a frame was shown in a window that was too narrow. */
  readonly isCut: boolean;
  /** Returns where the rows that can be rewritten start, and their finished lines. */
  recover(columns: number, height: number): Recovery;
  /** Forgets all frames; the next one starts at the cursor. */
  restart(): void;
}

export interface Recovery {
  /** Rows between the cursor and the first row that can be written again. */
  readonly rowsAbove: number;
  /** Finished lines from that row on. */
  readonly lines: readonly string[];
}

/** Lines that a frame has finished. */
export interface WrittenLines {
  /** Long lines, which are written first, with automatic wrapping. */
  readonly long: readonly string[];
  readonly finished: readonly string[];
}

interface Entry extends WrittenLines {
  readonly frame: ShownFrame;
  readonly question?: number;
  /** The width of the window in which the frame was shown. */
  reachedColumns?: number;
}

/** The height of a row that was cut at one width, in a window of another width. */
function wrappedRows(text: string, cutAt: number, columns: number): number {
  return Math.max(1, Math.ceil(Math.min(textWidth(text), cutAt) / columns));
}

const start: ShownFrame = { rows: [], row: 0, column: 0, isCursorVisible: true, columns: 0, height: 0 };

/** Maximum number of frames to keep. */
const maxEntries = 200;

export function createFrameJournal(facts: ReflowFacts): FrameJournal {
  let settled = start;
  let entries: Entry[] = [];
  let isCut = false;
  let questions = 0;
  let cursorRow: number | undefined;

  /** Rows that a narrower window adds above the cursor of a frame, because it wraps the frame's rows. */
  function addedRows({ rows, row, column }: ShownFrame, from: number, to: number): number {
    if (from <= to || !facts.reflows()) return 0;
    const own = facts.reflowsCursorRow() ? Math.floor(Math.min(column, from - 1) / to) : 0;
    return rows.slice(0, row).reduce((sum, text) => sum + wrappedRows(text, from, to) - 1, own);
  }

  function recover(columns: number, height: number): Recovery {
    const last = entries.at(-1);
    if (!last) {
      const above = settled.row + addedRows(settled, settled.columns, columns);
      return { rowsAbove: Math.min(above, height - 1), lines: [] };
    }
    const widths = entries.map(({ frame, reachedColumns = frame.columns }) => reachedColumns);
    // A later resize wraps the rows that an earlier one has cut.
    const cutRows = (text: string, from = columns) =>
      columns < from && facts.reflows() ? wrappedRows(text, from, columns) : 1;
    const lines = entries.flatMap(({ long, finished }, index) => [
      ...long.map((text) => ({ text, rows: wrappedRows(text, Infinity, Math.min(columns, widths[index] ?? columns)) })),
      ...finished.map((text) => ({ text, rows: cutRows(text, widths[index]) })),
    ]);
    const live = last.frame.rows.slice(0, last.frame.row).map((text) => cutRows(text, widths.at(-1)));
    // Each frame overwrites only as many rows as it knows of. A wider window may join the others again, so only those
    // count that the widest later window wraps too: fewer rows are erased rather than too many.
    let extra = 0;
    let widest = columns;
    for (let index = entries.length - 1; index >= 0; index--) {
      widest = Math.max(widest, widths[index] ?? columns);
      const before = entries[index - 1]?.frame ?? settled;
      extra += addedRows(before, widths[index - 1] ?? settled.columns, widest);
    }
    const above = [...live, ...lines.map(({ rows }) => rows)].reduce((sum, rows) => sum + rows, extra);
    // Lines that have scrolled out of the window cannot be rewritten.
    const reach = Math.min(cursorRow ?? Infinity, height - 1);
    let lost = Math.max(0, above - reach - extra);
    let first = 0;
    for (; lost > 0 && first < lines.length; first++) lost -= lines[first]?.rows ?? 0;
    return {
      rowsAbove: Math.min(above, reach + Math.min(0, lost)),
      lines: lines.slice(first).map(({ text }) => text),
    };
  }

  function settle(count: number): void {
    const last = entries[count - 1];
    if (!last) return;
    settled = last.frame;
    entries = entries.slice(count);
  }

  return {
    add(frame, lines) {
      const isSettled = entries.length === 0;
      entries.push({ frame, ...lines });
      if (isSettled || entries.length > maxEntries) settle(entries.length);
    },
    addAsking(frame, lines) {
      const question = ++questions;
      entries.push({ frame, ...lines, question });
      return question;
    },
    answered(question, columns) {
      const index = entries.findIndex((entry) => entry.question === question);
      const entry = entries[index];
      if (!entry) return;
      entry.reachedColumns = columns;
      if (columns < entry.frame.columns) isCut = true;
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
    recover,
    restart() {
      settled = start;
      entries = [];
      isCut = false;
      cursorRow = undefined;
    },
  };
}
