/**
 * Whose state becomes the next one's. Of commands that run side by side nobody's is taken over: there is no telling whose
 * should win.
 */
export interface Turns {
  /** From before the command starts until `Symbol.dispose`. */
  take(): QueueTurn;
}

export interface QueueTurn extends Disposable {
  /** No other command ran at any moment of this one. */
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
