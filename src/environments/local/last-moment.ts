import type { ProcessTree } from "./process-tree.ts";
import { removeShellFolder, type ShellFolder } from "./shells-folder.ts";

/**
 * What must not outlive this program, however it is left: a second Ctrl-C, `process.exit`. The folder, always; a tree that
 * is held, until that is disposed.
 */
export interface LastMoment extends Disposable {
  hold(tree: ProcessTree): Disposable;
  /** Start-up files may hold a lock that they let go when they are asked to end: nobody forces them. */
  holdGently(tree: ProcessTree): Disposable;
}

/** `folder`: of pipes and state, worth nothing to anybody afterwards. */
export function createLastMoment(folder: ShellFolder): LastMoment {
  const held = new Map<ProcessTree, () => void>();
  // Nothing can be waited for any more.
  const leave = () => {
    for (const end of held.values()) end();
    removeShellFolder(folder);
  };
  // A program may have hundreds of environments.
  process.setMaxListeners(Math.max(process.getMaxListeners(), process.listenerCount("exit") + 10));
  process.on("exit", leave);

  function holdUntil(tree: ProcessTree, end: () => void): Disposable {
    held.set(tree, end);
    return { [Symbol.dispose]: () => void held.delete(tree) };
  }
  return {
    hold: (tree) => holdUntil(tree, tree.killNow),
    holdGently: (tree) => holdUntil(tree, tree.askToEnd),
    [Symbol.dispose]: () => void process.off("exit", leave),
  };
}
