import type { ChildProcess } from "node:child_process";
import { lookup } from "node:dns/promises";
import { closeSync, mkdirSync, openSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";

import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import { makeTempFolder, removeOrphanedFolders } from "../../base/files/temp-folder.ts";
import { newId } from "../../base/ids.ts";
import { type ChildProgram, createChildStarter, notAdmitted } from "../../base/process/child-program.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import { oneLine } from "../../base/text/text.ts";
import { homeFiles, userFolder } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { gateDescriptors } from "../../contracts/safety/isolation.ts";
import { runMarker } from "../../environments/child-environment.ts";
import { createMachineProcesses } from "../../environments/local/machine-processes.ts";
import { namespaceKiller } from "../../environments/local/namespace-killer.ts";
import { processTree } from "../../environments/local/process-tree.ts";
import { passGate } from "../../environments/sandbox-gate.ts";
import { createPluginProxy, type PluginProxy } from "../../plugins/proxy/plugin-proxy.ts";
import {
  addressFault,
  type ConfinedPlugin,
  createPluginSandbox,
  type PluginProgram,
} from "../../safety/plugin-sandbox.ts";
import { findSandbox } from "./find-sandbox.ts";
import { handOver, messageDescriptor, networkRunner } from "./port-of-proxy.ts";

/** Untrusted code that runs in its own sandbox with its own proxy. */
export interface ConfinedLaunch {
  /** The program and the files that it sees. */
  readonly program: (place: ProcessPlace) => Promise<Result<PluginProgram, string>>;
  /** Hosts that it may reach. */
  readonly net: readonly string[];
  /** True: the program has no network, and no proxy is started for it. */
  readonly isOffline?: boolean;
  /** True: the program finds its proxy through the standard variables. False: its own runner finds the socket. */
  readonly hasPlainProxy?: boolean;
  readonly onRefusedHost: (target: string) => void;
  /** How to start the program if this machine has no sandbox that can run it. */
  readonly withoutSandbox: (program: PluginProgram, fault: SandboxFault) => Result<PreparedProgram, string>;
  /** Additional descriptors. */
  readonly pipes: readonly number[];
  /**
   * Checks the files in the finished sandbox before any code runs, see `passGate`. Returns the reason why they cannot
   * be used.
   */
  readonly check?: (root: string) => string | undefined;
}

export interface ConfinedDeps {
  readonly clock: Clock;
  readonly workspace: string | undefined;
  /** The parent of the folders for processes. Default: with the data of plugins. */
  readonly folder?: string;
  /** A word in the names of these folders. */
  readonly kind?: string;
  /** The sandbox to use. Default: the best one of this machine. */
  readonly sandbox?: () => ReturnType<typeof findSandbox>;
}

/** `folder`: a folder for this process only. `hasMounts`: the sandbox shows files at other paths. */
export interface ProcessPlace {
  readonly folder: string;
  readonly hasMounts: boolean;
}

export interface SandboxFault {
  readonly message: string;
  /** How to get a sandbox. Undefined: there is one. */
  readonly hint?: string;
}

export interface PreparedProgram extends ConfinedPlugin {
  /**
   * Protection or permissions that this machine does not support, as the end of a sentence that starts with the
   * program's name.
   */
  readonly weakness?: string;
  /** True if nothing enforces its permissions. */
  readonly isUnconfined?: boolean;
}

export interface ConfinedChild
  extends ChildProgram, Pick<PreparedProgram, "weakness" | "isUnconfined" | "hasOwnProcesses"> {
  /** The path of its proxy's socket inside the sandbox. Undefined: it has no network. */
  readonly proxySocket?: string;
}

/** The path at which the process finds the socket of its proxy, if the sandbox has mounts. */
export const proxyInSandbox = "/run/hermes-proxy";

/** Names in the folder of one process. */
export const runFiles = { proxy: "proxy", temp: "tmp" } as const;

export function confinedStarter(
  config: LoadedConfig,
  { clock, workspace, ...deps }: ConfinedDeps,
): (start: ConfinedLaunch) => Promise<Result<ConfinedChild, string>> {
  const { home, env } = config;
  const startChild = createChildStarter(clock);
  const table = once(() => createMachineProcesses(clock));
  const sandbox = deps.sandbox ?? once(() => findSandbox(config, workspace, true));
  const person = { home: userFolder(env), userId: process.getuid?.() ?? 0, env };
  const hermesHomes = [...new Set([home.root, home.path, join(person.home, ".hermes")])];
  const runFolder = once(() => {
    const folder = deps.folder ?? join(home.path, homeFiles.pluginData, ".run");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    removeOrphanedFolders(folder);
    return realpathSync(folder);
  });

  async function prepare(start: ConfinedLaunch, folder: string): Promise<Result<PlacedProgram, string>> {
    const best = await sandbox();
    const program = await start.program({ folder, hasMounts: best.ok && best.value.kind === "bubblewrap" });
    if (!program.ok) return program;
    const { cwd } = program.value;
    // With Landlock there is no network, because it does not allow sockets.
    const isHandedOver = start.hasPlainProxy && start.net.length > 0 && best.ok && best.value.kind !== "landlock";
    const first = isHandedOver
      ? { ...networkRunner(program.value), proxySocket: join(folder, runFiles.proxy) }
      : program.value;
    const confined = best.ok ? createPluginSandbox(best.value, { person, hermesHomes }).confine(first) : undefined;
    if (confined?.ok) {
      const isCutOff = start.net.length > 0 && !confined.value.hasProxy;
      const weakness = "has no network: that needs bubblewrap (bwrap).";
      const later = isHandedOver && { command: program.value };
      return ok({ ...confined.value, cwd, ...later, ...(isCutOff && { weakness }) });
    }
    const fault = best.ok ? { message: confined?.error ?? "" } : best.error;
    const prepared = start.withoutSandbox(program.value, fault);
    return prepared.ok ? ok({ ...prepared.value, cwd }) : prepared;
  }

  async function startOnce(start: ConfinedLaunch): Promise<Result<ConfinedChild, string>> {
    const folder = makeTempFolder(runFolder(), deps.kind ?? "plugin");
    const proxy = createPluginProxy({
      net: start.net,
      onRefused: start.onRefusedHost,
      addressFault,
      resolve: (host) => lookup(host, { all: true }),
    });
    const cleanUp = once(() => {
      proxy[Symbol.dispose]();
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    });
    try {
      if (!start.isOffline) await listenIn(folder, proxy);
      const prepared = await prepare(start, folder);
      if (!prepared.ok) {
        cleanUp();
        return prepared;
      }
      return await run(prepared.value, start, { proxy, proxySocket: join(folder, runFiles.proxy), cleanUp });
    } catch (thrown) {
      cleanUp();
      return err(reasonOf(thrown));
    }
  }

  async function run(
    prepared: PlacedProgram,
    { pipes, check }: ConfinedLaunch,
    { proxy, proxySocket, cleanUp }: OwnProxy & { readonly cleanUp: () => void },
  ): Promise<Result<ConfinedChild, string>> {
    const { program, args, cwd, mounts, input, command, hasOwnProcesses, hasProxy, weakness, isUnconfined } = prepared;
    const marker = newId("plugin");
    const marked = { ...(!hasOwnProcesses && { [runMarker]: marker }) };
    let fault: string | undefined;
    const isAcceptable = (root: string) => (fault = check?.(root)) === undefined;
    const started = await startChild({
      program,
      args,
      cwd,
      env: { ...prepared.env, ...marked },
      pipes: [...pipes, ...(mounts ? Object.values(gateDescriptors) : []), ...(input ? [input.fd] : [])],
      ...(command && { messages: messageDescriptor }),
      async admit(child) {
        if (input) feed(child, input);
        if (command) handOver(child, { ...command, env: { ...command.env, ...marked } }, proxy);
        return mounts ? passGate(child, mounts, isAcceptable) : isAcceptable("");
      },
      marker,
      killerOf: (pid) =>
        hasOwnProcesses ? namespaceKiller(pid, clock) : processTree(pid, marker, { table: table(), clock }),
      cleanUp,
      endsWithParent: hasOwnProcesses,
    });
    if (fault !== undefined) return err(fault);
    if (!started.ok) return mounts && started.error !== notAdmitted ? err(brokenSandbox(started.error)) : started;
    return ok({
      ...started.value,
      hasOwnProcesses,
      ...(hasProxy && { proxySocket: mounts ? proxyInSandbox : proxySocket }),
      ...(weakness !== undefined && { weakness }),
      ...(isUnconfined && { isUnconfined }),
    });
  }

  return async (start) => {
    for (let tries = 1; ; tries++) {
      const started = await startOnce(start);
      // Starts again if a mounted file has changed meanwhile.
      if (started.ok || started.error !== notAdmitted || tries === maxTries) return started;
    }
  };
}

interface PlacedProgram extends PreparedProgram {
  readonly cwd: string;
  /** The runner replaces itself with the program: see `handOver`. */
  readonly command?: PluginProgram;
}

interface OwnProxy {
  readonly proxy: PluginProxy;
  readonly proxySocket: string;
}

const maxTries = 4;

function brokenSandbox(reason: string): string {
  return `the sandbox does not work: ${oneLine(reason, 300)}. \`hermes doctor\` says how to get one that does.`;
}

/** A socket address has about a hundred bytes, so the folder is addressed by a descriptor. */
async function listenIn(folder: string, proxy: PluginProxy): Promise<void> {
  if (process.platform !== "linux") return void (await proxy.listen(join(folder, runFiles.proxy)));
  const fd = openSync(folder, "r");
  try {
    await proxy.listen(`/proc/self/fd/${fd}/${runFiles.proxy}`);
  } finally {
    closeSync(fd);
  }
}

function feed(child: ChildProcess, { fd, bytes }: { readonly fd: number; readonly bytes: Uint8Array }): void {
  // The cast is needed because Node's types cover only five descriptors.
  const pipe = child.stdio[fd as 0];
  pipe?.on("error", () => {});
  pipe?.end(bytes);
}
