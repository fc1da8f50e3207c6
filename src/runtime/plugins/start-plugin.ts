import type { ChildProcess } from "node:child_process";
import { lookup } from "node:dns/promises";
import { closeSync, mkdirSync, openSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";

import { once } from "../../base/async/once.ts";
import { makeTempFolder, removeOrphanedFolders } from "../../base/files/temp-folder.ts";
import { newId } from "../../base/ids.ts";
import { createChildStarter, notAdmitted } from "../../base/process/child-program.ts";
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
import { permissionArguments } from "../../plugins/process/node-permission.ts";
import type { PluginProcess, PluginStart, StartPlugin } from "../../plugins/process/plugin-process.ts";
import { createPluginProxy, type PluginProxy } from "../../plugins/proxy/plugin-proxy.ts";
import {
  addressFault,
  type ConfinedPlugin,
  createPluginSandbox,
  type PluginProgram,
} from "../../safety/plugin-sandbox.ts";
import { findSandbox } from "../environment/find-sandbox.ts";
import { pluginProgram, type PluginProgramDeps, proxyInSandbox, runFiles } from "./plugin-program.ts";

/** Starts the processes of plugins, each in a sandbox of its own, with a proxy of its own. */
export function pluginStarter(config: LoadedConfig, deps: PluginProgramDeps): StartPlugin {
  const { home, env, values } = config;
  const { clock } = deps;
  const startChild = createChildStarter(clock);
  const table = once(() => createMachineProcesses(clock));
  const sandbox = once(() => findSandbox(config, deps.workspace, true));
  const person = { home: userFolder(env), userId: process.getuid?.() ?? 0, env };
  const hermesHomes = [...new Set([home.root, home.path, join(person.home, ".hermes")])];
  const runFolder = once(() => {
    const folder = join(home.path, homeFiles.pluginData, ".run");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    removeOrphanedFolders(folder);
    return realpathSync(folder);
  });

  async function prepare(start: PluginStart, folder: string): Promise<Result<Prepared, string>> {
    const best = await sandbox();
    const hasMounts = best.ok && best.value.kind === "bubblewrap";
    const program = await pluginProgram(config, start, { ...deps, folder, hasMounts });
    if (!program.ok) return program;
    if (best.ok) {
      const confined = createPluginSandbox(best.value, { person, hermesHomes }).confine(program.value);
      if (confined.ok) {
        const isCutOff = start.permissions.net.length > 0 && !confined.value.hasProxy;
        return ok({
          ...confined.value,
          ...(isCutOff && { weakness: "has no network: that needs bubblewrap (bwrap)." }),
        });
      }
      if (start.plugin.language === "python") return confined;
      return ok(underNode(program.value, confined.error));
    }
    if (start.plugin.language === "typescript") return ok(underNode(program.value, best.error.message));
    const { key, manifest } = start.plugin;
    const entry = values.plugins.entries[key] ?? values.plugins.entries[manifest.name];
    if (entry?.unconfined) return ok(unconfined(program.value, best.error.message));
    const { message, hint } = best.error;
    return err(
      `this machine has no sandbox (${message}). ${hint} To run it with all your rights: hermes config set plugins.entries.${key}.unconfined true`,
    );
  }

  async function startOnce(start: PluginStart): Promise<Result<PluginProcess, string>> {
    const folder = makeTempFolder(runFolder(), "plugin");
    const { permissions, onRefused } = start;
    const proxy = createPluginProxy({
      net: permissions.net,
      onRefused: (target) => onRefused({ permission: "net", target }),
      addressFault,
      resolve: (host) => lookup(host, { all: true }),
    });
    const cleanUp = once(() => {
      proxy[Symbol.dispose]();
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    });
    try {
      await listenIn(folder, proxy);
      const prepared = await prepare(start, folder);
      if (!prepared.ok) {
        cleanUp();
        return prepared;
      }
      return await run(prepared.value, start, { proxySocket: join(folder, runFiles.proxy), cleanUp });
    } catch (thrown) {
      cleanUp();
      return err(reasonOf(thrown));
    }
  }

  async function run(
    prepared: Prepared,
    { plugin, permissions }: PluginStart,
    { proxySocket, cleanUp }: { readonly proxySocket: string; readonly cleanUp: () => void },
  ): Promise<Result<PluginProcess, string>> {
    const { program, args, mounts, input, hasOwnProcesses, hasProxy, weakness, isUnconfined } = prepared;
    const marker = newId("plugin");
    const started = await startChild({
      program,
      args,
      cwd: plugin.folder,
      env: { ...prepared.env, ...(!hasOwnProcesses && { [runMarker]: marker }) },
      pipes: [3, ...(mounts ? Object.values(gateDescriptors) : []), ...(input ? [input.fd] : [])],
      async admit(child) {
        if (input) feed(child, input);
        return !mounts || (await passGate(child, mounts));
      },
      killerOf: (pid) =>
        hasOwnProcesses ? namespaceKiller(pid, clock) : processTree(pid, marker, { table: table(), clock }),
      cleanUp,
      endsWithParent: hasOwnProcesses,
    });
    if (!started.ok) return mounts && started.error !== notAdmitted ? err(sandboxFault(started.error)) : started;
    const { channel, stdin, end, ...rest } = started.value;
    stdin.end();
    if (!channel) return err("the connection to it could not be made");
    const outer = hasOwnProcesses ? 1 : 0;
    return ok({
      ...rest,
      channel,
      kill: end,
      ...(hasProxy && {
        proxySocket: mounts ? proxyInSandbox : proxySocket,
      }),
      ...(weakness !== undefined && { weakness }),
      ...(isUnconfined && { isUnconfined }),
      limits: {
        maxMemoryBytes: values.plugins.max_memory_mb * 2 ** 20,
        maxProcesses: outer + (permissions.exec ? maxProcesses : 1),
      },
    });
  }

  return async (start) => {
    for (let tries = 1; ; tries++) {
      const started = await startOnce(start);
      // A mount may have changed meanwhile.
      if (started.ok || started.error !== notAdmitted || tries === maxTries) return started;
    }
  };
}

const maxProcesses = 64;
const maxTries = 4;

function sandboxFault(reason: string): string {
  return `the sandbox does not work: ${oneLine(reason, 300)}. \`hermes doctor\` says how to get one that does.`;
}

type Prepared = ConfinedPlugin & Pick<PluginProcess, "weakness" | "isUnconfined">;

/** Node's own limits, in place of a sandbox. */
function underNode(program: PluginProgram, reason: string): Prepared {
  const { exec, maxMemoryBytes, granted } = program;
  const rights = {
    readable: [...program.readable, ...granted.read],
    writable: [...program.writable, ...granted.write],
    exec,
    maxMemoryBytes,
  };
  const weakness = `runs without a sandbox, because ${reason}. Node limits its files, but not its network.`;
  const args = [...permissionArguments(rights), ...program.args];
  return { ...unconfined(program, reason), args, weakness, isUnconfined: false };
}

function unconfined({ program, args, maxMemoryBytes, ...rest }: PluginProgram, reason: string): Prepared {
  const weakness = `runs without a sandbox and has all your rights, because ${reason}.`;
  // The process of a Python plugin limits itself.
  const env = { ...rest.env, HERMES_PLUGIN_MAX_MEMORY: String(maxMemoryBytes) };
  return { program, args, env, hasProxy: false, hasOwnProcesses: false, weakness, isUnconfined: true };
}

/** A socket address holds about a hundred bytes, so the folder is named by a descriptor. */
async function listenIn(folder: string, proxy: PluginProxy): Promise<void> {
  if (process.platform !== "linux") return proxy.listen(join(folder, runFiles.proxy));
  const fd = openSync(folder, "r");
  try {
    await proxy.listen(`/proc/self/fd/${fd}/${runFiles.proxy}`);
  } finally {
    closeSync(fd);
  }
}

function feed(child: ChildProcess, { fd, bytes }: { readonly fd: number; readonly bytes: Uint8Array }): void {
  // The types know only five descriptors.
  const pipe = child.stdio[fd as 0];
  pipe?.on("error", () => {});
  pipe?.end(bytes);
}
