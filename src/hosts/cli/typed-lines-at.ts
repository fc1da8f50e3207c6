import { abortable, sleep } from "../../base/async/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { CliIo } from "./command.ts";

/** Lines that the user types in answer to questions, at a terminal in line mode. */
export interface AnswerLines extends Disposable {
  /**
   * Shows the question and reads the next line. The first prompt appears when keys typed before the question are
   * dropped. Empty at the end of input.
   */
  ask(question: { readonly text: string; readonly prompt: string }, signal: AbortSignal): Promise<string>;
}

export function typedLinesAt(io: CliIo, clock: Clock): AnswerLines {
  const typing = io.stdin[Symbol.asyncIterator]();
  let isFirst = true;
  return {
    async ask({ text, prompt }, signal) {
      io.warn(`${text}\n`);
      const start = isFirst ? await dropTyped(io, typing, signal, clock) : { read: typing.next() };
      isFirst = false;
      io.warn(prompt);
      return readLine(start, typing, signal);
    },
    [Symbol.dispose]() {
      // The read is not awaited, because a terminal completes it only when the user types the next line.
      void typing.return?.();
    },
  };
}

/**
 * A question ignores keys that arrive within this time after it appeared, or while more keys directly follow: they were
 * typed before.
 */
const readyMs = 400;
const pauseMs = 200;

type Read = Promise<IteratorResult<Uint8Array>>;

/** Discards early input, including an unfinished line. Returns the pending read. */
async function dropTyped(
  io: CliIo,
  typing: AsyncIterator<Uint8Array>,
  signal: AbortSignal,
  clock: Clock,
): Promise<{ read: Read }> {
  io.hideTyping?.(true);
  try {
    const readyAt = clock.elapsed() + readyMs;
    let pauseAt = readyAt;
    let read: Read = typing.next();
    for (;;) {
      const waitMs = Math.max(readyAt, pauseAt) - clock.elapsed();
      if (waitMs <= 0) return { read };
      const typed = await Promise.race([sleep(waitMs, signal, clock).then(() => undefined), read]);
      if (typed?.done) return { read };
      if (!typed) continue;
      // Handles Ctrl-C here, because without line mode the terminal sends no signal.
      if (typed.value.includes(interruptKey)) io.interrupt?.();
      pauseAt = clock.elapsed() + pauseMs;
      read = typing.next();
    }
  } finally {
    io.hideTyping?.(false);
  }
}

/** Reads one line. Returns an empty line at the end of input. */
async function readLine(
  { read }: { read: Read },
  typing: AsyncIterator<Uint8Array>,
  signal: AbortSignal,
): Promise<string> {
  const decoder = new TextDecoder();
  let typed = "";
  for (let next = read; ; next = typing.next()) {
    const { done, value } = await abortable(next, signal);
    if (done) return "";
    typed += decoder.decode(value, { stream: true });
    const end = typed.search(/[\r\n]/u);
    if (end >= 0) return typed.slice(0, end);
    if (typed.length > maxAnswerChars) return "";
  }
}

const interruptKey = 3;
const maxAnswerChars = 1_000;
