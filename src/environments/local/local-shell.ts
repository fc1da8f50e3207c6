import { randomBytes } from "node:crypto";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { waitFor } from "../../base/bounded-wait.ts";
import type { Clock } from "../../base/clock.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { EnvironmentError } from "../../contracts/environment.ts";
import { type CarriedState, readState } from "../shell/carried-state.ts";
import { type Dialect, shellArguments } from "../shell/dialect.ts";
import { quoted } from "../shell/words.ts";
import { childVariables, runMarker } from "./child-environment.ts";
import type { FoundShell } from "./find-shell.ts";
import type { Pipe, Pipes } from "./pipes.ts";
import type { ProcessTable } from "./process-table.ts";
import { type ShellProcess, startShell } from "./shell-process.ts";

/** The shell of one environment: what its next command starts with, and how one is started. */
export interface LocalShell {
  readonly state: CarriedState;
  /** Marks all processes of this environment, with a dot and the number of the run behind it. */
  readonly marker: string;
  /** Reads from the pipe until it is told to stop. When nothing was started the pipe is gone. */
  start(command: string, options: StartOptions): Promise<Result<StartedShell, EnvironmentError>>;
  /** Makes this what the next command starts with. */
  adopt(state: CarriedState): void;
}

export interface StartOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly pipe: Pipe;
  readonly stdin?: number;
  readonly take: (chunk: Uint8Array) => boolean;
  readonly isLogin?: boolean;
}

export interface StartedShell extends ShellProcess {
  /** The text around the command, to know the shell's own processes by. */
  readonly wrapping: string;
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
  readonly pipes: Pipes;
  readonly table: ProcessTable;
  readonly clock: Clock;
}

export function createLocalShell(deps: LocalShellDeps): LocalShell {
  const { shell, folder } = deps;
  const variables = childVariables(deps.env, deps.passthrough);
  const shellLevel = variables.get("SHLVL");
  const marker = randomBytes(8).toString("hex");
  const mark = randomBytes(12).toString("hex");
  const read = readLatest(mark, shell.dialect);
  const outer = deps.env[runMarker];
  let state: CarriedState = { cwd: deps.cwd, exports: variables, script: "", functions: {}, aliases: {} };
  let script: string | undefined;
  let versions = 0;
  let runs = 0;

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
      const run = `${marker}.${(runs += 1)}`;
      const saveTo = join(folder, `left-${runs}`);
      const args = shellArguments(shell.dialect, command, { saveTo, mark, ...(script !== undefined && { script }) });
      const started = await startShell(
        {
          program: shell.program,
          args: options.isLogin ? ["-l", ...args] : args,
          env: {
            ...Object.fromEntries(state.exports),
            ...(shellLevel !== undefined && { SHLVL: shellLevel }),
            ...options.env,
            PWD: options.cwd,
            [runMarker]: outer ? `${outer} ${run}` : run,
          },
          cwd: options.cwd,
          marker: run,
          pipe: options.pipe,
          take: options.take,
          ...(options.stdin !== undefined && { stdin: options.stdin }),
        },
        deps,
      );
      if (!started.ok) {
        options.pipe.giveBack(false);
        return started;
      }
      const leftState = () => {
        const dump = takeFile(saveTo);
        const left = dump === undefined ? undefined : read(dump);
        return left && withoutExtras(left, state, options.env ?? {});
      };
      return ok({ ...started.value, wrapping: args[1] ?? "", leftState });
    },
  };
}

const keptVersions = 64;

/**
 * What commands start with, without the secrets that start-up files export. With `files` these are read first, in a login
 * shell. A shell that cannot tell leaves the state as it is: the variables of this process.
 */
export async function readFirstState(
  local: LocalShell,
  files: readonly string[],
  { pipes, passthrough, clock }: LocalShellDeps,
  signal: AbortSignal,
): Promise<Result<void, EnvironmentError>> {
  const pipe = await pipes.take();
  if (!pipe.ok) return err({ kind: "unreachable", message: pipe.error.message });
  const command = files
    .map((file) => `[ -r ${quoted(file)} ] && . ${quoted(file)} </dev/null >/dev/null 2>&1`)
    .join("\n");
  const started = await local.start(command, {
    cwd: local.state.cwd,
    pipe: pipe.value,
    take: () => true,
    isLogin: files.length > 0,
  });
  if (!started.ok) return started;
  const { exited, tree, output, leftState } = started.value;
  const waited = await waitFor(exited, { signal, ms: firstStateMs, clock });
  if (waited.how !== "done" || tree.alive(clock.elapsed()).length > 0 || tree.isUnsure()) await tree.end();
  const left = leftState();
  output.stop();
  await output.ended;
  pipe.value.giveBack(output.isAtEnd);
  if (waited.how === "aborted") return err({ kind: "unreachable", message: "interrupted" });
  if (left) {
    const exports = childVariables(Object.fromEntries(left.exports), passthrough);
    local.adopt({ ...left, cwd: local.state.cwd, exports });
  }
  return ok(undefined);
}

const firstStateMs = 30_000;

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

/** Variables that were set for one command alone are what they were before. */
function withoutExtras(
  left: CarriedState,
  before: CarriedState,
  extras: Readonly<Record<string, string>>,
): CarriedState {
  const names = Object.keys(extras);
  if (names.length === 0) return left;
  const exports = new Map(left.exports);
  for (const name of names) {
    const value = before.exports.get(name);
    if (value === undefined) exports.delete(name);
    else exports.set(name, value);
  }
  return { ...left, exports };
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
