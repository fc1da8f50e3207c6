/** Runs as many jobs in parallel as allowed; the others wait in order. */
export interface WaitingLine {
  /**
   * Calls `start` now or later; its slot becomes free when its promise settles. Disposing removes it from the queue.
   */
  add(start: () => Promise<void>): Disposable;
}

export function createWaitingLine(slots: number): WaitingLine {
  const waiting = new Set<() => Promise<void>>();
  let running = 0;

  function next(): void {
    for (const start of waiting) {
      if (running >= slots) return;
      waiting.delete(start);
      running++;
      void start().finally(() => {
        running--;
        next();
      });
    }
  }

  return {
    add(start) {
      waiting.add(start);
      next();
      return { [Symbol.dispose]: () => void waiting.delete(start) };
    },
  };
}
