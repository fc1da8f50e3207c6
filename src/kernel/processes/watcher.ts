import type { Clock } from "../../base/clock.ts";
import type { SessionId } from "../../base/ids.ts";
import type { Logger } from "../../base/log/log.ts";
import { reasonOf } from "../../base/result.ts";
import { plainText } from "../../base/text/ansi.ts";
import type { ProcessHandle, Watching } from "../../contracts/environment/environment.ts";
import { lastOutput } from "../../contracts/environment/process-output.ts";
import { endChars, endMessage, hitMessage, maxLines, stoppedMessage } from "./messages.ts";
import { createWatchPace, type WatchBudget } from "./watch-pace.ts";

/** Sends a session messages about one process. Disposing stops the messages, not the process. */
export interface Watcher extends Disposable {
  readonly watching: Watching;
  /** Called when the session already knows that the process ended: removes a pending message. */
  noteEnd(): void;
}

export interface WatchOptions {
  readonly sessionId: SessionId;
  readonly notifyOnComplete: boolean;
  readonly patterns: readonly string[];
}

/** Puts a message into the inbox of a conversation. Disposing removes it. */
export type SendToInbox = (sessionId: SessionId, from: string, text: string) => Disposable;

export interface WatchDeps {
  readonly tell: SendToInbox;
  readonly clock: Clock;
  readonly log: Logger;
  readonly budget: WatchBudget;
}

/** Reads the output only if there are patterns. Otherwise waits for the end, and only if a notification is needed. */
export function watchProcess(handle: ProcessHandle, wish: WatchOptions, deps: WatchDeps): Watcher {
  const { clock, log, budget } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  const pace = createWatchPace(clock);
  let patterns = wish.patterns;
  let notifies = wish.notifyOnComplete;
  let hits = 0;
  let isEndKnown = false;
  let message: Disposable | undefined;

  const put = (text: string) => deps.tell(wish.sessionId, handle.id, text);

  function tell({ lines, count }: Hits): void {
    if (count === 0 || patterns.length === 0) return;
    hits += count;
    const step = pace.found(count);
    if (step.now === "tell") {
      if (budget.take(wish.sessionId)) put(hitMessage(handle, lines, count - lines.length + step.leftOut));
    } else if (step.now === "stop") {
      patterns = [];
      notifies = true;
      put(stoppedMessage(handle));
    }
  }

  async function lookForPatterns(ended: Promise<unknown>): Promise<void> {
    const output = createOutputLines(handle);
    let isOver = false;
    ended.then(
      () => (isOver = true),
      () => {},
    );
    let waitMs = minMs;
    while (patterns.length > 0) {
      const wasOver = isOver;
      const matches = { lines: [] as string[], count: 0 };
      const keep = (line: string) => {
        if (!hasPattern(line)) return;
        matches.count += 1;
        if (matches.lines.length < maxLines) matches.lines.push(line);
      };
      let isMore = true;
      let pieces = 0;
      for (; isMore && pieces < piecesAtOnce; pieces++) isMore = await output.read(keep, signal);
      const rest = wasOver && !isMore ? output.rest() : undefined;
      if (rest !== undefined) keep(rest);
      tell(matches);
      if (wasOver && !isMore) return;
      waitMs = isMore ? busyMs : matches.count > 0 ? minMs : Math.max(minMs, Math.min(waitMs * 2, maxMs));
      // Output that arrives faster than it can be read must not block other work.
      await (wasOver ? new Promise(setImmediate) : pause(waitMs, ended));
    }
  }

  function hasPattern(line: string): boolean {
    return patterns.some((pattern) => line.includes(pattern));
  }

  async function pause(ms: number, ended: Promise<unknown>): Promise<void> {
    const over = Promise.withResolvers<void>();
    using _timer = clock.after(ms, over.resolve);
    await Promise.race([over.promise, ended]);
  }

  async function run(): Promise<void> {
    const ended = handle.wait(signal);
    // After the watcher is disposed nobody awaits this promise, so a rejection is ignored.
    ended.catch(() => {});
    if (patterns.length > 0) await lookForPatterns(ended);
    const ending = await ended;
    if (!notifies || isEndKnown) return;
    const output = await lastOutput(handle, endChars, signal).catch(
      (thrown: unknown) => `(it could not be read: ${reasonOf(thrown)})`,
    );
    if (!isEndKnown && !signal.aborted) message = put(endMessage(handle, ending, output));
  }

  if (patterns.length > 0 || notifies) {
    run().catch((thrown: unknown) => {
      if (!signal.aborted) log.warn("process.watch_failed", { id: handle.id, error: reasonOf(thrown) });
    });
  }
  return {
    get watching() {
      return { notifyOnComplete: notifies, patterns, hits };
    },
    noteEnd() {
      isEndKnown = true;
      message?.[Symbol.dispose]();
    },
    [Symbol.dispose]: () => stopping.abort(new Error("nobody watches")),
  };
}

interface Hits {
  /** Keeps only the first lines. */
  readonly lines: readonly string[];
  readonly count: number;
}

/** The interval between two reads of the output: short while lines match, long while they do not. */
const minMs = 200;
const maxMs = 1_000;
/** The interval if more output was available than one read returns. */
const busyMs = 20;
const piecesAtOnce = 2;

/** Splits the output of a process into complete lines. Returns each line once, regardless of the chunk size. */
interface OutputLines {
  /**
   * Adds the lines that were completed since the last call. Returns true if more output may be available immediately.
   */
  read(onLine: (line: string) => void, signal: AbortSignal): Promise<boolean>;
  /** Returns the last line if no line end follows it. */
  rest(): string | undefined;
}

function createOutputLines(handle: ProcessHandle): OutputLines {
  let decoder = new TextDecoder();
  let from = 0;
  let partial = "";
  return {
    async read(onLine, signal) {
      const { bytes, next, total } = await handle.output(from, signal);
      // A read that returns an earlier position is ignored, so that no line is reported twice.
      if (next < from) return false;
      if (next - bytes.length !== from) {
        // Output in between was dropped, so the new chunk does not continue the previous line.
        decoder = new TextDecoder();
        partial = "";
      }
      from = next;
      for (let offset = 0; offset < bytes.length; offset += sliceBytes) {
        // Large output must not block other work.
        if (offset > 0) await new Promise(setImmediate);
        const lines = (partial + decoder.decode(bytes.subarray(offset, offset + sliceBytes), { stream: true })).split(
          /[\r\n]+/u,
        );
        partial = (lines.pop() ?? "").slice(-maxLineChars);
        for (const line of lines) onLine(plainText(line));
      }
      return next < total && bytes.length > 0;
    },
    rest: () => (partial === "" ? undefined : plainText(partial)),
  };
}

/** Keeps only the end of an endless line. */
const maxLineChars = 65_536;
const sliceBytes = 65_536;
