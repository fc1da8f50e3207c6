import { ownValue } from "../base/json.ts";
import type { FoundPlugin } from "../contracts/plugin/manifest.ts";
import type { PluginState } from "../contracts/plugin/status.ts";
import { codeHash } from "./fingerprint.ts";
import { grantsOf } from "./permissions.ts";
import type { AcceptedPlugin, PluginIndex } from "./plugin-index.ts";

/** Settings and circumstances that decide which plugins load. */
export interface ActivationRules {
  /** Keys or names. */
  readonly enabled: readonly string[];
  readonly disabled: readonly string[];
  readonly isSafeMode: boolean;
  /** `HERMES_ENABLE_PROJECT_PLUGINS`: enables the plugins of a project, which must be trusted all the same. */
  readonly enablesProject: boolean;
  /** Names that other settings choose, such as `memory.provider`. */
  readonly chosen: readonly string[];
  /** The plugin that an enabled key meant when the person enabled it. */
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
  if (named(rules.disabled)) return off(`plugins.disabled names it. To load it: hermes plugins enable ${key}`);
  const isNamed = named(rules.enabled) || (manifest.kind === "exclusive" && named(rules.chosen));
  const isEnabled =
    isNamed ||
    (plugin.source === "bundled" && (manifest.kind === "backend" || manifest.kind === "platform")) ||
    (plugin.source === "project" && rules.enablesProject);
  if (!isEnabled && plugin.source !== "home") return off(`It is not enabled. To load it: hermes plugins enable ${key}`);
  const accepted = ownValue(rules.accepted, key);
  if (isNamed && accepted !== undefined && accepted.folder !== plugin.folder)
    return off(
      `You enabled the one in ${accepted.folder}; this is ${plugin.folder}. To load it: hermes plugins enable ${key}`,
    );
  if (missing.length > 0)
    return { state: "missing", why: `Plugin ${key} disabled (missing: ${missing.join(", ")})`, missing };
  return isEnabled
    ? { state: "active", missing }
    : { state: "offered", why: `Plugin ${key} is new. To load it: hermes plugins enable ${key}`, missing };
}

/** Folder, permissions and content, which the person accepts by enabling a plugin. */
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
 * The agent may write in a project and its packages. Installed plugins have a pin, and those that were written by hand in
 * the home belong to the person.
 */
function isWritable({ source }: FoundPlugin): boolean {
  return source !== "home" && source !== "bundled";
}

/** Why the code differs from what the user accepted, if it does. Reads all files. */
export function contentFault(plugin: FoundPlugin, { accepted }: Pick<PluginIndex, "accepted">): string | undefined {
  const { key } = plugin;
  const before = ownValue(accepted, key);
  if (!before || !isWritable(plugin)) return undefined;
  const hash = codeHash(plugin);
  if (hash.ok && hash.value === before.hash) return undefined;
  return `Plugin ${key} changed since you enabled it and is not loaded. To load it as it is: hermes plugins enable ${key}`;
}

/** Why the manifest differs from the one that the user accepted, if it does. */
export function permissionsFault(plugin: FoundPlugin, { accepted }: Pick<PluginIndex, "accepted">): string | undefined {
  const { key } = plugin;
  const before = ownValue(accepted, key);
  if (!before || !isWritable(plugin)) return undefined;
  const added = acceptanceOf(plugin).grants.filter((grant) => !before.grants.includes(grant));
  if (added.length === 0) return undefined;
  return `Plugin ${key} asks for more than you accepted (${added.join(", ")}) and is not loaded. To load it: hermes plugins enable ${key}`;
}
