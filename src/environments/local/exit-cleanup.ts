import { createWatchdog } from "../../base/process/watchdog.ts";
import type { ProcessTree } from "./process-tree.ts";
import { removeShellFolder, type ShellFolder } from "./shell-folder.ts";

/**
 * Cleanup that must run however this program exits (a second Ctrl-C, `process.exit`): always removes the folder, and
 * kills a process tree until its registration is disposed, even after a kill -9.
 */
export interface ExitCleanup extends Disposable {
  /**
   * Call this before you start a process that you pass to `hold`: otherwise a kill -9 between the start and `hold`
   * leaves the process running.
   */
  prepare(): void;
  hold(tree: ProcessTree): Disposable;
  /** Runs at exit, synchronously. */
  onLeave(run: () => void): Disposable;
}

/** `folder` contains pipes and state, which are useless after exit. */
export function createExitCleanup(folder: ShellFolder): ExitCleanup {
  const held = new Set<{ readonly leave: () => void }>();
  const watchdog = createWatchdog();
  // The exit handler must be synchronous.
  const leave = () => {
    for (const each of held) each.leave();
    removeShellFolder(folder);
  };
  // One exit handler for all environments, because a program may have hundreds of them.
  process.setMaxListeners(Math.max(process.getMaxListeners(), process.listenerCount("exit") + 10));
  process.on("exit", leave);

  function onLeave(run: () => void): Disposable {
    const one = { leave: run };
    held.add(one);
    return { [Symbol.dispose]: () => void held.delete(one) };
  }
  return {
    prepare: watchdog.prepare,
    hold(tree) {
      const both = new DisposableStack();
      both.use(onLeave(tree.killNow));
      both.use(watchdog.watch(tree.pid, tree.marker));
      return both;
    },
    onLeave,
    [Symbol.dispose]() {
      process.off("exit", leave);
      watchdog[Symbol.dispose]();
    },
  };
}
