import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/log.ts";
import { err } from "../../base/result.ts";
import { userFolder } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { workspaceOf } from "../../environments/workspace.ts";
import { createInProcessClient } from "../../plugins/in-process.ts";
import type { ActivePlugin, PluginShelfDeps } from "../../plugins/plugin-shelf.ts";
import { createPluginClient } from "../../plugins/process/plugin-client.ts";
import { readRegistration } from "../../plugins/registration/read-registration.ts";
import type { Contribution } from "../contributions.ts";
import { contributionsOf, type SharedHookParts } from "./plugin-contribution.ts";
import { loadParams, settingsOf } from "./plugin-settings.ts";

export interface RunPluginsDeps {
  readonly cwd: string;
  readonly say: (sentence: string) => void;
  readonly log: Logger;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly hooks: SharedHookParts;
}

/** How plugins run: the way to the process of each, and their registration. */
export function runPlugins(
  config: LoadedConfig,
  deps: RunPluginsDeps,
): Pick<PluginShelfDeps, "createClient" | "register"> {
  const { signal, log, clock, say } = deps;
  const starter = once(async () => {
    const { pluginStarter } = await import("./start-plugin.ts");
    const { root: workspace } = await workspaceOf(deps.cwd, userFolder(config.env));
    return pluginStarter(config, { clock, workspace });
  });
  return {
    createClient(plugin, permissions) {
      const isInProcess = plugin.language === "typescript" && settingsOf(config.values, plugin)?.in_process === true;
      return (isInProcess ? createInProcessClient : createPluginClient)(plugin, {
        load: () => loadParams(config, plugin, deps),
        permissions,
        start: async (start) => (await starter())(start),
        answer: async (method, params) =>
          method === "next" ? deps.hooks.nextCalls.answer(params) : err(`${method} is not supported by this host`),
        clock,
        log,
        report: say,
        audit: (refusal) => log.warn("plugin.refused", { plugin: plugin.key, ...refusal }),
        idleMs: config.values.plugins.idle_s * 1000,
      });
    },
    async register(plugin, client) {
      const answer = await client.request("load", await loadParams(config, plugin, deps), { signal });
      if (!answer.ok) return answer;
      const read = readRegistration(answer.value, plugin.folder);
      return read.ok ? read : err({ kind: "failed", message: read.error });
    },
  };
}

/** The parts of an active plugin. */
export function contributionOf(
  active: ActivePlugin,
  config: LoadedConfig,
  { say, hooks }: Pick<RunPluginsDeps, "say" | "hooks">,
): Contribution {
  const { plugin, registration, client, permissions, keepCheck } = active;
  return contributionsOf(plugin, registration, client, {
    permissions,
    userFolder: userFolder(config.env),
    mayOverride: settingsOf(config.values, plugin)?.allow_tool_override === true || plugin.source === "bundled",
    runningCalls: new Map(),
    keepCheck,
    home: config.home.path,
    report: say,
    hooks,
  });
}
