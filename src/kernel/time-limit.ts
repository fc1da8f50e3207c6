import { type WaitOutcome, waitFor } from "../base/async/bounded-wait.ts";
import { onDispose } from "../base/async/on-dispose.ts";
import type { Clock } from "../base/clock.ts";

/** A time limit that can pause. */
export interface TimeLimit extends Disposable {
  /** Resolves at the timeout. */
  readonly expired: Promise<void>;
  /** Stops the time until the pause is disposed. Pauses may overlap. */
  pause(): Disposable;
  /** The total time of all pauses so far. */
  pausedMs(): number;
}

/**
 * Starts a limit of `ms` milliseconds (`Infinity`: no limit). The timer keeps running during a pause, because most
 * pauses are short.
 */
export function createTimeLimit(ms: number, clock: Clock): TimeLimit {
  const { promise: expired, resolve } = Promise.withResolvers<void>();
  const startedAt = clock.elapsed();
  let isOver = false;
  let pauses = 0;
  let pausedAt = 0;
  let pausedBeforeMs = 0;
  let timer: Disposable | undefined;
  const pausedMs = () => pausedBeforeMs + (pauses > 0 ? clock.elapsed() - pausedAt : 0);

  function check(): void {
    timer = undefined;
    if (isOver || pauses > 0) return;
    const leftMs = ms - (clock.elapsed() - startedAt - pausedBeforeMs);
    if (leftMs <= 0) resolve();
    else if (leftMs <= maxTimerMs) timer = clock.after(leftMs, check);
  }

  function resume(): void {
    pausedBeforeMs = pausedMs();
    pauses -= 1;
    if (pauses > 0) pausedAt = clock.elapsed();
    else if (!timer) check();
  }

  check();
  return {
    expired,
    pause() {
      if (pauses++ === 0) pausedAt = clock.elapsed();
      return onDispose(resume);
    },
    pausedMs,
    [Symbol.dispose]() {
      isOver = true;
      timer?.[Symbol.dispose]();
    },
  };
}

/** The maximum delay of a timer: Node fires a longer timer immediately. */
const maxTimerMs = 2 ** 31 - 1;

/** Waits like `waitFor`, with a limit that can pause. */
export async function waitWithin<T>(
  { expired }: TimeLimit,
  work: Promise<T>,
  signal: AbortSignal,
  clock: Clock,
): Promise<WaitOutcome<T>> {
  const late = expired.then((): WaitOutcome<T> => ({ how: "timeout" }));
  const done = work.then((value): WaitOutcome<T> => ({ how: "done", value }));
  const first = await waitFor(Promise.race([done, late]), { signal, ms: Infinity, clock });
  return first.how === "done" ? first.value : first;
}
