import { readdirSync } from "node:fs";

import { err, ok, type Result, valueOr } from "../../base/result.ts";
import { didYouMean } from "../../base/text/nearest.ts";
import { withoutUndefined } from "../../base/without-undefined.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { OperationFault } from "../../contracts/host/operation.ts";
import { noPermissions } from "../../contracts/plugin/manifest.ts";
import { emptyRegistration } from "../../contracts/plugin/registration.ts";
import type { PluginStatus } from "../../contracts/plugin/status.ts";
import { describePermissions, grantsOf } from "../../plugins/permissions.ts";
import { pluginDataFolder, settingsOf } from "../../runtime/plugins/plugin-settings.ts";
import type { OperationServices } from "../operation.ts";
import type { RefusedTool } from "./refused-tools.ts";

type Plugins = OperationServices["plugins"];
type Installer = OperationServices["pluginInstaller"];

/** One plugin in a list. `refused`: the tools that it registers and that the model never gets. */
export function listedPlugin(
  { plugin, state, why, missing, registration }: PluginStatus,
  refused: readonly RefusedTool[] = [],
) {
  const { key, source, folder, language, manifest } = plugin;
  const { name, version, description, kind } = manifest;
  const { tools, hooks } = registration ?? emptyRegistration;
  return {
    key,
    name,
    version,
    description,
    kind,
    language,
    source,
    folder,
    state,
    ...withoutUndefined({ why }),
    missing,
    tools: tools.map(({ name: tool }) => tool).filter((tool) => !refused.some((each) => each.name === tool)),
    refusedTools: refused,
    hooks: hooks.map((hook) => hook.original ?? hook.hook),
    contributes: contributionsIn(registration ?? emptyRegistration),
  };
}

/** Everything about one plugin. Values of variables are never part of it. */
export function shownPlugin(
  status: PluginStatus,
  config: LoadedConfig,
  installer: Installer,
  refused: readonly RefusedTool[] = [],
) {
  const { values, secrets } = config;
  const { plugin, permissions, registration = emptyRegistration } = status;
  const { manifest, key, folder, entry } = plugin;
  const data = pluginDataFolder(config, plugin);
  const settings = settingsOf(values, plugin);
  const pins = installer.pins();
  const pin = pins.ok && plugin.source === "home" ? pins.value.get(key) : undefined;
  const { tools, unsupported, warnings } = registration;
  return {
    ...listedPlugin(status, refused),
    author: manifest.author,
    entry,
    data: { folder: data, isEmpty: !keepsData(data) },
    ...(pin && { installed: { ...pin, isEdited: installer.isEdited(key, folder) } }),
    permissions: {
      /** Phrases that complete "it may …", for permissions beyond the default. */
      may: describePermissions(permissions),
      ...(manifest.permissions ? { declared: grantsOf(manifest.permissions) } : {}),
      granted: settings?.grants ?? [],
      defaults: defaultRights,
      isUnconfined: settings?.unconfined === true,
      isInProcess: settings?.in_process === true,
      mayReplaceTools: settings?.allow_tool_override === true,
    },
    variables: manifest.requiresEnv.map((variable) => ({ ...variable, isSet: Boolean(secrets.get(variable.name)) })),
    tools: tools.map(({ name, description, toolset, isAvailable }) => ({
      name,
      toolset,
      description,
      ...withoutUndefined({ isAvailable, refused: refused.find((each) => each.name === name)?.why }),
    })),
    /** Names of contributions, read from the manifest and the code without running the plugin. */
    announces: manifest.provides ?? {},
    hasRegistered: status.registration !== undefined,
    unsupported,
    warnings,
  };
}

const defaultRights: readonly string[] = [
  "read its own folder",
  "write its data folder",
  "see the variables that it requires",
  "place a skill, which the skill guard checks",
];

/** Names of all contributions except tools, by kind. */
function contributionsIn(
  registration: PluginStatus["registration"] & object,
): Readonly<Record<string, readonly string[]>> {
  const names = {
    toolsets: registration.toolsets.map(({ name }) => name),
    hooks: registration.hooks.map(
      ({ original, hook, isPolicy }) => `${original ?? hook}${isPolicy ? " (policy)" : ""}`,
    ),
    middleware: registration.middleware.map(({ kind }) => kind),
    commands: registration.commands.map(({ name }) => `/${name}`),
    "hermes commands": registration.cliCommands.map(({ name }) => `hermes ${name}`),
    providers: registration.providers.map(({ name }) => name),
    environments: registration.environments.map(({ name }) => name),
    platforms: registration.platforms.map(({ name }) => name),
    policies: registration.policies.map(({ name }) => name),
    skills: registration.skills.map(({ name }) => name),
    "prompt sections": registration.promptSections.map(({ id }) => id),
    "context engines": registration.contextEngines.map(({ name }) => name),
    "memory providers": registration.memoryProviders.map(({ name }) => name),
    "secret sources": registration.secretSources.map(({ name }) => name),
    backends: registration.backends.map(({ kind, name }) => `${kind} ${name}`),
    "auxiliary models": registration.auxiliaryTasks.map(({ key }) => key),
    "parts of the screen": registration.ui.map(
      ({ kind, name, chord }) => `${kind} ${name}${chord === "" ? "" : ` (${chord})`}`,
    ),
  };
  return Object.fromEntries(Object.entries(names).filter(([, list]) => list.length > 0));
}

/** The plugin with this key or name. Searches packages too if there is none. */
export async function findPlugin(name: string, plugins: Plugins): Promise<Result<PluginStatus, OperationFault>> {
  const match = () => {
    const all = plugins.list();
    return all.find(({ plugin }) => plugin.key === name) ?? all.find(({ plugin }) => plugin.manifest.name === name);
  };
  if (!match()) await plugins.refresh();
  const status = match();
  if (status) return ok(status);
  const broken = plugins.problems.find(({ path }) => path.endsWith(`/${name}`));
  if (broken) return err({ message: broken.message });
  const names = plugins.list().map(({ plugin }) => plugin.key);
  return err({
    message: `There is no plugin ${name}. ${didYouMean(name, names)}`.trimEnd(),
    hint: "`hermes plugins list` lists the plugins.",
  });
}

/** Whether the plugin itself wrote something to its data folder. */
export function keepsData(folder: string): boolean {
  return valueOr(() => readdirSync(folder), []).length > 0;
}

/** The id under `plugins.entries`: the key, or the name if the settings use it. */
export function settingsId({ plugin }: Pick<PluginStatus, "plugin">, { plugins }: LoadedConfig["values"]): string {
  const { key, manifest } = plugin;
  return Object.hasOwn(plugins.entries, key) || !Object.hasOwn(plugins.entries, manifest.name) ? key : manifest.name;
}

export function declaredPermissions({ plugin }: Pick<PluginStatus, "plugin">): readonly string[] {
  return grantsOf(plugin.manifest.permissions ?? noPermissions);
}
