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

/** The time limit of each call of a script. One timer serves all calls, because a script can make thousands a second. */
export interface CallTimes extends Disposable {
  /** Resolves as the work does, or with the value of `late` when the time of the call is up. */
  within<T>(work: Promise<T>, late: () => T): Promise<T>;
}

export function createCallTimes(ms: number, waitedMs: () => number, clock: Clock): CallTimes {
  const usedMs = () => clock.elapsed() - waitedMs();
  /** Open calls in the order of their start. */
  const open = new Set<{ readonly since: number; readonly expire: () => void }>();
  let timer: Disposable | undefined;
  const arm = () => {
    if (timer) return;
    for (const call of open) {
      const leftMs = ms - (usedMs() - call.since);
      if (leftMs > 0) {
        // The remaining time does not change while a person is asked.
        if (leftMs <= maxTimerMs) timer = clock.after(Math.max(leftMs, minTimerMs), again);
        return;
      }
      open.delete(call);
      call.expire();
    }
  };
  const again = () => {
    timer = undefined;
    arm();
  };
  return {
    within: (work, late) =>
      new Promise((resolve, reject) => {
        const call = { since: usedMs(), expire: () => resolve(late()) };
        open.add(call);
        arm();
        work.then(
          (value) => {
            open.delete(call);
            return resolve(value);
          },
          (thrown: unknown) => {
            open.delete(call);
            reject(thrown);
          },
        );
      }),
    [Symbol.dispose]: () => timer?.[Symbol.dispose](),
  };
}

const minTimerMs = 20;
/** Node fires a longer timer immediately. */
const maxTimerMs = 2 ** 31 - 1;
