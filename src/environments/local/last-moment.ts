import type { ProcessTree } from "./process-tree.ts";
import { removeShellFolder, type ShellFolder } from "./shells-folder.ts";

/** What must not outlive this program, also when it is left in the middle of a command: a second Ctrl-C, `process.exit`. */
export interface LastMoment {
  /** Until this is disposed, the tree is killed when the program is left, and the folder with it. */
  hold(tree: ProcessTree): Disposable;
}

/** `folder`: of pipes and state, worth nothing to anybody afterwards. */
export function createLastMoment(folder: ShellFolder): LastMoment {
  const held = new Set<ProcessTree>();
  // Nothing can be waited for any more.
  const leave = () => {
    for (const tree of held) tree.killNow();
    removeShellFolder(folder);
  };
  return {
    hold(tree) {
      if (held.size === 0) process.on("exit", leave);
      held.add(tree);
      return {
        [Symbol.dispose]() {
          held.delete(tree);
          if (held.size === 0) process.off("exit", leave);
        },
      };
    },
  };
}
