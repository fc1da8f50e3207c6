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
  /** Forgets all frames; the next one starts at the cursor. `linesAbove`: lines of the forgotten frames above it. */
  restart(linesAbove?: readonly string[]): void;
}

export interface Recovery extends ErasedRows {
  /** Finished lines from the first erased row on. */
  readonly lines: readonly string[];
  /** Finished lines above that row. */
  readonly linesAbove: readonly string[];
}

/** Rows that a frame erases before it writes its own. */
export interface ErasedRows {
  /** Rows between the cursor and the first row that can be written again. */
  readonly rowsAbove: number;
  /** The number of these rows in a window of another width, which the frame may reach. */
  rowsAboveIn(columns: number): number;
}

/** Lines that a frame has finished. */
export interface WrittenLines {
  /** Long lines, which are written first, with automatic wrapping. */
  readonly long: readonly string[];
  readonly finished: readonly string[];
  readonly erased?: ErasedRows;
}

interface Entry extends WrittenLines {
  readonly frame: ShownFrame;
  readonly question?: number;
  /** The width of the window in which the frame was shown. */
  reachedColumns?: number;
  /** Lines above the frame that it erased too, because the window was wider. */
  hitLines?: readonly HitLine[];
  /** The rows of earlier frames above this one that it did not erase, because the window was narrower. */
  leftRows?: number;
}

interface HitLine {
  readonly text: string;
  /** The width of its first part, which is still in the window. */
  readonly cutAt: number;
}

interface RegionLine {
  readonly text: string;
  readonly rows: number;
}

interface Region {
  /** The rows of the live area above the cursor. */
  readonly live: number;
  /** Rows above the lines, which earlier frames left. */
  readonly extra: number;
  readonly lines: readonly RegionLine[];
}

function sum(counts: readonly { readonly rows: number }[]): number {
  return counts.reduce((total, { rows }) => total + rows, 0);
}

/** The height of a row that was cut at one width, in a window of another width. */
function wrappedRows(text: string, cutAt: number, columns: number): number {
  return Math.max(1, Math.ceil(Math.min(textWidth(text), cutAt) / columns));
}

/** The lowest number of rows that rows of one width can have in a window of another width, which may join them. */
function joinedRows(rows: number, width: number, columns: number): number {
  return rows === 0 || columns <= width ? rows : Math.ceil(((rows - 1) * width + 1) / columns);
}

const start: ShownFrame = { rows: [], row: 0, column: 0, isCursorVisible: true, columns: 0, height: 0 };

/** Maximum number of frames to keep, and of settled lines above them. */
const maxEntries = 200;
const maxLinesAbove = 200;

export function createFrameJournal(facts: ReflowFacts): FrameJournal {
  let settled = start;
  let entries: Entry[] = [];
  /** The last finished lines above the frames. A frame that reaches a wider window may erase some of them. */
  let linesAbove: string[] = [];
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
    const state = { settled, entries };
    const { live, extra, lines } = region(columns, state);
    const above = sum(lines) + live + extra;
    // Lines that have scrolled out of the window cannot be rewritten.
    const reach = Math.min(cursorRow ?? Infinity, height - 1);
    let lost = Math.max(0, above - reach - extra);
    let first = 0;
    for (; lost > 0 && first < lines.length; first++) lost -= lines[first]?.rows ?? 0;
    const rowsAbove = Math.min(above, reach + Math.min(0, lost));
    const withoutLost = (of: Region) => sum(of.lines.slice(first)) + of.live + (first > 0 ? 0 : of.extra);
    const outside = withoutLost({ live, extra, lines }) - rowsAbove;
    // An erased line has no rows and must be written again in any case.
    const isRewritten = ({ rows }: RegionLine, index: number) => index >= first || rows === 0;
    return {
      rowsAbove,
      rowsAboveIn: (width) => withoutLost(region(width, state)) - outside,
      lines: lines.filter(isRewritten).map(({ text }) => text),
      linesAbove: lines.filter((line, index) => !isRewritten(line, index)).map(({ text }) => text),
    };
  }

  /** The rows from the first one that the journal knows of to the cursor, in a window of this width. */
  function region(
    columns: number,
    state: { readonly settled: ShownFrame; readonly entries: readonly Entry[] },
  ): Region {
    const { settled, entries } = state;
    const last = entries.at(-1);
    if (!last) return { live: settled.row + addedRows(settled, settled.columns, columns), extra: 0, lines: [] };
    const widths = entries.map(({ frame, reachedColumns = frame.columns }) => reachedColumns);
    // A later resize wraps the rows that an earlier one has cut.
    const cutRows = (text: string, from = columns) =>
      columns < from && facts.reflows() ? wrappedRows(text, from, columns) : 1;
    const wrapsAt = (width = columns) => (facts.reflows() ? columns : Math.min(columns, width));
    const lines = entries.flatMap(({ hitLines = [], long, finished }, index) => [
      ...hitLines.map(({ text, cutAt }) => ({ text, rows: cutAt === 0 ? 0 : wrappedRows(text, cutAt, columns) })),
      ...long.map((text) => ({ text, rows: wrappedRows(text, Infinity, wrapsAt(widths[index])) })),
      ...finished.map((text) => ({ text, rows: cutRows(text, widths[index]) })),
    ]);
    const live = last.frame.rows.slice(0, last.frame.row).map((text) => ({ rows: cutRows(text, widths.at(-1)) }));
    // Each frame overwrites only as many rows as it knows of. A wider window may join the others again, so only those
    // count that the widest later window wraps too: fewer rows are erased rather than too many.
    let extra = 0;
    let widest = columns;
    for (let index = entries.length - 1; index >= 0; index--) {
      const width = widths[index] ?? columns;
      widest = Math.max(widest, width);
      const before = entries[index - 1]?.frame ?? settled;
      extra += addedRows(before, widths[index - 1] ?? settled.columns, widest);
      extra += joinedRows(entries[index]?.leftRows ?? 0, width, columns);
    }
    return { live: sum(live), extra, lines };
  }

  /**
   * Returns whether a frame erased other rows than it should, because the window was resized before it arrived. Records
   * the lines above that are gone, or the rows that are left.
   */
  function missedRows(entry: Entry, columns: number): boolean {
    if (!entry.erased || columns === entry.frame.columns) return false;
    let tooMany = entry.erased.rowsAbove - entry.erased.rowsAboveIn(columns);
    entry.leftRows = Math.max(0, -tooMany);
    const hitLines: HitLine[] = [];
    while (tooMany > 0) {
      const text = linesAbove.pop();
      if (text === undefined) break;
      const rows = wrappedRows(text, Infinity, columns);
      hitLines.unshift({ text, cutAt: Math.max(0, rows - tooMany) * columns });
      tooMany -= rows;
    }
    entry.hitLines = hitLines;
    return entry.leftRows > 0 || hitLines.length > 0;
  }

  function settle(count: number): void {
    const last = entries[count - 1];
    if (!last) return;
    settled = last.frame;
    for (const { long, finished } of entries.slice(0, count)) linesAbove.push(...long, ...finished);
    linesAbove = linesAbove.slice(-maxLinesAbove);
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
      if (missedRows(entry, columns) || columns < entry.frame.columns) isCut = true;
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
    restart(lines) {
      linesAbove = lines ? [...linesAbove, ...lines] : [];
      settled = start;
      entries = [];
      isCut = false;
      cursorRow = undefined;
    },
  };
}
