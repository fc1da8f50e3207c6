/**
 * Decides whether the next command gets the state of a command. The state of commands that ran in parallel is dropped,
 * because their order is undefined.
 */
export interface RunningCommands {
  /** Registers a command from before its start until the result is disposed. */
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
