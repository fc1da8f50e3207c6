import type { ProcessTree } from "./process-tree.ts";
import { removeShellFolder, type ShellFolder } from "./shells-folder.ts";

/**
 * What must not outlive this program, however it is left: a second Ctrl-C, `process.exit`. The folder, always; a tree that
 * is held, until that is disposed.
 */
export interface ExitCleanup extends Disposable {
  hold(tree: ProcessTree): Disposable;
  /** Runs when the program is left, and waits for nothing. */
  onLeave(run: () => void): Disposable;
}

/** `folder`: of pipes and state, worth nothing to anybody afterwards. */
export function createExitCleanup(folder: ShellFolder): ExitCleanup {
  const held = new Set<{ readonly leave: () => void }>();
  // Nothing can be waited for any more.
  const leave = () => {
    for (const each of held) each.leave();
    removeShellFolder(folder);
  };
  // A program may have hundreds of environments.
  process.setMaxListeners(Math.max(process.getMaxListeners(), process.listenerCount("exit") + 10));
  process.on("exit", leave);

  function onLeave(run: () => void): Disposable {
    const one = { leave: run };
    held.add(one);
    return { [Symbol.dispose]: () => void held.delete(one) };
  }
  return {
    hold: (tree) => onLeave(tree.killNow),
    onLeave,
    [Symbol.dispose]: () => void process.off("exit", leave),
  };
}
