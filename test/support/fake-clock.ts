import type { Clock } from "../../src/base/clock.ts";

export interface FakeClock extends Clock {
  /** Advances the time and calls due timers, earliest first. Promises settle when the test awaits next. */
  advance(ms: number): void;
  /** Number of pending timers. */
  readonly waiting: number;
}

/** A clock that only the test advances. */
export function fakeClock(startAt = Date.UTC(2025, 0, 1)): FakeClock {
  const timers = new Set<{ readonly dueAt: number; readonly run: () => void }>();
  let passed = 0;

  function nextDue(until: number) {
    let next: { readonly dueAt: number; readonly run: () => void } | undefined;
    for (const timer of timers) if (timer.dueAt <= until && (!next || timer.dueAt < next.dueAt)) next = timer;
    return next;
  }

  return {
    now: () => startAt + passed,
    elapsed: () => passed,
    after(ms, run) {
      const timer = { dueAt: passed + Math.max(0, ms), run };
      timers.add(timer);
      return { [Symbol.dispose]: () => void timers.delete(timer) };
    },
    advance(ms) {
      const until = passed + ms;
      for (let timer = nextDue(until); timer; timer = nextDue(until)) {
        timers.delete(timer);
        passed = Math.max(passed, timer.dueAt);
        timer.run();
      }
      passed = until;
    },
    get waiting() {
      return timers.size;
    },
  };
}
