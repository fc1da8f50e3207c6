import { dirname, resolve } from "node:path/posix";

import { linkAbort } from "../../base/async/abort.ts";
import { waitFor, waitOrAbort } from "../../base/async/bounded-wait.ts";
import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import { resolveFolder } from "../../base/files/open-beneath.ts";
import type { Logger } from "../../base/log/log.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type {
  Environment,
  EnvironmentError,
  ExecOptions,
  ExecResult,
  PtySize,
} from "../../contracts/environment/environment.ts";
import { localFiles } from "../local/local-files.ts";
import { type OutputLimits, defaultOutputLimits } from "../output/captured-output.ts";
import { createSpillFolder, type SpillLimits, defaultSpillLimits } from "../output/spill-folder.ts";
import { sizeFault } from "../pty/pty-size.ts";
import { createPtys } from "../pty/ptys.ts";
import { environmentClosed, commandFault, interrupted, missingFolderResult } from "../run-failures.ts";
import { createRunningCommands } from "../running-commands.ts";
import { describeState, withoutExtras } from "../shell/carried-state.ts";
import type { Supervisor } from "../supervisor/supervisor.ts";
import { createBackendShell, type BackendShell } from "./backend-shell.ts";
import type { Link } from "./link.ts";
import { openMachine } from "./open-machine.ts";
import { createOrphans } from "./orphans.ts";
import { remoteFiles } from "./remote-files.ts";
import { listRemote, type RemoteProcessDeps, spawnRemote } from "./remote-process.ts";
import { type RemoteRunDeps, runRemote } from "./run-remote.ts";
import { runInTerminal, type TerminalDeps } from "./run-terminal.ts";
import { createFileSync } from "./sync/file-sync.ts";
import type { SyncedTree } from "./sync/local-files-to-sync.ts";
import { listInTerminals, spawnInTerminal, type TerminalProcessDeps } from "./terminal-process.ts";
import { defaultLeaseMs } from "./watch-command.ts";

export interface RemoteDeps {
  /** Working folder of commands; `~` and relative paths start in the user's home on the backend. */
  readonly cwd: string;
  /** Id of this program's home: names the shared folder on the backend. Letters and digits. */
  readonly homeId: string;
  /** Variables that every command gets. */
  readonly env: Readonly<Record<string, string>>;
  /** Names of the backend's variables that commands may see although they are withheld by default. */
  readonly passthrough: readonly string[];
  /** Files that a login shell reads before the first command. Undefined: the default files; empty: no login shell. */
  readonly initFiles?: readonly string[];
  /** Shells in order of preference. Default: bash, else sh. */
  readonly shells?: readonly ("bash" | "sh")[];
  /** Folder on this machine for outputs that are too long for memory; they stay after the environment closes. */
  readonly spillFolder: string;
  readonly spillLimits?: SpillLimits;
  readonly outputLimits?: OutputLimits;
  /** How long a command outlives this program on a backend that cannot hold the input of a script open. */
  readonly leaseMs?: number;
  /** Opens background processes with a terminal. Missing: not supported. */
  readonly supervisor?: Supervisor;
  /**
   * Files of this machine that are copied to the backend before each command. Changes there are copied back at the end.
   */
  readonly syncedTrees?: () => readonly SyncedTree[];
  /** Reports a notice to the user, as a sentence: for example a file that changed on both sides. */
  readonly say?: (sentence: string) => void;
  /** The machine or sandbox, such as `me@host:22`: distinguishes terminals of several machines of one backend. */
  readonly targetName?: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * An environment on the machine that the link connects to. Owns the link: closing the environment closes it, and so
 * does a failure to open.
 */
export async function createRemoteEnvironment(
  link: Link,
  deps: RemoteDeps,
  signal: AbortSignal,
): Promise<Result<Environment, EnvironmentError>> {
  const opened = signal.aborted ? err(interrupted) : await openMachine(link, { ...deps, signal });
  if (!opened.ok) {
    await link[Symbol.asyncDispose]();
    return opened;
  }
  const shell = createBackendShell(opened.value, deps);
  const run: RemoteRunDeps = {
    link,
    shell,
    closing: new Set(),
    orphans: createOrphans(link, shell.machine, deps.clock, deps.log),
    spills: createSpillFolder(deps.spillFolder, deps.spillLimits ?? defaultSpillLimits, deps.clock),
    limits: deps.outputLimits ?? defaultOutputLimits,
    leaseMs: deps.leaseMs ?? defaultLeaseMs,
    clock: deps.clock,
    log: deps.log,
  };
  return ok(remoteEnvironment(link, shell, run, deps));
}

function remoteEnvironment(link: Link, shell: BackendShell, run: RemoteRunDeps, deps: RemoteDeps): Environment {
  const { kind } = link;
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  const turns = createRunningCommands();
  const sync =
    deps.syncedTrees && createFileSync(link, { homeId: deps.homeId, trees: deps.syncedTrees, clock: deps.clock });
  const processDeps: RemoteProcessDeps = { link, shell, clock: deps.clock };
  const terminals: TerminalDeps | undefined = link.terminal && { ...run, ptys: createPtys(), terminal: link.terminal };
  const inTerminals: TerminalProcessDeps | undefined = terminals &&
    deps.supervisor && {
      ...terminals,
      supervisor: deps.supervisor,
      place: `${kind}:${deps.targetName ?? deps.homeId}`,
    };

  async function exec(command: string, options: ExecOptions): Promise<Result<ExecResult, EnvironmentError>> {
    using linked = linkAbort(options.signal);
    const close = () => linked.abort(closing.signal.reason);
    closing.signal.addEventListener("abort", close);
    using turn = options.carry === false ? undefined : turns.take();
    try {
      const before = shell.state;
      const cwd = resolve(before.cwd, options.cwd ?? ".");
      const given = { ...options, signal: linked.signal };
      const askedAt = deps.clock.elapsed();
      await send(linked.signal);
      const sentMs = deps.clock.elapsed() - askedAt;
      const ran =
        options.pty && terminals
          ? await runInTerminal(command, cwd, { ...given, pty: options.pty }, terminals)
          : await runRemote(command, cwd, given, run);
      if (!ran.ok) return ran;
      if ("missingLevels" in ran.value) return ok(inMissingFolder(cwd, ran.value.missingLevels, options));
      const { left } = ran.value;
      const result = { ...ran.value.result, waitedMs: ran.value.result.waitedMs + sentMs };
      const carried = turn?.isAlone === true && left !== undefined;
      if (carried) {
        const kept = withoutExtras(left, before, {
          ...options.env,
          ...(options.sudoPassword !== undefined && askpass),
        });
        shell.adopt(options.cwd === undefined ? kept : { ...kept, cwd: before.cwd });
      }
      return ok({ ...result, cwd: shell.state.cwd, carried, backend: kind });
    } finally {
      closing.signal.removeEventListener("abort", close);
    }
  }

  /** A failed file transfer does not prevent the command from running. */
  async function send(signal: AbortSignal): Promise<void> {
    const pushed = await sync?.push(signal);
    if (!pushed || signal.aborted) return;
    if (!pushed.ok) return tell("sync.failed", `files could not be sent to ${kind}: ${pushed.error.message}`);
    const { conflicts } = pushed.value;
    if (conflicts.length > 0)
      tell(
        "sync.conflict",
        `these files changed here and on ${kind}, so they were not sent: ${conflicts.join(", ")}; both versions are kept`,
      );
  }

  async function fetchBack(signal: AbortSignal): Promise<void> {
    const pulled = await sync?.pull(signal);
    if (!pulled) return;
    if (!pulled.ok) return tell("sync.failed", `files of ${kind} could not be fetched: ${pulled.error.message}`);
    for (const { kept, beside } of pulled.value.conflicts)
      tell("sync.conflict", `${kept} changed here and on ${kind}; the backend's version is in ${beside}`);
  }

  function tell(event: string, sentence: string): void {
    deps.log.warn(event, { backend: kind, message: sentence });
    deps.say?.(sentence);
  }

  function inMissingFolder(cwd: string, levels: number, options: ExecOptions): ExecResult {
    let nearest = cwd;
    for (let level = 0; level < levels; level++) nearest = dirname(nearest);
    if (options.cwd === undefined) shell.adopt({ ...shell.state, cwd: nearest });
    const refusal = missingFolderResult(options.cwd ?? cwd, options.cwd === undefined ? nearest : undefined);
    return { ...refusal, cwd: shell.state.cwd, backend: kind };
  }

  async function tracked<T>(work: Promise<T>): Promise<T> {
    running.add(work);
    try {
      return await work;
    } finally {
      running.delete(work);
    }
  }

  return {
    kind,
    files: remoteFiles({
      link,
      cwd: () => shell.state.cwd,
      spills: { folder: resolveFolder(deps.spillFolder), files: localFiles(() => deps.spillFolder) },
    }),
    state: async () => ({ ...describeState(shell.state, shell.initial), home: shell.machine.home }),
    async exec(command, options) {
      const fault = closing.signal.aborted ? environmentClosed : commandFault(command, options);
      if (fault) return err(fault);
      const noTerminal = options.pty && (terminals ? badSize(options.pty) : noTerminals(kind));
      if (noTerminal) return err(noTerminal);
      return tracked(exec(command, options));
    },
    async spawn(command, options, signal) {
      const fault = closing.signal.aborted ? environmentClosed : commandFault(command, options);
      if (fault) return err(fault);
      if (signal.aborted) return err(interrupted);
      await send(signal);
      const cwd = resolve(shell.state.cwd, options.cwd ?? ".");
      if (options.pty) {
        const fault = inTerminals ? badSize(options.pty) : noTerminals(kind);
        if (fault || !inTerminals) return err(fault ?? noTerminals(kind));
        return tracked(spawnInTerminal(command, cwd, { ...options, pty: options.pty }, inTerminals, signal));
      }
      return tracked(spawnRemote(command, cwd, { env: options.env ?? {}, owner: options.owner }, processDeps, signal));
    },
    async processes(signal) {
      if (closing.signal.aborted) return err(environmentClosed);
      const listed = await listRemote(processDeps, signal);
      if (!listed.ok || !inTerminals) return listed;
      const others = await listInTerminals(inTerminals, signal);
      return others.ok ? ok([...listed.value, ...others.value].toSorted((a, b) => a.startedAt - b.startedAt)) : others;
    },
    [Symbol.asyncDispose]: once(async () => {
      closing.abort(new Error("the environment was closed"));
      run.orphans[Symbol.dispose]();
      await Promise.allSettled(running);
      await waitFor(Promise.allSettled(run.closing), { ms: clearMs, clock: deps.clock });
      await waitOrAbort(fetchBack, { ms: fetchMs, clock: deps.clock });
      await waitOrAbort((signal) => shell.clear(link, signal), { ms: clearMs, clock: deps.clock });
      await link[Symbol.asyncDispose]();
    }),
  };
}

const clearMs = 3_000;
const fetchMs = 60_000;

const askpass = { SUDO_ASKPASS: "" };

function badSize(pty: PtySize): EnvironmentError | undefined {
  const message = sizeFault(pty);
  return message === undefined ? undefined : { kind: "refused", message };
}

function noTerminals(kind: string): EnvironmentError {
  return {
    kind: "refused",
    message: `the ${kind} backend has no terminals`,
    hint: "Run the command without pty.",
  };
}
