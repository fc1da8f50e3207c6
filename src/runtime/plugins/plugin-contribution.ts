import type { LoadedConfig } from "../../config/load.ts";
import type { PluginClient } from "../../contracts/plugin/client.ts";
import type { FoundPlugin } from "../../contracts/plugin/manifest.ts";
import type { PluginRegistration } from "../../contracts/plugin/registration.ts";
import type { PluginToolFacts } from "../../plugins/adapt/plugin-tools.ts";
import type { NextCalls } from "../../plugins/hooks/next-calls.ts";
import { type PluginHookDeps, pluginHooks } from "../../plugins/hooks/plugin-hooks.ts";
import { pluginMiddleware } from "../../plugins/hooks/plugin-middleware.ts";
import type { Contribution } from "../contributions.ts";
import { lazyPluginTools, loadPluginTool } from "./lazy-plugin-tools.ts";

/** Parts that all plugins of a program share. */
export interface SharedHookParts extends PluginHookDeps {
  readonly nextCalls: NextCalls;
}

export interface PluginContributionFacts extends PluginToolFacts {
  /** Whether the operator allows this plugin to replace tools of other plugins. */
  readonly mayOverride: boolean;
  readonly hooks: SharedHookParts;
  readonly config: LoadedConfig;
  /** Shows a sentence to the person, once. */
  readonly report: (sentence: string) => void;
}

/** The parts of one plugin. Its process starts only when a part is used; each kind loads its own adapter. */
export function contributionsOf(
  { key, manifest, language }: FoundPlugin,
  given: PluginRegistration,
  client: PluginClient,
  facts: PluginContributionFacts,
): Contribution {
  const registration = withoutUnusedTools(given, facts.config);
  const has = (kind: keyof PluginRegistration) => registration[kind].length > 0;
  const hooks = has("hooks") ? pluginHooks(registration, client, facts.hooks, manifest.provides?.["hooks"]) : undefined;
  return {
    owner: `plugin ${key}`,
    isForeign: true,
    ...(hooks && { hookEntries: hooks.entries }),
    ...(has("middleware") && {
      middleware: pluginMiddleware(registration, client, facts.hooks.nextCalls, language),
    }),
    ...(has("tools") && {
      tools: () =>
        lazyPluginTools(registration, { ...facts, key, load: (tool) => loadPluginTool(tool, client, facts) }),
    }),
    ...(has("toolsets") && { toolsets: () => registration.toolsets }),
    ...(has("commands") && {
      commands: async () =>
        (await import("../../plugins/adapt/plugin-commands.ts")).pluginCommands(registration, client),
    }),
    ...(has("cliCommands") && {
      cliCommands: async () =>
        (await import("../../plugins/adapt/plugin-commands.ts")).pluginCliCommands(registration, client, language),
    }),
    ...(has("providers") && {
      providers: async () =>
        (await import("../../plugins/adapt/plugin-providers.ts")).pluginProviders(registration, client),
      providerProfiles: async () =>
        (await import("../../plugins/adapt/plugin-providers.ts")).pluginProfiles(registration, client, facts.report),
    }),
    ...(has("environments") && {
      async environments() {
        const [{ pluginLink }, { linkedEnvironment }] = await Promise.all([
          import("../../plugins/adapt/plugin-link.ts"),
          import("../environment/backends.ts"),
        ]);
        return registration.environments.map(({ id, name }) =>
          linkedEnvironment(facts.config, name, () => pluginLink(client, id, name)),
        );
      },
    }),
    ...(has("platforms") && {
      platforms: async () =>
        (await import("../../plugins/adapt/plugin-platforms.ts")).pluginPlatforms(registration, client),
    }),
    ...(has("policies") && {
      policies: async () =>
        (await import("../../plugins/adapt/plugin-policies.ts")).pluginPolicies(registration, client),
    }),
    ...(has("skills") && {
      skills: () => registration.skills.map((skill) => ({ ...skill, name: `${manifest.name}:${skill.name}` })),
    }),
    ...(has("promptSections") && {
      promptSections: async () =>
        (await import("../../plugins/adapt/prompt-sections.ts")).pluginSections(registration, client, facts.report),
    }),
    ...(has("contextEngines") && {
      contextEngines: async () =>
        (await import("../../plugins/adapt/plugin-engines.ts")).pluginEngines(registration, client),
    }),
    ...(has("memoryProviders") && {
      memoryProviders: async () =>
        (await import("../../plugins/adapt/plugin-memory.ts")).pluginMemoryProviders(
          registration,
          client,
          facts.config.home.path,
        ),
    }),
    ...(has("backends") && {
      backends: async () =>
        (await import("../../plugins/adapt/plugin-backends.ts")).pluginBackends(
          registration,
          client,
          facts.permissions.net,
        ),
    }),
    ...(has("secretSources") && {
      secretSources: async () =>
        (await import("../../plugins/adapt/secret-sources.ts")).pluginSecretSources(registration, client),
    }),
    ...(has("auxiliaryTasks") && {
      auxiliaryTasks: () => registration.auxiliaryTasks.map(({ key: name, ...task }) => ({ name, ...task })),
    }),
    ...(has("ui") && {
      ui: async () => (await import("../../plugins/adapt/plugin-ui.ts")).pluginUi(registration, client),
    }),
    diagnostics: () => registration.warnings.map((message) => ({ source: `plugin ${key}`, message })),
    async dispose() {
      hooks?.[Symbol.dispose]();
      await client[Symbol.asyncDispose]();
    },
  };
}

/** The tools of a memory provider exist only while the settings select it. */
function withoutUnusedTools(registration: PluginRegistration, { values }: LoadedConfig): PluginRegistration {
  const unused = registration.memoryProviders
    .filter(({ name }) => name !== values.memory.provider)
    .map(({ name }) => `memory:${name}`);
  return { ...registration, tools: registration.tools.filter(({ toolset }) => !unused.includes(toolset)) };
}
