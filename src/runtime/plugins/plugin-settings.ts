import { basename, dirname, join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { sha256 } from "../../base/digest.ts";
import { homeFiles } from "../../config/home.ts";
import type { Config, LoadedConfig } from "../../config/load.ts";
import type { FoundPlugin } from "../../contracts/plugin/manifest.ts";
import type { OwnLoadParams } from "../../plugins/process/plugin-process.ts";
import type { SourceDeps } from "../../plugins/sources/read-sources.ts";

/** The settings of one plugin, by key or name. */
export function settingsOf(
  { plugins }: Config,
  { key, manifest }: FoundPlugin,
): Config["plugins"]["entries"][string] | undefined {
  return plugins.entries[key] ?? plugins.entries[manifest.name];
}

/** Whether the operator allows a plugin to replace tools of others. */
export function mayOverride({ values }: Pick<LoadedConfig, "values">, plugin: FoundPlugin): boolean {
  return settingsOf(values, plugin)?.allow_tool_override === true || plugin.source === "bundled";
}

/** Values of the variables that a plugin requires or may see. */
export function variablesOf({ secrets }: LoadedConfig, { manifest }: FoundPlugin): Readonly<Record<string, string>> {
  const names = [...manifest.requiresEnv.map(({ name }) => name), ...(manifest.permissions?.env ?? [])];
  if (names.length === 0) return {};
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = secrets.get(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** The folder that a plugin may write to. */
export function pluginDataFolder({ home }: Pick<LoadedConfig, "home">, { key }: FoundPlugin): string {
  return join(home.path, homeFiles.pluginData, folderName(key));
}

/**
 * Replaces `/` by `+`, which plugin names do not contain, so that no plugin's folder is inside the folder of another
 * plugin.
 */
function folderName(key: string): string {
  return key.replaceAll("/", "+");
}

/** Where Hermes stores the compiled code of a plugin: TypeScript in a file with this name, Python in a folder. */
export function codeCache({ home }: Pick<LoadedConfig, "home">, { key, folder }: FoundPlugin): string {
  return join(home.path, homeFiles.pluginCode, sha256(`${key}\0${folder}`).slice(0, 32));
}

/** The file that records which skills of the plugin were copied to the home. */
export function placedSkillsFile(config: Pick<LoadedConfig, "home">, plugin: FoundPlugin): string {
  const staging = stagingFolder(config, plugin);
  return join(dirname(staging), `.${basename(staging)}.json`);
}

/** The folder that a plugin sees as the skills folder of the home. */
export function stagingFolder({ home }: Pick<LoadedConfig, "home">, { key }: FoundPlugin): string {
  return join(home.path, homeFiles.pluginData, ".skills", folderName(key));
}

/** The first message to the process of a plugin. */
export async function loadParams(
  config: LoadedConfig,
  plugin: FoundPlugin,
  context: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<OwnLoadParams> {
  const { key, folder, entry, manifest, language } = plugin;
  const { name, version, description } = manifest;
  const cacheFile = `${codeCache(config, plugin)}.json`;
  return {
    key,
    name,
    version,
    description,
    folder,
    entry,
    dataDir: pluginDataFolder(config, plugin),
    home: config.home.path,
    profile: config.home.profile,
    options: settingsOf(config.values, plugin)?.options ?? {},
    secrets: variablesOf(config, plugin),
    isDebugging: isOn(config.env["HERMES_PLUGINS_DEBUG"]),
    ...(language === "typescript" && { sources: await sourcesOf(plugin, { cacheFile, ...context }) }),
  };
}

/** Whether the value of a variable means "on". */
export function isOn(value: string | undefined): boolean {
  return value !== undefined && !["", "0", "false", "no", "off"].includes(value.trim().toLowerCase());
}

async function sourcesOf(plugin: FoundPlugin, deps: SourceDeps): Promise<NonNullable<OwnLoadParams["sources"]>> {
  const { readSources } = await import("../../plugins/sources/read-sources.ts");
  return readSources(plugin, deps);
}
