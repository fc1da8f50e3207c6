import { join } from "node:path";

import { linkAbort } from "../../base/async/abort.ts";
import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import { describeFault } from "../../base/files/file-fault.ts";
import type { Logger } from "../../base/log/log.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { homeFolder } from "../../base/this-user.ts";
import type {
  Environment,
  EnvironmentError,
  EnvironmentFactory,
  ExecOptions,
  ExecResult,
  ProcessHandle,
  PtySize,
  ShellState,
  SpawnOptions,
  CreatedEnvironment,
} from "../../contracts/environment/environment.ts";
import type { Isolation, IsolationState } from "../../contracts/safety/isolation.ts";
import { type OutputLimits, defaultOutputLimits } from "../output/captured-output.ts";
import { createSpillFolder, type SpillLimits, defaultSpillLimits } from "../output/spill-folder.ts";
import { sizeFault } from "../pty/pty-size.ts";
import { createPtys } from "../pty/ptys.ts";
import { terminalVariables } from "../pty/terminal-variables.ts";
import { environmentClosed, commandFault, interrupted, missingFolderResult } from "../run-failures.ts";
import { createRunningCommands } from "../running-commands.ts";
import { type CarriedState, describeState } from "../shell/carried-state.ts";
import type { ShellName } from "../shell/dialect.ts";
import { shouldRetry } from "../start-program.ts";
import type { Supervisor } from "../supervisor/supervisor.ts";
import { createExitCleanup } from "./exit-cleanup.ts";
import { findShell } from "./find-shell.ts";
import { createInitialState, type InitialState } from "./initial-state.ts";
import { localFiles } from "./local-files.ts";
import { type AsideOptions, createLocalShell, folderFor, type LocalShell, type ShellAside } from "./local-shell.ts";
import { createMachineProcesses } from "./machine-processes.ts";
import { createPipes } from "./pipes.ts";
import { createReadyShell } from "./ready-shell.ts";
import { type LocalRunDeps, runLocalCommand } from "./run-command.ts";
import { makeShellFolder, removeShellFolder, type ShellFolder } from "./shell-folder.ts";

export interface LocalDeps {
  /** The environment of this process. Secrets are removed here. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Search path for this environment's own programs. Default: PATH. */
  readonly searchPath?: string;
  /** Names of variables that commands may see although they are withheld by default. */
  readonly passthrough: readonly string[];
  /** Default working folder of commands. */
  readonly cwd: string;
  /** Folder for pipes and state while an environment is open. */
  readonly tempFolder: string;
  /** Folder for outputs that are too long for memory; they stay after the environment closes, within the limits. */
  readonly spillFolder: string;
  readonly spillLimits?: SpillLimits;
  readonly outputLimits?: OutputLimits;
  /**
   * Files that a login shell reads before the first command. Undefined: the usual ones of the home folder; empty: no
   * login shell.
   */
  readonly initFiles?: readonly string[];
  /** Timeout for these files. Default: 30 s. */
  readonly initFilesMs?: number;
  readonly supervisor: Supervisor;
  /**
   * Returns the sandbox for commands that no user approved; called before each command. Missing: no sandbox. Never
   * rejects.
   */
  readonly isolation?: (signal: AbortSignal) => Promise<IsolationState>;
  /** Reports notices to the user while the environment opens, a sentence each. */
  readonly say?: (sentence: string) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Runs commands on this machine as this user. Each has its own shell; they share the state between commands. */
export function createLocalFactory(deps: LocalDeps): EnvironmentFactory {
  return {
    kind,
    async open(options, signal) {
      if (signal.aborted) return err(interrupted);
      const searchPath = deps.searchPath || deps.env["PATH"] || "/usr/local/bin:/usr/bin:/bin";
      const shell = findShell({ ...deps.env, PATH: searchPath });
      if (!shell.ok) return shell;
      const start = folderFor(options.cwd ?? ".", deps.cwd);
      if (!start.isThere) {
        return err({
          kind: "misconfigured",
          message: `the folder ${options.cwd ?? deps.cwd} does not exist`,
          hint: "Create it, or choose another folder.",
        });
      }
      const created = makeShellFolder(deps.tempFolder);
      if (!created.ok) return created;
      const { shellsFolder, folder } = created.value;
      const shellDeps = {
        ...deps,
        shell: shell.value,
        cwd: start.path,
        folder,
        shellsFolder,
        pipes: createPipes(folder, searchPath),
        ptys: createPtys(),
        table: createMachineProcesses(deps.clock),
      };
      const local = createLocalShell(shellDeps);
      const exitCleanup = createExitCleanup(created.value);
      const home = deps.env["HOME"] ?? homeFolder();
      const files = deps.initFiles ?? defaultFiles[shell.value.dialect.name].map((name) => join(home, name));
      const closing = new AbortController();
      const first = createInitialState({
        ...shellDeps,
        local,
        exitCleanup,
        files,
        filesMs: deps.initFilesMs ?? 30_000,
        say: deps.say ?? (() => {}),
        closing: closing.signal,
      });
      const run: LocalRunDeps = {
        shell: local,
        pipes: shellDeps.pipes,
        ready: createReadyShell({
          shell: local,
          pipes: shellDeps.pipes,
          isAble: shell.value.dialect.waits !== undefined,
          clock: deps.clock,
        }),
        exitCleanup,
        folder,
        spills: createSpillFolder(deps.spillFolder, deps.spillLimits ?? defaultSpillLimits, deps.clock),
        limits: deps.outputLimits ?? defaultOutputLimits,
        clock: deps.clock,
        log: deps.log,
      };
      const { supervisor, isolation } = deps;
      const more = { shellFolder: created.value, ...(isolation && { isolation }) };
      return ok(localEnvironment({ local, first, run, closing, supervisor, ...more }));
    },
  };
}

/** Files that the shell itself reads only in interactive mode. */
const defaultFiles: Readonly<Record<ShellName, readonly string[]>> = {
  bash: [".bashrc"],
  zsh: [".zshrc"],
  sh: [".profile"],
};

interface OpenedDeps {
  readonly local: LocalShell;
  readonly first: InitialState;
  readonly run: LocalRunDeps;
  readonly closing: AbortController;
  readonly supervisor: Supervisor;
  readonly isolation?: NonNullable<LocalDeps["isolation"]>;
  readonly shellFolder: ShellFolder;
}

/** The sandbox of a command; undefined for a command outside of a sandbox. */
type Confining = (
  signal: AbortSignal,
  limits?: Pick<ExecOptions, "changesOnly">,
) => Promise<Result<Isolation | undefined, EnvironmentError>>;

function localEnvironment({
  local,
  first,
  run,
  closing,
  supervisor,
  isolation,
  shellFolder,
}: OpenedDeps): CreatedEnvironment {
  const running = new Set<Promise<unknown>>();
  const turns = createRunningCommands();
  /** The sandbox of the last command, which the next one will probably have too. */
  let last: { readonly value: Isolation | undefined } | undefined;

  const inside: Confining = async (signal) => {
    const held = await isolation?.(signal);
    if (held?.mode === "missing") return err(held.fault);
    return ok(held?.mode === "on" ? held.isolation : undefined);
  };
  /** Limits cannot be enforced without a sandbox. */
  const outside: Confining = async (signal, { changesOnly } = {}) => {
    const held = await isolation?.(signal);
    if (held?.mode !== "on") return ok(undefined);
    const { sparing } = held.isolation;
    return ok(changesOnly ? (held.isolation.onlyChanging?.(changesOnly) ?? sparing) : sparing);
  };

  async function exec(
    command: string,
    options: ExecOptions,
    confining: Confining,
  ): Promise<Result<ExecResult, EnvironmentError>> {
    const start = folderFor(options.cwd ?? ".", local.state.cwd);
    if (!start.isThere) return ok(inMissingFolder(start.path, options));
    using link = linkAbort(options.signal);
    const close = () => link.abort(closing.signal.reason);
    closing.signal.addEventListener("abort", close);
    using turn = options.carry === false ? undefined : turns.take();
    try {
      const askedAt = run.clock.elapsed();
      const ready = await first.ready(link.signal);
      // A command that was interrupted meanwhile has a normal result.
      if (!ready.ok && !link.signal.aborted) return ready;
      const held = await confining(link.signal, options);
      if (!held.ok && !link.signal.aborted) return held;
      const readyMs = run.clock.elapsed() - askedAt;
      // The state of commands that run in parallel is not carried over to later commands.
      const isKept = turn?.isAlone === true;
      const wish = { ...options, signal: link.signal, isKept, ...(held.ok && { isolation: held.value }) };
      const ran = await runLocalCommand(command, start.path, wish, run);
      if (!ran.ok) return ran;
      const { left } = ran.value;
      const result = { ...ran.value.result, waitedMs: ran.value.result.waitedMs + readyMs };
      const carried =
        turn?.isAlone === true && left !== undefined && adopt(left, options, result.confined !== undefined);
      if (held.ok && !options.changesOnly) last = held;
      return ok({ ...result, cwd: local.state.cwd, carried, backend: kind });
    } finally {
      closing.signal.removeEventListener("abort", close);
    }
  }

  /** The command has run: a full disk that cannot store the shell state must not hide its result. */
  function adopt(left: CarriedState, { cwd }: ExecOptions, isForged: boolean): boolean {
    try {
      local.adopt(cwd === undefined ? left : { ...left, cwd: local.state.cwd }, isForged);
      return true;
    } catch (thrown) {
      run.log.warn("exec.state_not_kept", { error: describeFault(thrown, run.folder).message });
      return false;
    }
  }

  function inMissingFolder(nearest: string, { cwd }: ExecOptions): ExecResult {
    const missing = cwd ?? local.state.cwd;
    // Only the folder of a sandboxed command is used; the rest of its state is untrusted.
    if (cwd === undefined) local.adopt({ ...local.state, cwd: nearest }, true);
    const refusal = missingFolderResult(missing, cwd === undefined ? nearest : undefined);
    return { ...refusal, cwd: local.state.cwd, backend: kind };
  }

  async function spawn(
    command: string,
    options: SpawnOptions,
    confining: Confining,
    signal: AbortSignal,
  ): Promise<Result<ProcessHandle, EnvironmentError>> {
    const ready = await first.ready(signal);
    if (!ready.ok) return ready;
    const held = await confining(signal, options);
    if (!held.ok) return held;
    if (signal.aborted) return err(interrupted);
    const { path: cwd, isThere } = folderFor(options.cwd ?? ".", local.state.cwd);
    if (!isThere)
      return err({ kind: "refused", message: `the folder ${options.cwd ?? local.state.cwd} does not exist` });
    const { pty, owner } = options;
    const env = { PYTHONUNBUFFERED: "1", ...(pty && terminalVariables), ...options.env };
    const start = (): Promise<Result<ProcessHandle, EnvironmentError>> | Result<never, EnvironmentError> => {
      const shell = asideOf(command, { cwd, env, isolation: held.value });
      if (!shell.ok) return shell;
      const more = { command, cwd, folder: cwd, place: kind, backend: kind, owner };
      return supervisor.start({ ...shell.value, ...more, ...(pty && { pty }) }, signal);
    };
    let started = await start();
    for (let tries = 1; shouldRetry(started, tries) && !signal.aborted; tries++) started = await start();
    return started;
  }

  function asideOf(command: string, options: AsideOptions): Result<ShellAside, EnvironmentError> {
    try {
      return local.aside(command, options);
    } catch (thrown) {
      return err({ kind: "unreachable", message: describeFault(thrown, run.folder).message });
    }
  }

  const close = once(async () => {
    closing.abort(new Error("the environment was closed"));
    await Promise.allSettled([...running, run.ready[Symbol.asyncDispose](), first.settled()]);
    removeShellFolder(shellFolder);
    run.exitCleanup[Symbol.dispose]();
  });

  /** Prepares the initial state first, then a shell for the next command. */
  async function prepare(confining: Confining): Promise<void> {
    const ready = await first.ready(closing.signal);
    const held = last ? ok(last.value) : await confining(closing.signal);
    if (ready.ok && held.ok && running.size === 0) run.ready.prepare(held.value);
  }

  /** Cached, because every call that names a path asks for it. */
  let latest: { readonly of: readonly unknown[]; readonly shell: ShellState } | undefined;
  function described(): ShellState {
    const { state, initial, trusted } = local;
    const of = [state, initial, trusted];
    if (latest && of.every((part, index) => part === latest?.of[index])) return latest.shell;
    const fromSandbox = leadingVariables(state.exports, trusted);
    const shell = {
      ...describeState(state, initial),
      ...(Object.keys(fromSandbox).length > 0 && { fromSandbox }),
    };
    latest = { of, shell };
    return shell;
  }

  /** The same folder and state with another sandbox. */
  function seenBy(confining: Confining): Environment {
    const faultFor = (command: string, options: ExecOptions | SpawnOptions) =>
      closing.signal.aborted ? environmentClosed : (commandFault(command, options) ?? badSize(options.pty));
    return {
      kind,
      files: localFiles(() => local.state.cwd),
      getReady() {
        // Ignores the error, because the command itself will fail with it and report it.
        prepare(confining).catch(() => {});
      },
      async state(signal) {
        const ready = await first.ready(signal);
        if (!ready.ok) throw new Error(ready.error.message);
        return described();
      },
      async exec(command, options) {
        const fault = faultFor(command, options);
        if (fault) return err(fault);
        const work = exec(command, options, confining);
        running.add(work);
        try {
          return await work;
        } finally {
          running.delete(work);
        }
      },
      async spawn(command, options, signal) {
        const fault = faultFor(command, options);
        return fault ? err(fault) : spawn(command, options, confining, signal);
      },
      processes: (signal) => supervisor.list(signal, kind),
      [Symbol.asyncDispose]: close,
    };
  }

  return { ...seenBy(inside), outside: seenBy(outside) };
}

function badSize(pty: PtySize | undefined): EnvironmentError | undefined {
  const fault = pty && sizeFault(pty);
  return fault === undefined ? undefined : { kind: "refused", message: fault };
}

const kind = "local";

/**
 * Variables that determine which programs run, which code they load first and where they read settings. If a sandboxed
 * command changed them, the user should see that before a command runs outside the sandbox.
 */
export function leadingVariables(
  exports: ReadonlyMap<string, string>,
  trusted: ReadonlyMap<string, string>,
): Readonly<Record<string, string>> {
  if (exports === trusted) return {};
  return Object.fromEntries([...exports].filter(([name, value]) => trusted.get(name) !== value && isLeading(name)));
}

function isLeading(name: string): boolean {
  return (names.test(name) || families.test(name) || endings.test(name)) && !harmless.test(name);
}

const names =
  /^(?:HOME|PATH|SHELL|ENV|ZDOTDIR|EDITOR|VISUAL|BROWSER|CC|CXX|KUBECONFIG|WGETRC|INPUTRC|VIMINIT|EXINIT|MAKEFLAGS|CLASSPATH|HOSTALIASES|TERMINFO|NODE_(?:OPTIONS|PATH)|PYTHON(?:PATH|HOME|STARTUP|BREAKPOINT)|PERL5?(?:LIB|OPT|DB)|RUBY(?:LIB|OPT)|GEM_PATH|LESSOPEN|LESSCLOSE|RUSTC|(?:https?|all)_proxy)$/iu;

const families = /^(?:LD|DYLD|XDG|GIT|SSH|NPM_CONFIG|PIP|CARGO|RUSTUP|BUNDLE|DOCKER|CONTAINER|HELM|OPENSSL|BASH)_/iu;

const endings =
  /(?:HOME|PAGER|_(?:CONF|CONFIG|CONFIG_(?:FILE|DIR|PATH)|RC|RCFILE|PRELOAD|OPTS|OPTIONS|COMMAND|EDITOR|ASKPASS|RSH|WRAPPER|PLUGINS?))$/iu;

const harmless = /^(?:GIT_(?:AUTHOR|COMMITTER)_\w+|CARGO_TERM_\w+|DOCKER_BUILDKIT|XDG_(?:SESSION|CURRENT)_\w+)$/u;
