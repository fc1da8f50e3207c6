import { join } from "node:path";

import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/log.ts";
import { err } from "../../base/result.ts";
import { version } from "../../base/version.ts";
import { homeFiles, userFolder } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { FoundPlugin } from "../../contracts/plugin/manifest.ts";
import type { ToolRegistration } from "../../contracts/plugin/registration.ts";
import type { Redactor } from "../../contracts/tool/dispatch.ts";
import type { CallTool } from "../../contracts/tool/tool-result.ts";
import type { Tool } from "../../contracts/tool/tool.ts";
import { workspaceOf } from "../../environments/workspace.ts";
import type { PluginToolFacts } from "../../plugins/adapt/plugin-tools.ts";
import { createNextCalls } from "../../plugins/hooks/next-calls.ts";
import { createDeliveryPace } from "../../plugins/hooks/observer-queue.ts";
import { createHookEvents } from "../../plugins/hooks/plugin-hooks.ts";
import type { ActivePlugin, PluginShelfDeps } from "../../plugins/plugin-shelf.ts";
import type { RefusedAccess } from "../../plugins/process/plugin-process.ts";
import type { Contribution } from "../contributions.ts";
import type { Models } from "../models/models.ts";
import type { LiveSessions } from "../session/session-deps.ts";
import { refusalWarning } from "./grant-warnings.ts";
import { loadPluginTool } from "./lazy-plugin-tools.ts";
import { contributionsOf } from "./plugin-contribution.ts";
import { loadParams, mayOverride, placedSkillsFile, settingsOf, stagingFolder } from "./plugin-settings.ts";

export interface RunPluginsDeps {
  readonly cwd: string;
  readonly say: (sentence: string) => void;
  readonly log: Logger;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly redactor: Redactor;
  readonly sessions: LiveSessions;
  /** Undefined: the embedding program provides the models. */
  readonly models: () => Promise<Models | undefined>;
  /** Writes a refusal to the audit log. */
  readonly audit: (plugin: string, refusal: RefusedAccess) => void;
}

/** Runs plugins: creates the client for each process, registers it, and creates its parts. */
export interface PluginRuns extends Pick<PluginShelfDeps, "createClient" | "register"> {
  contributionOf(active: ActivePlugin): Contribution;
  toolOf(active: ActivePlugin, tool: ToolRegistration): Promise<Tool>;
}

export function runPlugins(config: LoadedConfig, deps: RunPluginsDeps): PluginRuns {
  const { signal, log, clock, say, sessions, models } = deps;
  const hooks = {
    events: createHookEvents(deps.redactor),
    pace: createDeliveryPace(clock),
    nextCalls: createNextCalls(),
    report: say,
  };
  /** The running calls of each plugin that may call other tools. */
  const running = new Map<string, Map<string, CallTool>>();
  const callsOf = ({ key }: FoundPlugin): Map<string, CallTool> => {
    const calls = running.get(key) ?? new Map<string, CallTool>();
    running.set(key, calls);
    return calls;
  };
  /** Auxiliary tasks that each active plugin registered. */
  const tasks = new Map<string, readonly string[]>();
  const starter = once(async () => {
    const { pluginStarter } = await import("./start-plugin.ts");
    const { root: workspace } = await workspaceOf(deps.cwd, userFolder(config.env));
    return pluginStarter(config, { clock, workspace });
  });

  const toolFactsOf = ({ plugin, permissions, keepCheck }: ActivePlugin): PluginToolFacts => ({
    permissions,
    userFolder: userFolder(config.env),
    runningCalls: callsOf(plugin),
    keepCheck,
  });

  return {
    async createClient(plugin, permissions, onRegistered, watchFiles) {
      const { key } = plugin;
      const isInProcess = plugin.language === "typescript" && settingsOf(config.values, plugin)?.in_process === true;
      const [create, { readRegistration }] = await Promise.all([
        isInProcess
          ? import("../../plugins/in-process.ts").then(({ createInProcessClient }) => createInProcessClient)
          : import("../../plugins/process/plugin-client.ts").then(({ createPluginClient }) => createPluginClient),
        import("../../plugins/registration/read-registration.ts"),
      ]);
      const answer = once(async () => {
        const { createAnswerPlugin } = await import("./answer-plugin.ts");
        return createAnswerPlugin({
          plugin: key,
          permissions,
          runningCalls: callsOf(plugin),
          sessions,
          config,
          redactor: deps.redactor,
          next: async (params) => hooks.nextCalls.answer(params),
          report: say,
          grants: settingsOf(config.values, plugin)?.llm,
          get ownTasks() {
            return tasks.get(key) ?? [];
          },
          models,
        });
      });
      return create(plugin, {
        load: () => loadParams(config, plugin, deps),
        permissions,
        watchFiles,
        start: async (start) => (await starter())(start),
        answer: async (...request) => (await answer())(...request),
        clock,
        log,
        report: say,
        audit: (refusal) => deps.audit(key, refusal),
        warningOf: (refusal) => refusalWarning(refusal, config),
        onLoaded(value) {
          const read = readRegistration(value, plugin.folder);
          if (read.ok) onRegistered(read.value);
        },
        idleMs: config.values.plugins.idle_s * 1000,
      });
    },
    async register(plugin, client) {
      const answer = await client.request("load", await loadParams(config, plugin, deps), { signal });
      if (!answer.ok) return answer;
      const { readRegistration } = await import("../../plugins/registration/read-registration.ts");
      const read = readRegistration(answer.value, plugin.folder);
      if (!read.ok) return err({ kind: "failed", message: read.error });
      for (const note of await placeSkills(config, plugin)) say(`Plugin ${plugin.key}: ${note}`);
      return read;
    },
    toolOf: (active, tool) => loadPluginTool(tool, active.client, toolFactsOf(active)),
    contributionOf(active) {
      const { plugin, registration, client } = active;
      tasks.set(
        plugin.key,
        registration.auxiliaryTasks.map(({ key }) => key),
      );
      return contributionsOf(plugin, registration, client, {
        ...toolFactsOf(active),
        mayOverride: mayOverride(config, plugin),
        config,
        report: say,
        hooks,
      });
    },
  };
}

/** Adds the skills that a plugin wrote at registration, after the skill scan. */
async function placeSkills(config: LoadedConfig, plugin: FoundPlugin): Promise<readonly string[]> {
  const [{ placeStagedSkills }, { collectSkills }, { createSkillJudge }, folders] = await Promise.all([
    import("../../skills/place-staged.ts"),
    import("../../skills/skill-collection.ts"),
    import("../knowledge/judge-skill.ts"),
    import("../knowledge/skill-folders.ts"),
  ]);
  const judge = createSkillJudge(config, folders.bundledSkills());
  const home = join(config.home.path, homeFiles.skills);
  return placeStagedSkills({
    staging: stagingFolder(config, plugin),
    recordFile: placedSkillsFile(config, plugin),
    home,
    judge,
    async names() {
      const { skills } = await collectSkills({ home, roots: folders.ownSkillRoots(config), judge, version });
      return new Map(skills.map(({ name, folder }) => [name, folder]));
    },
  });
}
