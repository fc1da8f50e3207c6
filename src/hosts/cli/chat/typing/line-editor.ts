import { abortable } from "../../../../base/async/abort.ts";
import { once } from "../../../../base/async/once.ts";
import type { Clock } from "../../../../base/clock.ts";
import { textWidth } from "../../../../base/text/text-width.ts";
import { createEarlyKeys, readyMs } from "./early-keys.ts";
import { escapeKey, type LineMenu, pressedKeys } from "./line-menu.ts";
import { createLiveRegion, createWriter } from "./live-region.ts";
import { createPasting } from "./pasted-lines.ts";
import { createQuietReader } from "./quiet-reader.ts";
import { createKeyReader, splitKeys, type Typed } from "./typed-keys.ts";
import { createTypedText } from "./typed-text.ts";

export interface LineEditorOptions {
  /** Starts to report keys as they are pressed, without echo, until the result is disposed. */
  keys(onBytes: (bytes: Uint8Array) => void, ended: () => void): Disposable;
  write(text: string): void;
  columns(): number;
  rows(): number;
  readonly clock: Clock;
  readonly prompt: string;
  /** Newest first. */
  readonly history: readonly string[];
  /** Completions of the start of a line. */
  complete(line: string): readonly string[] | Promise<readonly string[]>;
  readonly heard: LineListener;
}

export interface LineListener {
  /** Called with a complete input, possibly of several lines. */
  input(text: string): void;
  /** Stores a line in the history. */
  remember(line: string): void;
  /** Called for Ctrl-C. */
  interrupt(): void;
  /** Called for Ctrl-D on an empty line, or when the terminal was closed. */
  end(): void;
}

/**
 * An input line at the bottom, and output above it. While the user types, output waits, so that the two never mix; only
 * the input line is redrawn.
 */
export interface LineEditor extends Disposable {
  /** Prints above the input line. */
  print(text: string): void;
  /** Shows lines between the printed text and the input line that change in place. */
  showLive(lines: readonly string[]): void;
  /** While busy, the prompt appears only when the user types. */
  setBusy(isBusy: boolean): void;
  /** Empties the line and earlier input. */
  clear(): void;
  readonly isEmpty: boolean;
  /** Types a text into the line, unless something is typed already. */
  draft(text: string): void;
  /**
   * Reads one line as an answer. Input typed before the question appeared does not answer it and is restored
   * afterwards. Rejects with the signal's reason.
   */
  ask(question: LineQuestion, signal: AbortSignal): Promise<string>;
}

export interface LineQuestion {
  /** Text above the input line. */
  readonly text: string;
  readonly prompt: string;
  /** The initial, editable content of the line. */
  readonly initial?: string;
  /** Hides the typed characters. */
  readonly isHidden?: boolean;
  /** True: waits while the user types, and Ctrl-C is an empty answer. */
  readonly isOptional?: boolean;
  /** True: the user is answering questions, so the first key is accepted. */
  readonly isFollowUp?: boolean;
  /** Rows between the text and the line that keys can change. Returns the typed line, or an empty one. */
  readonly menu?: LineMenu;
  /** Printed as a reply to the answer, before anything else. */
  readonly reply?: (line: string) => string;
}

const continuation = "… ";
const waitingText = "… output is waiting: Enter sends this line, Ctrl-U clears it";
/** A key that could start a longer sequence is used alone if nothing follows within this time. */
const restMs = 40;

export function openLineEditor(options: LineEditorOptions): LineEditor {
  const { clock, heard: onLine } = options;
  const { write, atOnce } = createWriter(options.write);
  const { reader, feed, mute, quietly } = createQuietReader({ ...options, write });
  const region = createLiveRegion(options.columns, options.rows);
  let live: readonly string[] = [];
  const reading = createKeyReader();
  const text = createTypedText();
  let isBusy = false;
  let isShown = false;
  let goesOn = false;
  let held = "";
  let column = 0;
  let answered: ((line: string) => void) | undefined;
  const early = createEarlyKeys(clock);
  /** The question with a menu, and its prompt. */
  let menu: (LineMenu & { readonly prompt: string }) | undefined;
  let canBeSkipped = false;
  let asking: Promise<void> = Promise.resolve();

  const isTyping = () => reader.line !== "" || text.isBegun;

  function emit(printed: string): void {
    if (printed === "") return;
    write(printed);
    column = printed.endsWith("\n") ? 0 : column + printed.length;
  }

  /** Draws from the cursor position. Resets readline's row count, because it would erase rows above. */
  function draw(prompt: string): void {
    reader.setPrompt(prompt);
    Object.assign(reader, { prevRows: 0 });
    reader.prompt(true);
  }

  function showPrompt(): void {
    if (column > 0) emit("\n");
    draw(text.isBegun ? continuation : options.prompt);
    isShown = true;
  }

  function hidePrompt(): void {
    if (!isShown) return;
    const { rows } = reader.getCursorPos();
    write(`${rows > 0 ? `\x1b[${rows}A` : ""}\r\x1b[J`);
    isShown = false;
    column = 0;
  }

  /** Removes everything below the printed text. */
  function hideBelow(): void {
    hidePrompt();
    write(region.erase());
  }

  function printHeld(): void {
    const waited = held;
    held = "";
    emit(waited);
  }

  /** Writes pending output and redraws the lines below it. */
  function settle(): void {
    if (answered) return;
    atOnce(() => {
      if (held !== "" || region.isDrawn) hideBelow();
      printHeld();
      drawBelow();
    });
  }

  function drawBelow(): void {
    const wantsPrompt = !isBusy || isTyping();
    const lines = held === "" ? live : [...live, waitingText];
    if (lines.length > 0) {
      hideBelow();
      if (column > 0) emit("\n");
      write(region.draw(lines));
    }
    if (wantsPrompt && !isShown) showPrompt();
    if (!wantsPrompt) hidePrompt();
  }

  /** Holds output back while the user types during a turn. */
  const isHolding = () => isBusy && isTyping();

  reader.on("line", (line) => {
    isShown = false;
    column = 0;
    if (answered) return answered(line);
    if (region.isDrawn) keepLine(line);
    const whole = text.line(line, goesOn);
    goesOn = false;
    if (whole !== undefined) onLine.input(whole);
    settle();
  });
  reader.on("history", (lines) => {
    const [last] = lines;
    if (last === undefined) return;
    if (answered || last.startsWith(" ")) lines.shift();
    else onLine.remember(last);
  });

  /** Moves the submitted line above the live lines. */
  function keepLine(line: string): void {
    const sent = `${reader.getPrompt()}${line}`;
    const rows = Math.floor(Math.max(0, textWidth(sent) - 1) / options.columns()) + 1;
    write(`\x1b[${rows}A\r\x1b[J${region.erase()}${sent}\n`);
  }

  function take(typed: Typed): void {
    if (early.keep(typed)) return;
    if (menu && !early.isKeeping) return takeInMenu(typed, menu);
    switch (typed.kind) {
      case "interrupt":
        if (!canBeSkipped) return onLine.interrupt();
        quietly(() => reader.write(null, { ctrl: true, name: "u" }));
        return type(Buffer.from("\r"));
      case "end":
        if (reader.line !== "") return type(Buffer.from([4]));
        // An empty answer to a question selects its default.
        return answered ? type(Buffer.from("\r")) : onLine.end();
      case "newline":
        goesOn = !answered;
        return type(Buffer.from("\r"));
      case "pasted":
        return type(Buffer.from(answered ? typed.text.split("\n", 1).join("") : text.paste(typed.text)));
      case "keys":
        return answered ? type(typed.bytes) : pasting.take(typed.bytes);
    }
  }

  const pasting = createPasting(clock, {
    type,
    paste: (lines) => type(Buffer.from(text.paste(lines))),
    newline: () => take({ kind: "newline" }),
  });

  function takeInMenu(typed: Typed, { press, submit, decline, prompt }: LineMenu & { readonly prompt: string }): void {
    const end = (isAnswer: boolean) => {
      if (!isAnswer) decline();
      answered?.(isAnswer ? reader.line : "");
    };
    if (typed.kind === "interrupt" || (typed.kind === "end" && reader.line === "")) return end(false);
    hidePrompt();
    if (typed.kind === "pasted") quietly(() => type(Buffer.from(typed.text.split("\n", 1).join(""))));
    const keys = typed.kind === "keys" ? pressedKeys(typed.bytes) : typed.kind === "newline" ? ["\r"] : [];
    for (const key of keys) {
      if (key === "\r" || key === "\n") {
        if (submit(reader.line)) return end(true);
      } else if (key === escapeKey) {
        if (reader.line === "") return end(false);
        quietly(eraseLine);
      } else if (!press(key, reader.line)) quietly(() => type(Buffer.from(key, "latin1")));
    }
    return drawMenu(prompt);
  }

  /** Draws the rows of the menu and the input line below them again. */
  function drawMenu(prompt: string): void {
    atOnce(() => {
      hideBelow();
      write(region.draw(menu?.rows(reader.line) ?? []));
      draw(prompt);
      isShown = true;
    });
  }

  function eraseLine(): void {
    reader.write(null, { ctrl: true, name: "e" });
    reader.write(null, { ctrl: true, name: "u" });
  }

  /** Moves keys that were typed too early for a question to the input line; an Enter among them starts another line. */
  function takeEarly(): void {
    for (const [index, line] of early.take().entries()) {
      if (index > 0) take({ kind: "newline" });
      type(Buffer.from(line));
    }
  }

  function type(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (!answered && !isShown) showPrompt();
    for (const part of splitKeys(Buffer.from(bytes))) feed(part);
    if (!answered && isBusy && !isTyping() && isShown) settle();
  }

  let waiting: Disposable | undefined;
  const keys = options.keys((bytes) => {
    waiting?.[Symbol.dispose]();
    for (const typed of reading.read(bytes)) take(typed);
    if (!reading.isWaiting) return;
    waiting = clock.after(restMs, () => {
      for (const typed of reading.rest()) take(typed);
    });
  }, onLine.end);
  write("\x1b[?2004h");

  async function askNow(request: LineQuestion, signal: AbortSignal): Promise<string> {
    const { text: question, prompt, initial = "", isHidden, isOptional = false, isFollowUp = false, reply } = request;
    signal.throwIfAborted();
    if (isOptional && isTyping()) return "";
    let draft = reader.line;
    const line = Promise.withResolvers<string>();
    if (!isOptional && !isFollowUp) early.begin();
    const readyAt = clock.elapsed() + readyMs;
    canBeSkipped = isOptional;
    hideBelow();
    printHeld();
    answered = line.resolve;
    quietly(eraseLine);
    try {
      if (column > 0) emit("\n");
      emit(question === "" ? "" : `${question}\n`);
      menu = request.menu && { ...request.menu, prompt };
      if (menu) write(region.draw(menu.rows("").map((row) => row.replace("❯", " "))));
      await early.ready(signal);
      (menu ? drawMenu : draw)(prompt);
      if (initial !== "") reader.write(initial);
      mute(isHidden === true);
      const answer = await abortable(line.promise, signal);
      if (menu) hideBelow();
      if (isOptional && answer !== "" && clock.elapsed() < readyAt) {
        menu?.decline();
        onLine.input(answer);
        return "";
      }
      if (isHidden) write("\n");
      const sentence = reply?.(answer) ?? "";
      if (sentence !== "") write(`${sentence}\n`);
      return answer;
    } catch (thrown) {
      const { reason }: { readonly reason: unknown } = signal;
      const why =
        reason instanceof DOMException && reason.name === "TimeoutError" ? reason.message : "question withdrawn";
      if (menu) {
        hideBelow();
        // Restores the typed words to the input line.
        if (draft === "") draft = reader.line;
      } else write("\n");
      write(`(${why})\n`);
      throw thrown;
    } finally {
      mute(false);
      early.end();
      menu = undefined;
      canBeSkipped = false;
      column = 0;
      answered = undefined;
      quietly(() => {
        eraseLine();
        if (draft !== "") reader.write(draft);
      });
      settle();
      takeEarly();
    }
  }

  return {
    print(printed) {
      const wasHeld = held !== "";
      if (answered || isHolding()) {
        held += printed;
        if (!wasHeld && !answered) atOnce(drawBelow);
      } else if (isShown || region.isDrawn) {
        held += printed.endsWith("\n") ? printed : `${printed}\n`;
        settle();
      } else emit(printed);
    },
    showLive(lines) {
      live = lines;
      if (answered) return;
      if (isHolding())
        atOnce(() => {
          hideBelow();
          drawBelow();
        });
      else settle();
    },
    setBusy(busy) {
      isBusy = busy;
      settle();
    },
    clear() {
      text.clear();
      hidePrompt();
      quietly(eraseLine);
      settle();
    },
    get isEmpty() {
      return !isTyping();
    },
    draft(words) {
      if (!isTyping() && !answered)
        type(Buffer.from(text.paste(words.replaceAll(/\p{Cc}/gu, (sign) => (sign === "\n" ? sign : " ")))));
    },
    ask(question, signal) {
      const next = asking.then(() => askNow(question, signal));
      asking = next.then(
        () => undefined,
        () => undefined,
      );
      return next;
    },
    [Symbol.dispose]: once(() => {
      hideBelow();
      waiting?.[Symbol.dispose]();
      keys[Symbol.dispose]();
      quietly(() => reader.close());
      emit(held);
      write("\x1b[?2004l");
    }),
  };
}
