import { onDispose } from "./async/on-dispose.ts";

/** The only source of time. Tests pass their own clock. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds that never decrease; for durations. */
  elapsed(): number;
  /** Calls `run` once after `ms`. Disposing before then means it is never called. Does not keep the process alive. */
  after(ms: number, run: () => void): Disposable;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    timer.unref();
    return onDispose(() => clearTimeout(timer));
  },
};
