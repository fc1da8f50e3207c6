import type { Clock } from "../clock.ts";

/** Time limits of requests. They share a timer, because most requests end long before their limit. */
export interface Deadlines extends Disposable {
  /** `run` is called once after `ms`, unless the request is removed. */
  add(id: number, ms: number, run: () => void): void;
  remove(id: number): void;
}

export function createDeadlines(clock: Clock): Deadlines {
  const limits = new Map<number, { readonly endsAt: number; readonly run: () => void }>();
  let timer: Disposable | undefined;
  let firesAt = Infinity;

  /** The timer stays when its request is removed; it then has nothing to do. */
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
