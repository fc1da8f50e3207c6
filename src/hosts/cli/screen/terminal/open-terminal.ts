import type { Clock } from "../../../../base/clock.ts";
import type { OpenedDevice, TerminalDevice } from "../../terminal-device.ts";
import type { Drawn, KeyPress, Space } from "../parts.ts";
import { createKeyDecoder, type Decoded, isReply, type TerminalReply } from "./decode-keys.ts";
import { createLiveFrame } from "./live-frame.ts";
import type { TerminalFacts } from "./terminal-facts.ts";
import {
  askCursor,
  askFeatures,
  askWidth,
  kittyOff,
  kittyOn,
  modesOff,
  modesOn,
  otherKeysOff,
  otherKeysOn,
} from "./terminal-modes.ts";

/** The terminal as seen by the screen: keys come in, rows go out. */
export interface Terminal {
  readonly space: Space;
  /** Whether the background is light. Undefined: the terminal has not reported it. */
  readonly isLight: boolean | undefined;
  /** False: the terminal is slow and still shows older rows. `drained` is called when the next frame can be drawn. */
  readonly isReady: boolean;
  /** False: only reactions to keys should be drawn now. `drained` is called when that ends. */
  readonly isConfirmed: boolean;
  /** Draws the rows. `isStreaming`: a turn produces output, so the window may be resized between frames. */
  draw(finished: readonly string[], live: Drawn, isStreaming: boolean): void;
  /** Removes the live rows and writes bytes that take rows of their own. The next frame starts below them. */
  insert(bytes: string): void;
  /** Draws all rows again. `isEmptied`: empties the window first. */
  redraw(isEmptied: boolean): void;
  /** Bytes that are not rows, such as a title or a bell. */
  send(bytes: string): void;
  suspend(): void;
  /** Gives the terminal to another program, such as an editor. */
  lend<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Waits, for a limited time, until the terminal has reported its size after a resize. */
  settled(): Promise<void>;
  /** Removes the live rows and restores the terminal. */
  close(): Promise<void>;
}

export interface TerminalListener {
  pressed(keys: readonly KeyPress[]): void;
  /** Called when the window was resized, its rows were lost, or the terminal reported a property. */
  changed(): void;
  /** The terminal can accept more bytes. */
  drained(): void;
  ended(): void;
  warned(text: string): void;
}

export interface TerminalOptions {
  readonly device: TerminalDevice;
  readonly facts: TerminalFacts;
  readonly clock: Clock;
  space(): Space;
  readonly listener: TerminalListener;
}

/** Waits this long after a resize, because a window that is being dragged is resized many times. */
const quietMs = 40;
/**
 * Waits this long in a series of resizes that follow each other within this time, because a frame that is resized while
 * the terminal reads it cannot be repaired.
 */
const seriesMs = 300;
/** How long a frame waits for the answers of the terminal after a resize. */
const widthsMs = 1_000;
/**
 * How long a frame waits for the answer to the previous frame's query. Longer for a terminal that has answered before,
 * because an answer that arrives later cannot repair the rows.
 */
const answerMs = 100;
const lateAnswerMs = 500;
/**
 * Maximum number of checks whether the system reports the new size. It may lag behind the terminal: with tmux up to 250
 * ms.
 */
const maxChecks = 10;
/** After this many answers that contradict the system's width, the terminal gets no more width queries. */
const maxWrongWidths = 3;
/** After this many unanswered queries, the terminal gets no more queries. */
const maxUnanswered = 20;
/** The version that xterm.js reports. */
const xtermJsVersion = 276;
/**
 * How long to wait for answers at the end: answers that arrive after the program has ended would appear as input of the
 * shell. A terminal that has answered before gets more time, because the connection may be slow.
 */
const answersMs = 100;
const slowAnswersMs = 1_000;
/** A query that is older than this counts as lost. */
const lostMs = 3_000;
/**
 * Within this time after the start, a line feed counts as Enter: keys that were typed before the start were read in
 * line mode.
 */
const earlyMs = 60;
/** The same limit for a complete line that arrives at once, because a busy machine reads early keys later. */
const earlyLineMs = 3_000;

export function openTerminal({ device, facts, clock, space, listener }: TerminalOptions): Terminal {
  const decoder = createKeyDecoder();
  let isSynchronized = false;
  let isLight = facts.isLight;
  let hasKitty = false;
  let hasOtherKeys = false;
  let waiting: Disposable | undefined;
  let wrapsCursorRow = facts.reflowsCursorRow;
  /** Set while the size of the window is uncertain. */
  let settling: Disposable | undefined;
  /** Set while the query of the last frame has no answer. */
  let awaiting: Disposable | undefined;
  /** Resolves when the rows of the window are certain. */
  let settled: PromiseWithResolvers<void> | undefined;
  let asksWidths = facts.answers && facts.reflows;
  let wrongWidths = 0;
  let unanswered = 0;
  let isXtermJs = false;
  /** True: another program uses the terminal or will read its answers, so no frames and queries are written. */
  let isLeaving = false;
  let hasAnswered = false;
  let hasRead = false;
  /** Open queries for the cursor position, in the order in which they will be answered. */
  const positionQuestions: { readonly about: "column" | "width" | number; readonly askedAt: number }[] = [];
  let checks = 0;
  let resizedAt = -Infinity;
  let isInSeries = false;
  /** The column of the cursor after a resize. */
  let columnNow = 0;
  let positionsAnswered = Promise.withResolvers<void>();
  const openedAt = clock.elapsed();
  const answered = Promise.withResolvers<void>();
  const frame = createLiveFrame({
    isSynchronized: () => isSynchronized,
    reflows: () => facts.reflows,
    reflowsCursorRow: () => wrapsCursorRow,
    driftsDown: () => isXtermJs,
  });
  if (!facts.answers) answered.resolve();

  function take(decoded: readonly Decoded[]): void {
    const keys: KeyPress[] = [];
    for (const each of decoded) {
      if (isReply(each)) {
        hasAnswered = true;
        learn(each);
      } else keys.push(each);
    }
    if (keys.length > 0) listener.pressed(keys);
  }

  function learn(reply: TerminalReply): void {
    switch (reply.kind) {
      case "mode":
        if (reply.mode === 2026) isSynchronized = reply.isKnown;
        return;
      case "keyboard":
        hasKitty = true;
        return;
      case "background":
        if (facts.isLight !== undefined) return;
        isLight = 0.299 * reply.red + 0.587 * reply.green + 0.114 * reply.blue > 0.5;
        return listener.changed();
      case "attributes":
        answered.resolve();
        if (hasKitty || hasOtherKeys) return;
        hasOtherKeys = true;
        return opened.write(otherKeysOn);
      case "version":
        if (reply.version !== xtermJsVersion) return;
        isXtermJs = true;
        wrapsCursorRow = false;
        return;
      case "cursor":
        return positionAnswered(reply.row, reply.column);
    }
  }

  function expectPosition(about: "column" | "width" | number): void {
    forgetPositions(clock.elapsed() - lostMs);
    decoder.expectCursor();
    positionQuestions.push({ about, askedAt: clock.elapsed() });
  }

  /** Drops lost queries, because otherwise all later answers would be matched with the wrong query. */
  function forgetPositions(askedBefore: number): void {
    while (positionQuestions[0] && positionQuestions[0].askedAt < askedBefore) {
      positionQuestions.shift();
      decoder.forgetCursor();
    }
    if (positionQuestions.length === 0) positionsAnswered.resolve();
  }

  function positionAnswered(row: number, column: number): void {
    const question = positionQuestions.shift()?.about;
    unanswered = 0;
    if (positionQuestions.length === 0) positionsAnswered.resolve();
    if (question === "column") {
      columnNow = column - 1;
      frame.journal.located(row - 1);
    } else if (question === "width") widthAnswered(column);
    else if (question !== undefined) {
      frame.journal.answered(question, column);
      if (frame.journal.isCut && !settling) settle();
      if (awaiting && !frame.journal.isWaiting) endAwaiting();
    }
  }

  function endAwaiting(): void {
    awaiting?.[Symbol.dispose]();
    awaiting = undefined;
    reportSettled();
    listener.drained();
  }

  function reportSettled(): void {
    if (!settling && !awaiting) settled?.resolve();
  }

  /** Draws nothing until the terminal has the size that the system reports. */
  function settle(): void {
    if (isLeaving) return;
    settling?.[Symbol.dispose]();
    settling = clock.after(isInSeries ? seriesMs : quietMs, checkWidth);
  }

  function checkWidth(): void {
    checks++;
    if (checks > maxChecks) {
      wrongWidths++;
      if (wrongWidths >= maxWrongWidths) asksWidths = false;
      return endSettling();
    }
    expectPosition("column");
    expectPosition("width");
    opened.write(`${askCursor}${askWidth}`);
    settling = clock.after(widthsMs, endSettling);
    return undefined;
  }

  function widthAnswered(width: number): void {
    if (!settling) return;
    const { columns } = space();
    if (width !== columns) return settle();
    // Terminals differ in whether they wrap the row of the cursor; the column of the cursor after a resize shows it.
    if (frame.cursorColumn >= columns) wrapsCursorRow = columnNow === frame.cursorColumn % columns;
    wrongWidths = 0;
    return endSettling();
  }

  function endSettling(): void {
    settling?.[Symbol.dispose]();
    settling = undefined;
    checks = 0;
    reportSettled();
    listener.changed();
  }

  /** Waits for pending answers, which would otherwise appear as input of another program. */
  async function leave(): Promise<void> {
    isLeaving = true;
    for (const timer of [settling, awaiting]) timer?.[Symbol.dispose]();
    settling = undefined;
    awaiting = undefined;
    checks = 0;
    reportSettled();
    forgetPositions(clock.elapsed() - lostMs);
    if (positionQuestions.length === 0) return;
    positionsAnswered = Promise.withResolvers();
    using _limit = clock.after(hasAnswered ? slowAnswersMs : answersMs, positionsAnswered.resolve);
    await positionsAnswered.promise;
  }

  function resized(): void {
    isInSeries = clock.elapsed() - resizedAt < 2 * seriesMs;
    resizedAt = clock.elapsed();
    checks = 0;
    if (asksWidths) settle();
    else listener.changed();
  }

  function modes(): string {
    return `${modesOn}${facts.answers ? kittyOn : ""}${hasOtherKeys ? otherKeysOn : ""}`;
  }

  function restored(): string {
    const keyboard = facts.answers ? `${kittyOff}${hasOtherKeys ? otherKeysOff : ""}` : "";
    return `${frame.clear(space())}${keyboard}${modesOff}`;
  }

  const opened: OpenedDevice = device.open({
    typed(bytes) {
      waiting?.[Symbol.dispose]();
      waiting = undefined;
      const age = clock.elapsed() - openedAt;
      // Answers of the terminal may follow in the same bytes.
      const answersFrom = bytes.indexOf(0x1b);
      const typed = answersFrom < 0 ? bytes : bytes.subarray(0, answersFrom);
      const isLine = (typed.at(-2) ?? 0) >= 0x20 && typed.at(-1) === 0x0a;
      const isEarly = !hasRead || age < earlyMs || (age < earlyLineMs && isLine);
      hasRead = true;
      take(
        decoder.read(
          isEarly ? bytes.map((byte, index) => (byte === 0x0a && index < typed.length ? 0x0d : byte)) : bytes,
        ),
      );
      if (decoder.waitMs !== undefined) waiting = clock.after(decoder.waitMs, () => take(decoder.rest()));
    },
    resized,
    resumed() {
      isLeaving = false;
      forgetPositions(Infinity);
      frame.forget();
      opened.write(modes());
      listener.changed();
    },
    ended() {
      forgetPositions(Infinity);
      answered.resolve();
      settled?.resolve();
      listener.ended();
    },
    drained: () => listener.drained(),
    warned: (text) => listener.warned(text),
  });
  opened.restoreBy(restored);
  const asks = facts.answers ? askFeatures(facts.isLight === undefined) : "";
  opened.write(`${modes()}${asks}`);

  return {
    get space() {
      return space();
    },
    get isLight() {
      return isLight;
    },
    get isReady() {
      return !opened.isBehind && settling === undefined && !isLeaving;
    },
    get isConfirmed() {
      return awaiting === undefined;
    },
    draw(finished, live, isStreaming) {
      const isRisky = isStreaming || finished.length > 0 || frame.journal.isWaiting || frame.hasNewSize(space());
      // A frame that moves the cursor back may meet a resize, too.
      const asks = asksWidths && !isLeaving && (isRisky || frame.isParked);
      const { bytes, question } = frame.draw(finished, live, space(), asks, asks && isRisky);
      if (question !== undefined) {
        expectPosition(question);
        awaiting ??= clock.after(hasAnswered ? lateAnswerMs : answerMs, () => {
          unanswered++;
          if (unanswered >= maxUnanswered) asksWidths = false;
          endAwaiting();
        });
      }
      opened.write(bytes);
    },
    insert: (bytes) => opened.write(`${frame.clear(space())}${bytes}\r\n`),
    redraw(isEmptied) {
      const erased = frame.clear(space());
      // Removes the live rows first, because tmux moves rows that `2J` erases into its scrollback.
      opened.write(isEmptied ? `${erased}\x1b[H\x1b[2J` : erased);
      listener.changed();
    },
    send: opened.write,
    suspend() {
      if (isLeaving) return;
      if (positionQuestions.length === 0) {
        isLeaving = true;
        opened.suspend();
      } else void leave().then(opened.suspend);
    },
    async settled() {
      if (settling ?? awaiting) await (settled ??= Promise.withResolvers()).promise;
    },
    async lend(work) {
      await leave();
      try {
        return await opened.lend(work);
      } finally {
        isLeaving = false;
      }
    },
    async close() {
      await leave();
      // Waits longer shortly after the start, because the first queries may still be unanswered.
      const limitMs = Math.max(answersMs, openedAt + slowAnswersMs - clock.elapsed());
      const limit = clock.after(limitMs, answered.resolve);
      await answered.promise;
      limit[Symbol.dispose]();
      waiting?.[Symbol.dispose]();
      await opened.close();
    },
  };
}
