import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { randomHex } from "../../base/digest.ts";
import { ok, type Result } from "../../base/result.ts";
import type { EnvironmentError } from "../../contracts/environment.ts";
import { childVariables, runMarker } from "../child-environment.ts";
import type { Ptys } from "../pty/ptys.ts";
import { type CarriedState, readState, withoutExtras } from "../shell/carried-state.ts";
import { type Dialect, shellArguments } from "../shell/dialect.ts";
import type { FoundShell } from "./find-shell.ts";
import { type PidNamespace, signalBehind } from "./pid-namespace.ts";
import type { Pipes } from "./pipes.ts";
import { type ProcessTable, wordsOf } from "./process-table.ts";
import { nameOf } from "./process-tree.ts";
import type { SeenProcess } from "./process-view.ts";
import { type ShellChannel, type ShellProcess, startShell } from "./shell-process.ts";

/** The shell of one environment: what its next command starts with, and how one is started. */
export interface LocalShell {
  readonly state: CarriedState;
  /** Marks all processes of this environment, with a dot and the number of the run behind it. */
  readonly marker: string;
  /** Reads the output until it is told to stop. When nothing was started the pipe is gone. */
  start(command: string, options: StartOptions): Promise<Result<StartedShell, EnvironmentError>>;
  /** A shell that somebody else starts and that saves nothing. Its files outlast the environment. Throws on a full disk. */
  aside(command: string, options: AsideOptions): ShellAside;
  /** Makes this what the next command starts with. */
  adopt(state: CarriedState): void;
}

export interface StartOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly channel: ShellChannel;
  readonly take: (chunk: Uint8Array) => boolean;
  readonly isLogin?: boolean;
}

export interface AsideOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface ShellAside {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly marker: string;
  readonly files: readonly string[];
}

export interface StartedShell extends ShellProcess {
  /** As a person would name it; undefined for what only holds the others together. */
  nameOf(seen: SeenProcess): string | undefined;
  /** The state that the shell left, read once; undefined when it could not tell. */
  leftState(): CarriedState | undefined;
}

export interface LocalShellDeps {
  readonly shell: FoundShell;
  /** As this process has it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly passthrough: readonly string[];
  readonly cwd: string;
  /** Only ours, readable by nobody else. */
  readonly folder: string;
  readonly tempFolder: string;
  readonly pipes: Pipes;
  readonly ptys: Ptys;
  readonly table: ProcessTable;
  readonly namespace?: PidNamespace;
  readonly clock: Clock;
}

export function createLocalShell(deps: LocalShellDeps): LocalShell {
  const { shell, folder } = deps;
  const variables = childVariables(deps.env, deps.passthrough);
  const shellLevel = variables.get("SHLVL");
  const marker = randomHex(8);
  const mark = randomHex(12);
  const read = readLatest(mark, shell.dialect);
  const outer = deps.env[runMarker];
  let state: CarriedState = { cwd: deps.cwd, exports: variables, script: "", functions: {}, aliases: {} };
  let script: string | undefined;
  let versions = 0;
  let runs = 0;

  const inNamespace = (program: string, args: readonly string[]) =>
    deps.namespace?.wrap(program, args) ?? { program, args };

  /** The mark of the next run and what all its processes have in their environment. */
  function nextRun(cwd: string, extras: Readonly<Record<string, string>>) {
    const run = `${marker}.${(runs += 1)}`;
    const env = {
      ...Object.fromEntries(state.exports),
      ...(shellLevel !== undefined && { SHLVL: shellLevel }),
      ...extras,
      PWD: cwd,
      [runMarker]: outer ? `${outer} ${run}` : run,
    };
    return { run, env };
  }

  return {
    marker,
    get state() {
      return state;
    },
    adopt(next) {
      if (next.script !== state.script) {
        // A new name each time: a command that was started just now may not have read the old one yet.
        script = next.script === "" ? undefined : join(folder, `state-${(versions += 1)}`);
        if (script !== undefined) writeFileSync(script, next.script, { encoding: "latin1", mode: 0o600 });
        rmSync(join(folder, `state-${versions - keptVersions}`), { force: true });
      }
      state = next;
    },
    async start(command, options) {
      const { run, env } = nextRun(options.cwd, options.env ?? {});
      const saveTo = join(folder, `left-${runs}`);
      const args = shellArguments(shell.dialect, command, { saveTo, mark, ...(script !== undefined && { script }) });
      const started = await startShell(
        {
          ...inNamespace(shell.program, options.isLogin ? ["-l", ...args] : args),
          env,
          cwd: options.cwd,
          marker: run,
          channel: options.channel,
          take: options.take,
        },
        deps,
      );
      if (!started.ok) {
        if ("pipe" in options.channel) options.channel.pipe.giveBack(false);
        return started;
      }
      const { exited } = started.value;
      return ok({
        ...started.value,
        // A shell that ended by itself has saved its state.
        exited: deps.namespace ? exited.then((exit) => (existsSync(saveTo) ? exit : signalBehind(exit))) : exited,
        nameOf: (seen) => (isKeeper(seen, deps.namespace) ? undefined : nameOf(seen, args[1] ?? "", command)),
        leftState() {
          const dump = takeFile(saveTo);
          // The mark of the run is the one thing that is never as it was.
          const left =
            dump === undefined ? undefined : read(dump.replace(`${runMarker}="${env[runMarker]}"`, `${runMarker}=""`));
          return left && withoutExtras(left, state, options.env ?? {});
        },
      });
    },
    aside(command, options) {
      const { run, env } = nextRun(options.cwd, options.env);
      const own = script === undefined ? undefined : join(deps.tempFolder, `hermes-state-${randomHex(12)}`);
      if (own !== undefined) writeFileSync(own, state.script, { encoding: "latin1", mode: 0o600, flag: "wx" });
      const args = shellArguments(shell.dialect, command, {
        // Nothing is saved where something is already.
        saveTo: "/dev/null",
        mark,
        ...(own !== undefined && { script: own }),
      });
      return {
        ...inNamespace(shell.program, args),
        env,
        marker: run,
        files: own === undefined ? [] : [own],
      };
    },
  };
}

function isKeeper({ pid }: SeenProcess, namespace: PidNamespace | undefined): boolean {
  return namespace !== undefined && wordsOf(pid)[0] === namespace.program;
}

const keptVersions = 64;

/** A folder to start in, or the nearest one above it that is still there. */
export function folderFor(cwd: string, from: string): { readonly path: string; readonly isThere: boolean } {
  const wanted = resolve(from, cwd);
  let path = wanted;
  while (!isFolder(path) && dirname(path) !== path) path = dirname(path);
  return { path, isThere: path === wanted };
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Most commands leave the state as it was: the same dump is not read twice. */
function readLatest(mark: string, dialect: Dialect): (dump: string) => CarriedState | undefined {
  let latest: { readonly dump: string; readonly state: CarriedState | undefined } | undefined;
  return (dump) => {
    if (latest?.dump !== dump) latest = { dump, state: readState(dump, mark, dialect) };
    return latest.state;
  };
}

function takeFile(path: string): string | undefined {
  try {
    const text = readFileSync(path, "latin1");
    rmSync(path);
    return text;
  } catch {
    return undefined;
  }
}
