import type { Clock } from "../../base/clock.ts";

/** Time of a script, without the time in which its calls waited for a person. */
export interface ScriptTimer extends Disposable {
  /** Resolves when the time is up. */
  readonly expired: Promise<void>;
  usedMs(): number;
}

export function startTimer(ms: number, waitedMs: () => number, clock: Clock): ScriptTimer {
  const startedAt = clock.elapsed();
  const waitedBefore = waitedMs();
  const { promise: expired, resolve } = Promise.withResolvers<void>();
  const usedMs = () => clock.elapsed() - startedAt - (waitedMs() - waitedBefore);
  let timer: Disposable | undefined;
  const arm = () => {
    const leftMs = ms - usedMs();
    if (leftMs <= 0) return resolve();
    // The remaining time does not change while a person is asked.
    if (leftMs <= maxTimerMs) timer = clock.after(Math.max(leftMs, minTimerMs), arm);
  };
  arm();
  return { expired, usedMs, [Symbol.dispose]: () => timer?.[Symbol.dispose]() };
}

const minTimerMs = 20;
/** Node fires a longer timer immediately. */
const maxTimerMs = 2 ** 31 - 1;
