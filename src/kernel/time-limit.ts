import { type WaitOutcome, waitFor } from "../base/async/bounded-wait.ts";
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

/** `ms`: `Infinity` for no limit. */
export function createTimeLimit(ms: number, clock: Clock): TimeLimit {
  const { promise: expired, resolve } = Promise.withResolvers<void>();
  let leftMs = ms;
  let startedAt = 0;
  let pauses = 0;
  let pausedAt = 0;
  let pausedMs = 0;
  let timer: Disposable | undefined;

  function start(): void {
    startedAt = clock.elapsed();
    if (pausedAt > 0) pausedMs += startedAt - pausedAt;
    pausedAt = 0;
    timer = leftMs <= maxTimerMs ? clock.after(leftMs, resolve) : undefined;
  }

  function stop(): void {
    pausedAt = clock.elapsed();
    leftMs -= pausedAt - startedAt;
    timer?.[Symbol.dispose]();
  }

  start();
  return {
    expired,
    pause() {
      if (pauses++ === 0) stop();
      let isPaused = true;
      return {
        [Symbol.dispose]() {
          if (isPaused && --pauses === 0) start();
          isPaused = false;
        },
      };
    },
    pausedMs: () => pausedMs + (pausedAt > 0 ? clock.elapsed() - pausedAt : 0),
    [Symbol.dispose]: () => timer?.[Symbol.dispose](),
  };
}

/** Node fires a longer timer immediately. */
const maxTimerMs = 2 ** 31 - 1;

/** Waits like `waitFor`, with a limit that pauses. */
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
