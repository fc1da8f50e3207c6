import { spawn } from "node:child_process";

import { abortable } from "../../base/async/abort.ts";
import { waitFor } from "../../base/async/bounded-wait.ts";
import { describeFault } from "../../base/files/file-fault.ts";
import type { Logger } from "../../base/log/log.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { quoteForShell } from "../../base/text/shell-quote.ts";
import type { EnvironmentError } from "../../contracts/environment/environment.ts";
import { childVariables } from "../child-environment.ts";
import { interrupted } from "../run-failures.ts";
import type { CarriedState } from "../shell/carried-state.ts";
import type { ExitCleanup } from "./exit-cleanup.ts";
import type { LocalShell, LocalShellDeps } from "./local-shell.ts";

/**
 * The shell state for the first command. A login shell provides it; because that is slow, it runs only when a caller
 * needs it.
 */
export interface InitialState {
  /** Resolves when the shell has its initial state. Aborting one call does not affect the others. */
  ready(signal: AbortSignal): Promise<Result<void, EnvironmentError>>;
  /** Resolves when no process of the login shell is running. */
  settled(): Promise<unknown>;
}

export interface InitialStateDeps extends LocalShellDeps {
  readonly local: LocalShell;
  readonly exitCleanup: ExitCleanup;
  /** Files that a login shell reads first. */
  readonly files: readonly string[];
  readonly filesMs: number;
  /** Reports a notice to the user, as a sentence. */
  readonly say: (sentence: string) => void;
  readonly log: Logger;
  readonly closing: AbortSignal;
}

/** If reading the state fails, the next caller retries it. */
export function createInitialState(deps: InitialStateDeps): InitialState {
  let reading: Promise<Result<void, EnvironmentError>> | undefined;
  let isRead = false;

  async function read(): Promise<Result<void, EnvironmentError>> {
    const done = await readInitialState(deps);
    isRead = done.ok;
    reading = undefined;
    return done;
  }

  return {
    async ready(signal) {
      if (isRead) return ok(undefined);
      try {
        return await abortable((reading ??= read()), signal);
      } catch (thrown) {
        if (signal.aborted) return err(interrupted);
        throw thrown;
      }
    },
    settled: async () => reading?.catch(() => undefined),
  };
}

/**
 * Drops secrets that start-up files export. If the shell cannot dump its state, the variables of this process are used.
 */
async function readInitialState(deps: InitialStateDeps): Promise<Result<void, EnvironmentError>> {
  const { local, exitCleanup, files, filesMs, pipes, passthrough, closing, clock } = deps;
  const making = pipes.making();
  const reading = files.map(
    (file) => `[ -r ${quoteForShell(file)} ] && . ${quoteForShell(file)} </dev/null >/dev/null 2>&1`,
  );
  const command = [making.code, ...reading].join("\n");
  const startedAt = clock.elapsed();
  const started = await local.start(command, {
    cwd: local.state.cwd,
    channel: "none",
    take: () => true,
    isLogin: files.length > 0,
  });
  if (!started.ok) return started;
  const { exited, tree, leftState } = started.value;
  const leave = () => leaveToEnd({ pid: tree.pid, mark: local.mark, restMs: filesMs - (clock.elapsed() - startedAt) });
  using _held = exitCleanup.onLeave(leave);
  const waited = await waitFor(exited, { signal: closing, ms: filesMs, clock });
  if (waited.how === "aborted") {
    leave();
    return err(interrupted);
  }
  making.isRun();
  const left = clock.elapsed() - startedAt < quickMs ? tree.leftNow : () => tree.alive(clock.elapsed());
  if (waited.how !== "done" || left().length > 0 || tree.isUnsure()) await tree.end();
  const state = leftState();
  if (waited.how === "timeout") {
    deps.log.warn("shell.start_files_too_slow", { files: [...files], limitMs: filesMs });
    deps.say(
      `the start-up files of your shell (${files.join(", ")} and those of a login shell) did not finish within ` +
        `${filesMs / 1000} s; commands run without the rest of them`,
    );
  }
  if (state) {
    const exports = childVariables(Object.fromEntries(state.exports), passthrough);
    adopt({ ...state, cwd: local.state.cwd, exports }, deps);
  }
  return ok(undefined);
}

/** Within this time pids do not wrap around, so the quick check for leftover processes is sufficient. */
const quickMs = 1_000;

/**
 * Uses the state for the first command. On a full disk only variables are kept, because functions and aliases need a
 * file.
 */
function adopt(state: CarriedState, { local, folder, log }: InitialStateDeps): void {
  try {
    local.beginWith(state);
  } catch (thrown) {
    log.warn("shell.state_not_kept", { error: describeFault(thrown, folder).message });
    local.beginWith({ ...state, script: "", functions: {}, aliases: {} });
  }
}

interface LeftShell {
  readonly pid: number;
  /** A text that only its command line contains. */
  readonly mark: string;
  /** How long the shell may continue. */
  readonly restMs: number;
}

/**
 * Lets a shell that reads start-up files end by itself: killed, it could leave a lock behind, and every later shell of
 * the user would wait for it. A small process outlives us and kills a shell that never ends. Never throws or waits.
 */
function leaveToEnd({ pid, mark, restMs }: LeftShell): void {
  const seconds = Math.max(1, Math.ceil(restMs / 1000));
  try {
    const keeper = spawn("/bin/sh", ["-c", watch, "sh", `${pid}`, mark, `${seconds}`], {
      cwd: "/",
      env: { PATH: "/usr/bin:/bin" },
      detached: true,
      stdio: "ignore",
    });
    keeper.on("error", () => {});
    keeper.unref();
  } catch {
    // Without this process, only the shell itself is killed.
  }
}

/** Checks the command line before it sends a signal, because the pid may belong to another process by then. */
const watch = `is_there() { { cat "/proc/$1/cmdline" || ps -p "$1" -o args=; } | grep -aqF -e "$2"; } 2>/dev/null
while [ "$3" -gt 0 ]; do is_there "$1" "$2" || exit; sleep 1; set -- "$1" "$2" $(($3 - 1)); done
for how in TERM KILL; do is_there "$1" "$2" && kill -s $how -- "-$1"; sleep 1; done 2>/dev/null`;
