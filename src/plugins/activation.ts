import { ownValue } from "../base/json.ts";
import type { FoundPlugin } from "../contracts/plugin/manifest.ts";
import type { PluginState } from "../contracts/plugin/status.ts";
import { codeHash } from "./fingerprint.ts";
import { grantsOf } from "./permissions.ts";
import type { AcceptedPlugin, PluginIndex } from "./plugin-index.ts";

/** Settings and circumstances that decide which plugins load. */
export interface ActivationRules {
  /** The entries of `plugins.enabled`: keys or names of plugins. */
  readonly enabled: readonly string[];
  readonly disabled: readonly string[];
  readonly isSafeMode: boolean;
  /** Whether `HERMES_ENABLE_PROJECT_PLUGINS` enables project plugins. The project must also be trusted. */
  readonly enablesProject: boolean;
  /** Plugin names that other settings select, such as `memory.provider`. */
  readonly chosen: readonly string[];
  /** The plugin (folder, permissions, content) that the user accepted when enabling this key. */
  readonly accepted: PluginIndex["accepted"];
  readonly isSet: (variable: string) => boolean;
}

export interface Activation {
  readonly state: Extract<PluginState, "active" | "offered" | "disabled" | "missing">;
  readonly why?: string;
  readonly missing: readonly string[];
}

export function judgeActivation(plugin: FoundPlugin, rules: ActivationRules): Activation {
  const { key, manifest } = plugin;
  const named = (list: readonly string[]) => list.includes(key) || list.includes(manifest.name);
  const missing = manifest.requiresEnv.map(({ name }) => name).filter((name) => !rules.isSet(name));
  const off = (why: string): Activation => ({ state: "disabled", why, missing });
  if (rules.isSafeMode) return off("Safe mode loads no plugins.");
  if (named(rules.disabled))
    return off(`The setting plugins.disabled lists this plugin. To load it: hermes plugins enable ${key}`);
  const isNamed = named(rules.enabled) || (manifest.kind === "exclusive" && named(rules.chosen));
  const isEnabled =
    isNamed ||
    (plugin.source === "bundled" && (manifest.kind === "backend" || manifest.kind === "platform")) ||
    (plugin.source === "project" && rules.enablesProject);
  if (!isEnabled && plugin.source !== "home")
    return off(`The plugin is not enabled. To load it: hermes plugins enable ${key}`);
  const accepted = ownValue(rules.accepted, key);
  if (isNamed && accepted !== undefined && accepted.folder !== plugin.folder)
    return off(
      `You enabled the plugin in ${accepted.folder}, but this one is in ${plugin.folder}. To load it: hermes plugins enable ${key}`,
    );
  if (missing.length > 0)
    return { state: "missing", why: `Plugin ${key} disabled (missing: ${missing.join(", ")})`, missing };
  return isEnabled
    ? { state: "active", missing }
    : { state: "offered", why: `Plugin ${key} is new. To load it: hermes plugins enable ${key}`, missing };
}

/** The folder, permissions and content that the user accepts by enabling a plugin. */
export function acceptanceOf(plugin: FoundPlugin): AcceptedPlugin {
  const { folder, manifest } = plugin;
  const hash = isWritable(plugin) ? codeHash(plugin) : undefined;
  return {
    folder,
    grants: manifest.permissions ? grantsOf(manifest.permissions) : [],
    ...(hash?.ok && { hash: hash.value }),
  };
}

/**
 * The agent can write to a project and its packages, so plugins there need a content check. Installed plugins have a
 * pinned hash, and the user owns the plugins that were written by hand in the Hermes home.
 */
function isWritable({ source }: FoundPlugin): boolean {
  return source !== "home" && source !== "bundled";
}

/** Reads all files and returns why the plugin's code differs from the accepted code; undefined if it does not. */
export function contentFault(plugin: FoundPlugin, { accepted }: Pick<PluginIndex, "accepted">): string | undefined {
  const { key } = plugin;
  const before = ownValue(accepted, key);
  if (!before || !isWritable(plugin)) return undefined;
  const hash = codeHash(plugin);
  if (hash.ok && hash.value === before.hash) return undefined;
  return `Plugin ${key} changed since you enabled it and is not loaded. To load it as it is: hermes plugins enable ${key}`;
}

/** Returns why the plugin's manifest differs from the accepted one; undefined if it does not. */
export function permissionsFault(plugin: FoundPlugin, { accepted }: Pick<PluginIndex, "accepted">): string | undefined {
  const { key } = plugin;
  const before = ownValue(accepted, key);
  if (!before || !isWritable(plugin)) return undefined;
  const added = acceptanceOf(plugin).grants.filter((grant) => !before.grants.includes(grant));
  if (added.length === 0) return undefined;
  return `Plugin ${key} asks for more than you accepted (${added.join(", ")}) and is not loaded. To load it: hermes plugins enable ${key}`;
}
