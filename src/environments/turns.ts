/**
 * Decides whose state the next command gets. Commands that run in parallel do not pass on their state, because the
 * order is undefined.
 */
export interface Turns {
  /** Lasts from before the command starts until `Symbol.dispose`. */
  take(): QueueTurn;
}

export interface QueueTurn extends Disposable {
  /** No other command ran at the same time. */
  readonly isAlone: boolean;
}

export function createTurns(): Turns {
  const running = new Set<{ isAlone: boolean }>();
  return {
    take() {
      const turn = {
        isAlone: running.size === 0,
        [Symbol.dispose]: () => void running.delete(turn),
      };
      for (const other of running) other.isAlone = false;
      running.add(turn);
      return turn;
    },
  };
}
