import type { Clock } from "../../../../base/clock.ts";
import { fit } from "../../table.ts";
import type { KeyPress, Panel, PanelStack, Theme } from "../parts.ts";
import type { ScreenTexts } from "../texts/english.ts";

export interface PanelStackParts {
  theme(): Theme;
  readonly texts: ScreenTexts;
  readonly clock: Clock;
  /** Requests a redraw of the live area. */
  redraw(): void;
  /** Text typed just before a question appeared. It does not answer the question; the draft may keep it. */
  readonly early?: (key: KeyPress) => void;
  /** Called when a question appears. */
  readonly asked?: () => void;
}

/**
 * Questions are above all other panels. They are queued: the first stays in front until it is answered, so that no key
 * reaches a question that the user has not read.
 */
export function createPanelStack(parts: PanelStackParts): PanelStack {
  const questions: Panel[] = [];
  const panels: Panel[] = [];

  return {
    get current() {
      return questions[0] ?? panels.at(-1);
    },
    async open<Value>(create: (close: (value: Value) => void, redraw: () => void) => Panel, signal?: AbortSignal) {
      if (signal?.aborted) return undefined;
      const closed = Promise.withResolvers<Value | undefined>();
      let isOpen = true;
      // The panel below gets the next key immediately.
      const close = (value: Value | undefined) => {
        if (!isOpen) return;
        isOpen = false;
        signal?.removeEventListener("abort", withdraw);
        list.splice(list.indexOf(panel), 1);
        closed.resolve(value);
        panel.closed?.();
        parts.redraw();
      };
      const withdraw = () => close(undefined);
      const created = create(close, () => {
        if (isOpen) parts.redraw();
      });
      const list = created.isQuestion ? questions : panels;
      const within = fitting(created);
      const panel = created.isQuestion ? settling(within, parts, () => questions.length - 1) : within;
      list.push(panel);
      signal?.addEventListener("abort", withdraw, { once: true });
      if (created.isQuestion) parts.asked?.();
      parts.redraw();
      return closed.promise;
    },
  };
}

/** Cuts a panel that exceeds its space; the rows around the cursor stay visible. */
function fitting(panel: Panel): Panel {
  return {
    ...(panel.isQuestion && { isQuestion: true }),
    ...(panel.closed && { closed: panel.closed }),
    press: panel.press,
    draw(space) {
      const { lines, cursor } = panel.draw(space);
      const rows = Math.max(1, space.rows);
      const from = cursor ? Math.max(0, Math.min(cursor.row - rows + 1, lines.length - rows)) : 0;
      const shown = lines.slice(from, from + rows).map((line) => fit(line, space.columns));
      if (!cursor || cursor.row - from >= shown.length) return { lines: shown };
      const column = Math.min(cursor.column, Math.max(0, space.columns - 1));
      return { lines: shown, cursor: { row: cursor.row - from, column } };
    },
  };
}

/**
 * A question ignores keys that arrive within this time after it appeared, or while more keys directly follow: they were
 * typed before. The same holds after a letter that is not an answer: the user types text.
 */
const readyMs = 400;
const pauseMs = 200;

/**
 * A question that drops early keys and shows the number of queued questions. The mark of the current choice and the
 * cursor appear when it accepts keys.
 */
function settling(panel: Panel, parts: PanelStackParts, waiting: () => number): Panel {
  const { theme, texts, clock, early, redraw } = parts;
  let readyAt: number | undefined;
  let isReady = false;
  let timer: Disposable | undefined;

  function wait(untilAt: number): void {
    timer = clock.after(Math.max(1, untilAt - clock.elapsed()), () => {
      isReady = clock.elapsed() >= (readyAt ?? 0);
      if (isReady) redraw();
      else wait(readyAt ?? 0);
    });
  }

  return {
    isQuestion: true,
    closed() {
      timer?.[Symbol.dispose]();
      panel.closed?.();
    },
    draw(space) {
      if (readyAt === undefined) wait((readyAt = clock.elapsed() + readyMs));
      const others = waiting();
      const hasNote = others > 0 && space.rows >= 4;
      const drawn = panel.draw(hasNote ? { ...space, rows: space.rows - 1 } : space);
      const { lines, cursor } = isReady ? drawn : { lines: drawn.lines.map((line) => line.replace("❯", " ")) };
      const note = theme().paintAs("warn", fit(` ${texts.panels.othersWait(others)}`, space.columns));
      return { lines: hasNote ? [...lines, note] : lines, ...(cursor && { cursor }) };
    },
    press(key) {
      if (isForTheScreen(key)) return false;
      const isText = key.chord === "paste" || isTyped(key);
      if (isReady) {
        const isUsed = panel.press(key);
        if (isUsed || !isText) return isUsed;
        // The user types text. The letters that follow are not answers, even if they are the key of one.
        isReady = false;
        wait((readyAt = clock.elapsed() + readyMs));
        early?.(key);
        redraw();
        return true;
      }
      if (readyAt !== undefined) readyAt = Math.max(readyAt, clock.elapsed() + pauseMs);
      if (isText) early?.(key);
      return true;
    },
  };
}

/** Keys that interrupt, suspend or redraw. No question uses them. */
function isForTheScreen({ chord }: KeyPress): boolean {
  return ["ctrl+c", "ctrl+z", "ctrl+l", "focus", "blur"].includes(chord);
}

/** Whether the key types a visible character or a space. */
export function isTyped({ chord, text }: KeyPress): boolean {
  return text !== undefined && text !== "" && !/^(?:ctrl|alt)\+/u.test(chord) && !/\p{Cc}/u.test(text);
}
