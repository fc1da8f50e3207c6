/**
 * Decides whose state the next command gets. Commands that run in parallel do not pass on their state, because the
 * order is undefined.
 */
export interface RunningCommands {
  /** Lasts from before the command starts until `Symbol.dispose`. */
  take(): RunningCommand;
}

export interface RunningCommand extends Disposable {
  /** True if no other command ran at the same time. */
  readonly isAlone: boolean;
}

export function createRunningCommands(): RunningCommands {
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
