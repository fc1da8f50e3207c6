import type { Clock } from "../../../base/clock.ts";
import { fit } from "../table.ts";
import type { Drawn, Panel, ScreenTranscript, Space, Theme } from "./parts.ts";
import type { Terminal } from "./terminal/open-terminal.ts";

/** Draws the rows of the screen from its parts, which change independently. */
export interface ScreenView {
  /** Draws at once, as a reply to a key. */
  drawNow(): void;
  /** Draws soon, at most once every 16 ms. */
  redraw(): void;
  /** Writes bytes that take rows of their own, such as a picture, below the finished lines. */
  insert(bytes: string): void;
  /** Draws for the last time: finished lines are written, everything else is removed. */
  end(): void;
}

type ViewTerminal = Pick<Terminal, "space" | "isReady" | "isConfirmed" | "draw" | "insert">;

export interface ScreenParts {
  readonly clock: Clock;
  terminal(): ViewTerminal;
  readonly transcript: Pick<ScreenTranscript, "takeFinished" | "live" | "redrawAfterMs">;
  readonly editor: { draw(space: Space): Drawn };
  panel(): Panel | undefined;
  theme(): Pick<Theme, "dim">;
  /** Queued prompts. */
  queue(columns: number): readonly string[];
  status(columns: number): readonly string[];
  /** Called when a part throws while it is drawn; drawing again would fail forever. */
  failed(thrown: unknown): void;
}

const frameMs = 16;
const maxQueueRows = 4;
const minPanelRows = 10;
const minQuestionRows = 8;
/**
 * Rows that a question leaves to the finished lines, and the height below which it hides running calls: a window that
 * becomes narrower wraps rows, and moves as many from its top to the scrollback. Rows of a question would stay there.
 */
const spareRows = 4;
const minRowsWithCalls = 16;

export function createScreenView(parts: ScreenParts): ScreenView {
  const { clock, transcript, editor } = parts;
  let drawnAt = -Infinity;
  let timer: Disposable | undefined;
  let timerAt = Infinity;
  let isEnded = false;
  /** Pictures that are not on the terminal yet, each with the finished lines above it. */
  const inserts: { readonly above: readonly string[]; readonly bytes: string }[] = [];

  /** The rows below the transcript. */
  function lower(space: Space): Drawn {
    const { columns, rows } = space;
    const status = rows > 4 ? parts.status(columns).slice(0, 2) : [];
    const panel = parts.panel();
    const room = Math.max(1, rows - status.length);
    // Limits the height of a picker: a higher one would push the conversation into the scrollback, where it stays after
    // closing.
    const height = panel?.isQuestion
      ? Math.min(room, Math.max(minQuestionRows, rows - spareRows))
      : Math.min(room, Math.max(minPanelRows, Math.floor(rows / 2)));
    const drawn = panel
      ? panel.draw({ columns, rows: height })
      : editor.draw({ columns, rows: Math.max(1, Math.min(room, Math.max(3, Math.floor(rows / 2)))) });
    const queue = queueRows(columns, Math.min(maxQueueRows, room - drawn.lines.length));
    return {
      lines: [...queue, ...drawn.lines, ...status],
      ...(drawn.cursor && { cursor: { ...drawn.cursor, row: drawn.cursor.row + queue.length } }),
    };
  }

  function queueRows(columns: number, rows: number): readonly string[] {
    if (rows < 1) return [];
    const lines = parts.queue(columns).map((line) => fit(line, columns));
    return lines.length <= rows
      ? lines
      : [...lines.slice(0, rows - 1), parts.theme().dim(fit(`  … ${lines.length - rows + 1} more`, columns))];
  }

  function draw(isReplyToKey = false): void {
    try {
      drawRows(isReplyToKey);
    } catch (thrown) {
      isEnded = true;
      parts.failed(thrown);
    }
  }

  function drawRows(isReplyToKey: boolean): void {
    timer?.[Symbol.dispose]();
    timer = undefined;
    timerAt = Infinity;
    const terminal = parts.terminal();
    // A slow terminal gets the newest rows when it has accepted the older ones.
    if (isEnded || !terminal.isReady || !(isReplyToKey || terminal.isConfirmed)) return;
    const { space } = terminal;
    writeInserts(terminal);
    const finished = transcript.takeFinished(space.columns);
    const below = lower(space);
    const room = space.rows - below.lines.length;
    const isShort = parts.panel()?.isQuestion && space.rows < minRowsWithCalls;
    const above = room > 0 && !isShort ? transcript.live({ columns: space.columns, rows: room }) : [];
    const cursor = below.cursor && { ...below.cursor, row: below.cursor.row + above.length };
    const afterMs = transcript.redrawAfterMs();
    terminal.draw(finished, { lines: [...above, ...below.lines], ...(cursor && { cursor }) }, afterMs !== undefined);
    drawnAt = clock.elapsed();
    if (afterMs !== undefined) drawAfter(afterMs);
  }

  function writeInserts(terminal: ViewTerminal): void {
    for (const { above, bytes } of inserts.splice(0)) {
      terminal.draw(above, { lines: [] }, false);
      terminal.insert(bytes);
    }
  }

  function drawAfter(ms: number): void {
    const dueAt = clock.elapsed() + ms;
    if (dueAt >= timerAt) return;
    timer?.[Symbol.dispose]();
    timerAt = dueAt;
    timer = clock.after(ms, () => draw());
  }

  return {
    drawNow: () => draw(true),
    redraw: () => drawAfter(Math.max(0, frameMs - (clock.elapsed() - drawnAt))),
    insert(bytes) {
      inserts.push({ above: transcript.takeFinished(parts.terminal().space.columns), bytes });
      draw();
    },
    end() {
      if (isEnded) return;
      const terminal = parts.terminal();
      writeInserts(terminal);
      isEnded = true;
      timer?.[Symbol.dispose]();
      terminal.draw(transcript.takeFinished(terminal.space.columns), { lines: [] }, false);
    },
  };
}
