import { join } from "node:path";

import { err, ok, type Result } from "../../base/result.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { permissionArguments } from "../../plugins/process/node-permission.ts";
import type { PluginStart, StartPlugin } from "../../plugins/process/plugin-process.ts";
import type { PluginProgram } from "../../safety/plugin-sandbox.ts";
import { confinedStarter, type PreparedProgram, runFiles, type SandboxFault } from "../environment/start-confined.ts";
import { pluginProgram, type PluginProgramDeps } from "./plugin-program.ts";
import { stagingFolder } from "./plugin-settings.ts";

/** Starts the processes of plugins, each in its own sandbox with its own proxy. */
export function pluginStarter(config: LoadedConfig, deps: PluginProgramDeps): StartPlugin {
  const { plugins } = config.values;
  const startConfined = confinedStarter(config, deps);

  function withoutSandbox(
    { plugin: { key, language, manifest } }: PluginStart,
    program: PluginProgram,
    { message, hint }: SandboxFault,
  ): Result<PreparedProgram, string> {
    if (language === "typescript") return ok(underNode(program, message));
    if (hint === undefined) return err(message);
    const entry = plugins.entries[key] ?? plugins.entries[manifest.name];
    if (entry?.unconfined) return ok(unconfined(program, message));
    return err(
      `this machine has no sandbox (${message}). ${hint} To run it with all your rights: hermes config set plugins.entries.${key}.unconfined true`,
    );
  }

  return async (start) => {
    const { permissions, onRefused, check, load, plugin } = start;
    let temp = "";
    const started = await startConfined({
      program(place) {
        temp = join(place.folder, runFiles.temp);
        return pluginProgram(config, start, { ...deps, ...place });
      },
      net: permissions.net,
      onRefusedHost: (target) => onRefused({ permission: "net", target }),
      withoutSandbox: (program, fault) => withoutSandbox(start, program, fault),
      pipes: [3],
      check,
    });
    if (!started.ok) return started;
    const { channel, stdin, end, hasOwnProcesses, ...rest } = started.value;
    stdin.end();
    if (!channel) return err("Hermes could not connect to the process");
    return ok({
      ...rest,
      channel,
      kill: end,
      limits: {
        maxMemoryBytes: plugins.max_memory_mb * 2 ** 20,
        maxProcesses: (hasOwnProcesses ? 1 : 0) + (permissions.exec ? maxProcesses : 1),
        data: {
          folders: [load.dataDir, stagingFolder(config, plugin), temp],
          maxBytes: plugins.max_data_mb * 2 ** 20,
        },
      },
    });
  };
}

const maxProcesses = 64;

/** Uses Node's permission model instead of a sandbox. */
function underNode(program: PluginProgram, reason: string): PreparedProgram {
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

function unconfined({ program, args, maxMemoryBytes, ...rest }: PluginProgram, reason: string): PreparedProgram {
  const weakness = `runs without a sandbox and has all your rights, because ${reason}.`;
  // The process of a Python plugin limits itself.
  const env = { ...rest.env, HERMES_PLUGIN_MAX_MEMORY: String(maxMemoryBytes) };
  return { program, args, env, hasProxy: false, hasOwnProcesses: false, weakness, isUnconfined: true };
}
