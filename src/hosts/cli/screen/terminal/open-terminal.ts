import type { Clock } from "../../../../base/clock.ts";
import type { OpenedDevice, TerminalDevice } from "../../terminal-device.ts";
import type { Drawn, KeyPress, Space } from "../parts.ts";
import { createKeyDecoder, type Decoded, isReply, type TerminalReply } from "./decode-keys.ts";
import { createLiveFrame } from "./live-frame.ts";
import type { TerminalFacts } from "./terminal-facts.ts";

/** The terminal as seen by the screen: keys come in, rows go out. */
export interface Terminal {
  readonly space: Space;
  /** Undefined: the terminal has not said it. */
  readonly isLight: boolean | undefined;
  /** False: the terminal is slow and still shows older rows. `drawn` reports when the next can be drawn. */
  readonly isReady: boolean;
  draw(finished: readonly string[], live: Drawn): void;
  /** Draws all rows again. `isEmptied`: empties the window first. */
  redraw(isEmptied: boolean): void;
  /** Bytes that are not rows, such as a title or a bell. */
  send(bytes: string): void;
  suspend(): void;
  /** Gives the terminal to another program, such as an editor. */
  lend<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Removes the live rows and restores the terminal. */
  close(): Promise<void>;
}

export interface TerminalListener {
  pressed(keys: readonly KeyPress[]): void;
  /** The window has another size, its rows were lost, or a new fact is known. */
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

/**
 * Automatic wrapping is off: rows that were written for a wider window, or whose width the terminal counts differently,
 * still take one row.
 */
const modesOn = "\x1b[?2004h\x1b[?1004h\x1b[?7l";
const modesOff = "\x1b[?2004l\x1b[?1004l\x1b[?7h\x1b[?25h\x1b[0m";
/** Kitty keyboard: distinguishes keys and reports those of the standard layout. */
const kittyOn = "\x1b[>5u";
const kittyOff = "\x1b[<u";
const otherKeysOn = "\x1b[>4;2m";
const otherKeysOff = "\x1b[>4m";
const questions = "\x1b[?u\x1b[?2026$p";
const askBackground = "\x1b]11;?\x1b\\";
const askAttributes = "\x1b[c";
const askCursor = "\x1b[6n";
const cursorMs = 80;
/** Answers that arrive after the program has ended would be typed into the shell. */
const answersMs = 100;
/** Keys from before the start were read in line mode, where Enter is a line feed. */
const earlyMs = 60;

export function openTerminal({ device, facts, clock, space, listener }: TerminalOptions): Terminal {
  const decoder = createKeyDecoder();
  let isSynchronized = false;
  let isLight = facts.isLight;
  let hasKitty = false;
  let hasOtherKeys = false;
  let waiting: Disposable | undefined;
  let wrapsCursorRow = facts.reflowsCursorRow;
  /** Set while the position of the cursor is being queried. */
  let asking: { readonly column: number; readonly end: Disposable } | undefined;
  let columns = space().columns;
  const openedAt = clock.elapsed();
  const answered = Promise.withResolvers<void>();
  const frame = createLiveFrame({
    isSynchronized: () => isSynchronized,
    reflows: () => facts.reflows,
    reflowsCursorRow: () => wrapsCursorRow,
  });
  if (!facts.answers) answered.resolve();

  function take(decoded: readonly Decoded[]): void {
    const keys: KeyPress[] = [];
    for (const each of decoded) {
      if (isReply(each)) learn(each);
      else keys.push(each);
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
      case "cursor":
        return endAsking(reply.column - 1);
    }
  }

  function endAsking(column: number | undefined): void {
    if (!asking) return;
    const before = asking;
    asking = undefined;
    before.end[Symbol.dispose]();
    if (column !== undefined) wrapsCursorRow = column === before.column % space().columns;
    listener.changed();
  }

  function resized(): void {
    const before = columns;
    columns = space().columns;
    const column = frame.cursorColumn;
    // Terminals differ in whether the row of the cursor wraps. Its column shows it.
    if (columns < before && column >= columns && facts.answers && facts.reflows && !asking) {
      decoder.expectCursor();
      opened.write(askCursor);
      asking = { column, end: clock.after(cursorMs, () => endAsking(undefined)) };
    } else if (!asking) listener.changed();
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
      const isEarly = clock.elapsed() - openedAt < earlyMs;
      take(decoder.read(isEarly ? bytes.map((byte) => (byte === 0x0a ? 0x0d : byte)) : bytes));
      if (decoder.waitMs !== undefined) waiting = clock.after(decoder.waitMs, () => take(decoder.rest()));
    },
    resized,
    resumed() {
      frame.forget();
      opened.write(modes());
      listener.changed();
    },
    ended: () => listener.ended(),
    drained: () => listener.drained(),
    warned: (text) => listener.warned(text),
  });
  opened.restoreBy(restored);
  const asks = facts.answers ? `${questions}${facts.isLight === undefined ? askBackground : ""}${askAttributes}` : "";
  opened.write(`${modes()}${asks}`);

  return {
    get space() {
      return space();
    },
    get isLight() {
      return isLight;
    },
    get isReady() {
      return !opened.isBehind && asking === undefined;
    },
    draw(finished, live) {
      opened.write(frame.draw(finished, live, space()));
    },
    redraw(isEmptied) {
      const erased = frame.clear(space());
      // tmux moves what it erases here into its scrollback.
      opened.write(isEmptied ? `${erased}\x1b[H\x1b[2J` : erased);
      listener.changed();
    },
    send: opened.write,
    suspend: opened.suspend,
    lend: opened.lend,
    async close() {
      const limit = clock.after(answersMs, answered.resolve);
      await answered.promise;
      limit[Symbol.dispose]();
      waiting?.[Symbol.dispose]();
      await opened.close();
    },
  };
}
