import { mkdtemp, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

import { linkAbort } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { describeFault } from "../../base/file-fault.ts";
import type { Logger } from "../../base/log.ts";
import { makeFolder } from "../../base/make-folder.ts";
import { once } from "../../base/once.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type {
  Environment,
  EnvironmentError,
  EnvironmentFactory,
  ExecOptions,
  ExecResult,
} from "../../contracts/environment.ts";
import { shownState } from "../shell/carried-state.ts";
import type { ShellName } from "../shell/dialect.ts";
import { backgroundProcess, type BackgroundProcess } from "./background-process.ts";
import { type OutputLimits, usualLimits } from "./captured-output.ts";
import { findShell } from "./find-shell.ts";
import { localFiles } from "./local-files.ts";
import { createLocalShell, folderFor, type LocalShell, readFirstState } from "./local-shell.ts";
import { createPipes } from "./pipes.ts";
import { createProcessTable } from "./process-table.ts";
import { type RunDeps, runCommand } from "./run-command.ts";
import { createSpillFolder, type SpillLimits } from "./spill-folder.ts";

export interface LocalDeps {
  /** As this process was started with it. Secrets are taken out here. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Names that commands may see although they would be kept from them. */
  readonly passthrough: readonly string[];
  /** Where commands start when nobody says otherwise. */
  readonly cwd: string;
  /** For pipes and state while an environment is open. */
  readonly tempFolder: string;
  /** For outputs that are too long to keep in memory; they stay after the environment is closed, within the limits. */
  readonly spillFolder: string;
  readonly spillLimits?: SpillLimits;
  readonly outputLimits?: OutputLimits;
  /** Files that a login shell reads before the first command. Undefined: the usual ones of the home folder; empty: no login shell. */
  readonly initFiles?: readonly string[];
  readonly clock: Clock;
  readonly log: Logger;
}

/** Commands on this machine, as this user. Each one has a shell of its own; what they share is the state between them. */
export function createLocalFactory(deps: LocalDeps): EnvironmentFactory {
  return {
    kind,
    async open(options, signal) {
      if (signal.aborted) return err({ kind: "unreachable", message: "interrupted" });
      const shell = findShell(deps.env);
      if (!shell.ok) return shell;
      const start = folderFor(options.cwd ?? ".", deps.cwd);
      if (!start.isThere) {
        return err({
          kind: "misconfigured",
          message: `the folder ${options.cwd ?? deps.cwd} does not exist`,
          hint: "Make it, or choose another one.",
        });
      }
      let folder: string;
      try {
        await makeFolder(deps.tempFolder, 0o700);
        folder = await mkdtemp(join(deps.tempFolder, "hermes-shell-"));
      } catch (thrown) {
        return err({ kind: "unreachable", message: describeFault(thrown, deps.tempFolder).message });
      }
      const pipes = createPipes(folder, deps.env["PATH"] ?? "/usr/bin:/bin");
      const table = createProcessTable(deps.clock);
      const shellDeps = { ...deps, shell: shell.value, cwd: start.path, folder, pipes, table };
      const local = createLocalShell(shellDeps);
      const home = deps.env["HOME"] ?? homedir();
      const files = deps.initFiles ?? usualFiles[shell.value.dialect.name].map((name) => join(home, name));
      const first = await readFirstState(local, files, shellDeps, signal);
      if (!first.ok) {
        await rm(folder, { recursive: true, force: true });
        return first;
      }
      const run: RunDeps = {
        shell: local,
        pipes,
        folder,
        spills: createSpillFolder(deps.spillFolder, deps.spillLimits ?? usualSpillLimits, deps.clock),
        limits: deps.outputLimits ?? usualLimits,
        clock: deps.clock,
        log: deps.log,
      };
      return ok(localEnvironment(local, run));
    },
  };
}

/** Those the shell itself reads only when a person types into it. */
const usualFiles: Readonly<Record<ShellName, readonly string[]>> = {
  bash: [".bashrc"],
  zsh: [".zshrc"],
  sh: [".profile"],
};

const usualSpillLimits: SpillLimits = { maxTotalBytes: 1024 ** 3, maxAgeMs: 7 * 24 * 3_600_000 };

function localEnvironment(local: LocalShell, run: RunDeps): Environment {
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  const background = new Set<BackgroundProcess>();
  const turns = new Set<{ isAlone: boolean }>();

  /** Side by side, nobody's state is taken over: there is no telling whose should win. */
  function takeTurn(): { isAlone: boolean } {
    const turn = { isAlone: turns.size === 0 };
    for (const other of turns) other.isAlone = false;
    turns.add(turn);
    return turn;
  }

  async function exec(command: string, options: ExecOptions): Promise<Result<ExecResult, EnvironmentError>> {
    const start = folderFor(options.cwd ?? ".", local.state.cwd);
    if (!start.isThere) return ok(withoutFolder(start.path, options));
    using link = linkAbort(options.signal);
    const close = () => link.abort(closing.signal.reason);
    closing.signal.addEventListener("abort", close);
    const turn = options.carry === false ? undefined : takeTurn();
    try {
      const ran = await runCommand(command, start.path, { ...options, signal: link.signal }, run);
      if (!ran.ok) return ran;
      const { result, left } = ran.value;
      const carried = turn?.isAlone === true && left !== undefined;
      if (carried) local.adopt(options.cwd === undefined ? left : { ...left, cwd: local.state.cwd });
      return ok({ ...result, cwd: local.state.cwd, carried, backend: kind });
    } finally {
      if (turn) turns.delete(turn);
      closing.signal.removeEventListener("abort", close);
    }
  }

  /** A command is never run in another folder than the one it was meant for. */
  function withoutFolder(nearest: string, { cwd }: ExecOptions): ExecResult {
    const missing = cwd ?? local.state.cwd;
    if (cwd === undefined) local.adopt({ ...local.state, cwd: nearest });
    const next = cwd === undefined ? ` The next command starts in ${nearest}.` : "";
    const head = Buffer.from(`The folder ${missing} does not exist; the command was not run.${next}\n`);
    return {
      ended: "exit",
      exitCode: 126,
      head,
      tail: new Uint8Array(),
      totalBytes: head.length,
      leftRunning: [],
      cwd: local.state.cwd,
      carried: false,
      backend: kind,
      waitedMs: 0,
      durationMs: 0,
    };
  }

  return {
    kind,
    files: localFiles(() => local.state.cwd),
    state: async () => shownState(local.state),
    async exec(command, options) {
      const fault = closing.signal.aborted ? closed : faultOf(command, options);
      if (fault) return err(fault);
      const work = exec(command, options);
      running.add(work);
      try {
        return await work;
      } finally {
        running.delete(work);
      }
    },
    async spawn(command, options, signal) {
      const fault = closing.signal.aborted ? closed : faultOf(command, options);
      if (fault) return err(fault);
      if (signal.aborted) return err({ kind: "unreachable", message: "interrupted" });
      const start = folderFor(options.cwd ?? ".", local.state.cwd);
      if (!start.isThere) {
        return err({ kind: "refused", message: `the folder ${options.cwd ?? local.state.cwd} does not exist` });
      }
      const started = await backgroundProcess(command, start.path, options.env ?? {}, run);
      if (!started.ok) return started;
      const { value } = started;
      background.add(value);
      void value.gone.then(() => background.delete(value));
      if (closing.signal.aborted) {
        await value[Symbol.asyncDispose]();
        return err(closed);
      }
      return ok(value);
    },
    [Symbol.asyncDispose]: once(async () => {
      closing.abort(new Error("the environment was closed"));
      await Promise.all([...background].map((one) => one[Symbol.asyncDispose]()));
      await Promise.allSettled(running);
      await rm(run.folder, { recursive: true, force: true, maxRetries: 3 });
    }),
  };
}

const kind = "local";
const closed: EnvironmentError = {
  kind: "unreachable",
  message: "the environment was closed",
  hint: "Open a new one.",
};

type Checked = Pick<ExecOptions, "env" | "cwd" | "pty"> & Partial<Pick<ExecOptions, "timeoutMs">>;

/** What no shell could run as it is meant. */
function faultOf(command: string, { env = {}, cwd = "", pty, timeoutMs = 1 }: Checked): EnvironmentError | undefined {
  const refused = (message: string): EnvironmentError => ({ kind: "refused", message });
  if (pty) return refused("this environment has no terminal to offer; run the command without one");
  if (command.includes("\0") || cwd.includes("\0")) return refused("a command cannot contain NUL");
  if (!(timeoutMs > 0)) return refused("the time limit must be more than 0 ms");
  if (!command.isWellFormed()) return refused("the command is not valid text: it has half a surrogate pair in it");
  for (const [name, value] of Object.entries(env)) {
    if (!/^[^=\0]+$/u.test(name) || value.includes("\0"))
      return refused(`${JSON.stringify(name)} cannot be a variable`);
  }
  return undefined;
}
