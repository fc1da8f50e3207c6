import { spawn } from "node:child_process";

import { abortable } from "../../base/async/abort.ts";
import { waitFor } from "../../base/async/bounded-wait.ts";
import { describeFault } from "../../base/files/file-fault.ts";
import type { Logger } from "../../base/log/log.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { quoteForShell } from "../../base/text/shell-quote.ts";
import type { EnvironmentError } from "../../contracts/environment/environment.ts";
import { childVariables } from "../child-environment.ts";
import { interrupted } from "../not-run.ts";
import type { CarriedState } from "../shell/carried-state.ts";
import type { ExitCleanup } from "./last-moment.ts";
import type { LocalShell, LocalShellDeps } from "./local-shell.ts";

/** What the first command starts with. A login shell takes its time: it is asked when somebody needs its answer. */
export interface InitialState {
  /** Resolves when the shell has its first state. One caller's interrupt does not end what others wait for. */
  ready(signal: AbortSignal): Promise<Result<void, EnvironmentError>>;
  /** Resolves when nothing of it runs. */
  settled(): Promise<unknown>;
}

export interface InitialStateDeps extends LocalShellDeps {
  readonly local: LocalShell;
  readonly lastMoment: ExitCleanup;
  /** Read first, in a login shell. */
  readonly files: readonly string[];
  /** How long that may take. */
  readonly filesMs: number;
  /** A sentence for the person whose files they are. */
  readonly say: (sentence: string) => void;
  readonly log: Logger;
  readonly closing: AbortSignal;
}

/** One that could not be read is tried again by the next who needs it. */
export function createInitialState(deps: InitialStateDeps): InitialState {
  let reading: Promise<Result<void, EnvironmentError>> | undefined;
  let isRead = false;

  async function read(): Promise<Result<void, EnvironmentError>> {
    const done = await readFirstState(deps);
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
 * Without the secrets that start-up files export. A shell that cannot tell leaves the state as it is: the variables of
 * this process.
 */
async function readFirstState(deps: InitialStateDeps): Promise<Result<void, EnvironmentError>> {
  const { local, lastMoment, files, filesMs, pipes, passthrough, closing, clock } = deps;
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
  using _held = lastMoment.onLeave(leave);
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
      `the start-up files of your shell (${files.join(", ")} and those of a login shell) were given up after ` +
        `${filesMs / 1000} s; commands run without the rest of them`,
    );
  }
  if (state) {
    const exports = childVariables(Object.fromEntries(state.exports), passthrough);
    adopt({ ...state, cwd: local.state.cwd, exports }, deps);
  }
  return ok(undefined);
}

/** Process numbers do not start over within this time, so the quick look is enough. */
const quickMs = 1_000;

/** A full disk takes no functions and aliases; variables need none. */
function adopt(state: CarriedState, { local, folder, log }: InitialStateDeps): void {
  try {
    local.adopt(state);
  } catch (thrown) {
    log.warn("shell.state_not_kept", { error: describeFault(thrown, folder).message });
    local.adopt({ ...state, script: "", functions: {}, aliases: {} });
  }
}

interface LeftShell {
  readonly pid: number;
  /** Stands in its command line and in no other. */
  readonly mark: string;
  /** How long it may still take. */
  readonly restMs: number;
}

/**
 * Leaves a shell that reads start-up files to end by itself: cut off, it could leave a lock behind that nobody lets go, and
 * from then on every shell of the user would wait for it. A small process outlives us to end one that never does. Never
 * throws, and waits for nothing.
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
    // Without it nothing ends the shell but itself.
  }
}

/** The number may be somebody else's by then. */
const watch = `is_there() { { cat "/proc/$1/cmdline" || ps -p "$1" -o args=; } | grep -aqF -e "$2"; } 2>/dev/null
while [ "$3" -gt 0 ]; do is_there "$1" "$2" || exit; sleep 1; set -- "$1" "$2" $(($3 - 1)); done
for how in TERM KILL; do is_there "$1" "$2" && kill -s $how -- "-$1"; sleep 1; done 2>/dev/null`;
