import type { Clock } from "../clock.ts";

/** The time limits of requests. All requests share one timer, because they usually end long before their limit. */
export interface Deadlines extends Disposable {
  /** Calls `run` once after `ms`, unless the request is removed. */
  add(id: number, ms: number, run: () => void): void;
  remove(id: number): void;
}

export function createDeadlines(clock: Clock): Deadlines {
  const limits = new Map<number, { readonly endsAt: number; readonly run: () => void }>();
  let timer: Disposable | undefined;
  let firesAt = Infinity;

  /** The timer is kept when its request is removed, and then does nothing. */
  function wakeAt(endsAt: number, now: number): void {
    if (endsAt >= firesAt) return;
    timer?.[Symbol.dispose]();
    firesAt = endsAt;
    timer = clock.after(endsAt - now, check);
  }

  function check(): void {
    timer = undefined;
    // A timer may fire a moment early.
    const now = Math.max(clock.elapsed(), firesAt);
    firesAt = Infinity;
    for (const [id, { endsAt, run }] of limits) {
      if (endsAt > now) continue;
      limits.delete(id);
      run();
    }
    let next = Infinity;
    for (const { endsAt } of limits.values()) next = Math.min(next, endsAt);
    if (next < Infinity) wakeAt(next, now);
  }

  return {
    add(id, ms, run) {
      const now = clock.elapsed();
      limits.set(id, { endsAt: now + ms, run });
      wakeAt(now + ms, now);
    },
    remove: (id) => void limits.delete(id),
    [Symbol.dispose]() {
      timer?.[Symbol.dispose]();
      timer = undefined;
      firesAt = Infinity;
      limits.clear();
    },
  };
}
