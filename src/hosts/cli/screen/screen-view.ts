import type { Clock } from "../../../base/clock.ts";
import { fit } from "../table.ts";
import type { Drawn, Panel, ScreenTranscript, Space, Theme } from "./parts.ts";
import type { Terminal } from "./terminal/open-terminal.ts";

/** The rows of the screen, from parts that change on their own. */
export interface ScreenView {
  /** Draws at once: the reply to a key. */
  drawNow(): void;
  /** Draws soon: at most once in 16 ms. */
  redraw(): void;
  /** The last drawing, for good: finished lines are written, nothing else stays. */
  end(): void;
}

export interface ScreenParts {
  readonly clock: Clock;
  terminal(): Terminal;
  readonly transcript: ScreenTranscript;
  readonly editor: { draw(space: Space): Drawn };
  panel(): Panel | undefined;
  theme(): Theme;
  /** Prompts that wait. */
  queue(columns: number): readonly string[];
  status(columns: number): readonly string[];
  /** A part could not be drawn, which would repeat for ever. */
  failed(thrown: unknown): void;
}

const frameMs = 16;
const maxQueueRows = 4;

export function createScreenView(parts: ScreenParts): ScreenView {
  const { clock, transcript, editor } = parts;
  let drawnAt = -Infinity;
  let timer: Disposable | undefined;
  let timerAt = Infinity;
  let isEnded = false;
  let covering: Panel | undefined;

  /** The rows below the transcript. */
  function lower(space: Space): Drawn {
    const { columns, rows } = space;
    const status = rows > 4 ? parts.status(columns).slice(0, 2) : [];
    const panel = parts.panel();
    const room = Math.max(1, rows - status.length);
    const drawn = panel
      ? panel.draw({ columns, rows: room })
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

  function draw(): void {
    try {
      drawRows();
    } catch (thrown) {
      isEnded = true;
      parts.failed(thrown);
    }
  }

  function drawRows(): void {
    timer?.[Symbol.dispose]();
    timer = undefined;
    timerAt = Infinity;
    const terminal = parts.terminal();
    // A slow terminal gets the newest rows when it has taken the older ones.
    if (isEnded || !terminal.isReady) return;
    const { space } = terminal;
    const below = lower(space);
    if (covers(below, terminal)) {
      terminal.cover(below);
      drawnAt = clock.elapsed();
      return;
    }
    const finished = transcript.takeFinished(space.columns);
    const room = space.rows - below.lines.length;
    const above = room > 0 ? transcript.live({ columns: space.columns, rows: room }) : [];
    const cursor = below.cursor && { ...below.cursor, row: below.cursor.row + above.length };
    terminal.draw(finished, { lines: [...above, ...below.lines], ...(cursor && { cursor }) });
    drawnAt = clock.elapsed();
    const afterMs = transcript.redrawAfterMs();
    if (afterMs !== undefined) drawAfter(afterMs);
  }

  /**
   * Whether a panel is drawn in the second window: in the first one, a large panel would push the conversation into the
   * scrollback for good. A panel that was large once stays there. A question stays below the text
   * that it is about.
   */
  function covers({ lines }: Drawn, terminal: Terminal): boolean {
    const panel = parts.panel();
    const isLarge = panel === covering || lines.length > terminal.space.rows / 2;
    covering = terminal.canCover && isLarge && panel && !panel.isQuestion ? panel : undefined;
    return covering !== undefined;
  }

  function drawAfter(ms: number): void {
    const dueAt = clock.elapsed() + ms;
    if (dueAt >= timerAt) return;
    timer?.[Symbol.dispose]();
    timerAt = dueAt;
    timer = clock.after(ms, draw);
  }

  return {
    drawNow: draw,
    redraw: () => drawAfter(Math.max(0, frameMs - (clock.elapsed() - drawnAt))),
    end() {
      if (isEnded) return;
      const terminal = parts.terminal();
      const finished = transcript.takeFinished(terminal.space.columns);
      isEnded = true;
      timer?.[Symbol.dispose]();
      terminal.draw(finished, { lines: [] });
    },
  };
}
