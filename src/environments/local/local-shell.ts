import { constants, copyFileSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";

import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import { randomHex } from "../../base/digest.ts";
import { describeFault } from "../../base/files/file-fault.ts";
import { err, ok, type Result, valueOr } from "../../base/result.ts";
import type { SandboxLimits, EnvironmentError } from "../../contracts/environment/environment.ts";
import type {
  ConfinedProgram,
  ConfinedStart,
  Isolation,
  OwnFiles,
  PlannedMount,
} from "../../contracts/safety/isolation.ts";
import { childVariables, runMarker } from "../child-environment.ts";
import type { Ptys } from "../pty/ptys.ts";
import { type CarriedState, parseCarriedState, withoutExtras } from "../shell/carried-state.ts";
import { type ShellDialect, laterArguments, shellArguments } from "../shell/dialect.ts";
import { plainState } from "../shell/plain-state.ts";
import type { ShellProgram } from "./find-shell.ts";
import type { MachineProcesses } from "./machine-processes.ts";
import { endKeepers, isKeeper, signalFromExit } from "./namespace-keeper.ts";
import type { Pipe, Pipes } from "./pipes.ts";
import { describeProcess } from "./process-tree.ts";
import type { LiveProcess } from "./process-view.ts";
import { readAndDelete } from "./read-and-delete.ts";
import { type ShellChannel, type ShellProcess, startShell } from "./shell-process.ts";

/** Starts the shells of one environment and holds the state for its next command. */
export interface LocalShell {
  readonly state: CarriedState;
  /** Variables of the first command. */
  readonly initial: CarriedState["exports"];
  /** Variables that unsandboxed commands last exported. */
  readonly trusted: CarriedState["exports"];
  /** Part of the command line of each shell of this environment. */
  readonly mark: string;
  /** Marks all processes of this environment, followed by a dot and the number of the run. */
  readonly marker: string;
  /** Starts a shell; the reader runs until it is stopped. When the start fails, the pipe is closed. */
  start(command: string, options: ShellStartOptions): Promise<Result<StartedShell, EnvironmentError>>;
  /** Starts a shell in advance for a plain command, which runs in this folder without its own variables or input. */
  prepare(options: PrepareOptions): Promise<Result<WaitingShell, EnvironmentError>>;
  /**
   * Returns the arguments of a shell that another program starts. That shell does not save its state, and its files
   * outlive the environment. Throws on a full disk.
   */
  aside(command: string, options: AsideOptions): Result<ShellAside, EnvironmentError>;
  /** Sets the state of the first command. */
  beginWith(state: CarriedState): void;
  /** Sets the state of the next command. `isForged`: the state comes from a sandboxed command and is untrusted. */
  adopt(state: CarriedState, isForged?: boolean): void;
}

export interface ShellStartOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly channel: ShellChannel;
  readonly take: (chunk: Uint8Array) => boolean;
  readonly isLogin?: boolean;
  /** False: the state after the command is not needed. */
  readonly isKept?: boolean;
  /** Missing: no sandbox. */
  readonly isolation?: Isolation | undefined;
}

export interface PrepareOptions extends Pick<ShellStartOptions, "take" | "isolation"> {
  readonly pipe: Pipe;
}

/** A shell that was started in advance and has no command yet. */
export interface WaitingShell extends StartedShell {
  /** Whether a plain command in this folder would start the same way now. */
  fits(cwd: string, isolation: Isolation | undefined): boolean;
  /** Runs the command, which must not contain NUL. */
  run(command: string): void;
  /** Ends the shell unless it has a command. */
  dismiss(): void;
}

export interface AsideOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly isolation?: Isolation | undefined;
}

export interface ShellAside {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly marker: string;
  readonly files: readonly string[];
  readonly isConfined: boolean;
  readonly mounts?: readonly PlannedMount[];
}

export interface StartedShell extends ShellProcess {
  /** A process name for users; undefined for a process that only holds the namespace. */
  describeProcess(seen: LiveProcess): string | undefined;
  /** Whether no process of the command is left. Kills a process that only holds its namespace. */
  isOver(left: readonly LiveProcess[]): boolean;
  readonly confined?: SandboxLimits;
  /** The state that the shell saved, read once; undefined if it saved none. */
  leftState(): CarriedState | undefined;
}

export interface LocalShellDeps {
  readonly shell: ShellProgram;
  /** The environment of this process. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly passthrough: readonly string[];
  readonly cwd: string;
  /** A private folder. */
  readonly folder: string;
  /** The parent of `folder`, shared by all our shells. */
  readonly shellsFolder: string;
  readonly pipes: Pipes;
  readonly ptys: Ptys;
  readonly table: MachineProcesses;
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
  let initial = state.exports;
  let trusted = state.exports;
  let scriptFile: string | undefined;
  /**
   * Provides a trusted script for a command outside the sandbox, if a sandboxed command may have forged the state
   * script.
   */
  let plain:
    | (() => { readonly script: string | undefined; readonly env: Readonly<Record<string, string>> })
    | undefined;
  let versions = 0;
  let runs = 0;

  /** The folder where sandboxed shells save their state. It is the only one of our folders that they can write. */
  const leftFolder = join(folder, "left");
  const emptyFile = join(folder, "empty");

  /** The program and arguments that start a shell with these arguments. */
  function begin(
    start: Omit<ConfinedStart, "program" | "own">,
    isolation: Isolation | undefined,
    own: Pick<OwnFiles, "visible" | "writable">,
  ): Result<Omit<ConfinedProgram, "confined"> & { readonly confined?: SandboxLimits }, EnvironmentError> {
    const { program } = shell;
    if (!isolation) return ok({ program, args: start.args, env: start.env });
    try {
      mkdirSync(leftFolder, { recursive: true, mode: 0o700 });
      if (!existsSync(emptyFile)) writeFileSync(emptyFile, "", { mode: 0o400 });
    } catch (thrown) {
      return err({ kind: "unreachable", message: describeFault(thrown, folder).message });
    }
    return isolation.confine({ ...start, program, own: { folder: deps.shellsFolder, emptyFile, ...own } });
  }

  function writeScript(name: string, text: string): string | undefined {
    if (text === "") return undefined;
    const file = join(folder, name);
    writeFileSync(file, text, { encoding: "latin1", mode: 0o600 });
    return file;
  }

  function makePlain(from: CarriedState) {
    const { env, script: text } = plainState(from, shell.dialect);
    return { env, script: writeScript(`plain-${versions}`, text) };
  }

  /** Code that restores the state that the environment cannot contain. */
  const broughtBack = (isolation: Isolation | undefined) =>
    (isolation ? undefined : plain?.()) ?? { script: scriptFile, env: {} };

  /** The marker of the next run, which all its processes have in their environment. */
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

  /** `command` is undefined for a shell that is started in advance and gets its command later. */
  async function startShellFor(
    command: () => string | typeof laterArguments,
    options: ShellStartOptions,
  ): Promise<Result<StartedShell & { isStill(isolation: Isolation | undefined): boolean }, EnvironmentError>> {
    const { isolation, channel, cwd, take } = options;
    const { script, env: definitions } = broughtBack(isolation);
    const { run, env: own } = nextRun(cwd, options.env ?? {});
    const env = { ...own, ...definitions };
    const saved = isolation ? join(leftFolder, `${runs}`) : join(folder, `left-${runs}`);
    // A file that a sandboxed shell creates when it ends normally.
    const saveTo = options.isKept === false && !isolation ? undefined : saved;
    const wrapping = { ...(saveTo !== undefined && { saveTo }), mark, ...(script !== undefined && { script }) };
    const args = shellArguments(shell.dialect, command(), wrapping);
    const beginIn = (isolated: Isolation | undefined) =>
      begin({ args: options.isLogin ? ["-l", ...args] : args, env, cwd }, isolated, {
        visible: script === undefined ? [] : [script],
        writable: [leftFolder],
      });
    const beginning = beginIn(isolation);
    const giveBack = () => channel !== "none" && "pipe" in channel && channel.pipe.giveBack(false);
    if (!beginning.ok) {
      giveBack();
      return beginning;
    }
    const areSame =
      command() === laterArguments ? sameFiles([cwd, ...beginning.value.args.filter(isPath)]) : () => true;
    const started = await startShell({ ...beginning.value, cwd, marker: run, channel, take }, deps);
    if (!started.ok) {
      giveBack();
      return started;
    }
    const { exited } = started.value;
    const { confined } = beginning.value;
    const named = () => {
      const commandText = command();
      return commandText === laterArguments ? "" : commandText;
    };
    return ok({
      ...started.value,
      ...(confined && { confined }),
      // A shell that ended normally has saved its state.
      exited: confined ? exited.then((exit) => (existsSync(saved) ? exit : signalFromExit(exit))) : exited,
      describeProcess: (seen) =>
        confined && isKeeper(seen) ? undefined : describeProcess(seen, args[1] ?? "", named()),
      isOver: (left) => left.length === 0 || (confined !== undefined && endKeepers(left)),
      leftState() {
        const dump = saveTo === undefined ? undefined : readAndDelete(saveTo);
        // Ignores the marker of the run, which is always different.
        const left =
          dump === undefined ? undefined : read(dump.replace(`${runMarker}="${env[runMarker]}"`, `${runMarker}=""`));
        return left && withoutExtras(left, state, options.env ?? {});
      },
      // The prepared shell cannot be used if files have appeared or disappeared, because its sandbox would be different
      // now.
      isStill: (isolated) => isDeepStrictEqual(beginIn(isolated), beginning) && areSame(),
    });
  }

  const own: LocalShell = {
    mark,
    marker,
    get state() {
      return state;
    },
    get initial() {
      return initial;
    },
    get trusted() {
      return trusted;
    },
    beginWith(first) {
      own.adopt(first);
      initial = first.exports;
    },
    adopt(next, isForged = false) {
      if (next.script !== state.script) {
        // Uses a new name each time, because a command that just started may not have read the old file yet.
        versions += 1;
        scriptFile = writeScript(`state-${versions}`, next.script);
        plain = isForged ? once(() => makePlain(next)) : undefined;
        for (const name of ["state", "plain"])
          rmSync(join(folder, `${name}-${versions - keptVersions}`), { force: true });
      }
      if (!isForged) trusted = next.exports;
      state = next;
    },
    start: (command, options) => startShellFor(() => command, options),
    async prepare({ pipe, take, isolation }) {
      const [cwd, from] = [state.cwd, state];
      let command: string | typeof laterArguments = laterArguments;
      let isGone = false;
      const channel = { pipe, isFed: true };
      const started = await startShellFor(() => command, { cwd, channel, take, isolation });
      if (!started.ok) return started;
      const { feed, exited, tree, isStill } = started.value;
      const settling = deps.clock.after(settlingMs, tree.settle);
      void exited.then(() => (isGone = true));
      // The exit event of a shell that just ended may be pending.
      const isThere = () => !isGone && (deps.table.find(tree.pid) !== undefined || deps.table.newest() === 0);
      return ok({
        ...started.value,
        fits: (folder, isolated) => isThere() && state === from && folder === cwd && isStill(isolated),
        run(text) {
          command = text;
          settling[Symbol.dispose]();
          feed?.(`${text}\0`);
        },
        dismiss() {
          settling[Symbol.dispose]();
          feed?.("");
        },
      });
    },
    aside(command, { cwd, env: extras, isolation }) {
      const { script, env: definitions } = broughtBack(isolation);
      const { run, env: started } = nextRun(cwd, extras);
      const env = { ...started, ...definitions };
      const own = script === undefined ? undefined : join(deps.shellsFolder, `state-${randomHex(12)}`);
      if (own !== undefined && script !== undefined) copyFileSync(script, own, constants.COPYFILE_EXCL);
      const args = shellArguments(shell.dialect, command, {
        mark,
        ...(own !== undefined && { script: own }),
      });
      const files = own === undefined ? [] : [own];
      const beginning = begin({ args, env, cwd }, isolation, { visible: files, writable: [] });
      if (!beginning.ok) {
        for (const file of files) rmSync(file, { force: true });
        return beginning;
      }
      const { confined, ...shellStart } = beginning.value;
      return ok({ ...shellStart, marker: run, files, isConfined: confined !== undefined });
    },
  };
  return own;
}

const keptVersions = 64;
/** After this time the mounts of the sandbox exist. Later changes are detected too. */
const settlingMs = 100;

/** The mounted paths in the arguments of a sandbox. */
function isPath(word: string): boolean {
  return word.startsWith("/") && word.length < 4096;
}

/** The folder to start in, or its nearest existing parent. */
export function folderFor(cwd: string, from: string): { readonly path: string; readonly isThere: boolean } {
  const target = resolve(from, cwd);
  let path = target;
  while (!isFolder(path) && dirname(path) !== path) path = dirname(path);
  return { path, isThere: path === target };
}

function isFolder(path: string): boolean {
  return valueOr(() => statSync(path).isDirectory(), false);
}

/** Caches the last parsed dump, because most commands do not change the state. */
function readLatest(mark: string, dialect: ShellDialect): (dump: string) => CarriedState | undefined {
  let latest: { readonly dump: string; readonly state: CarriedState | undefined } | undefined;
  return (dump) => {
    if (latest?.dump !== dump) latest = { dump, state: parseCarriedState(dump, mark, dialect) };
    return latest.state;
  };
}

/**
 * Checks later whether each path still refers to the same file or folder. A replaced file is different, even under the
 * same name: a mount over the old one does not cover the new one.
 */
function sameFiles(paths: Iterable<string>): () => boolean {
  const before = new Map([...paths].map((path) => [path, identityOf(path)]));
  return () => [...before].every(([path, identity]) => identityOf(path) === identity);
}

/** Empty for a missing path. Inode numbers are reused, birth times are not. */
function identityOf(path: string): string {
  const result = valueOr(() => statSync(path, { bigint: true }), undefined);
  return result ? `${result.dev} ${result.ino} ${result.birthtimeNs}` : "";
}
