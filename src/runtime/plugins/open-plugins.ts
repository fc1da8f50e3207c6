import { existsSync } from "node:fs";
import { join } from "node:path";

import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import { sha256 } from "../../base/digest.ts";
import { err, ok } from "../../base/result.ts";
import { version } from "../../base/version.ts";
import { homeFiles } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { problemText } from "../../config/problem.ts";
import { type FoundPlugin, noPermissions } from "../../contracts/plugin/manifest.ts";
import type { ToolRegistration } from "../../contracts/plugin/registration.ts";
import { changePin, readPins } from "../../plugins/install/plugin-pins.ts";
import { hashOfFolder } from "../../plugins/install/plugin-tree.ts";
import { mergePermissions, parseGrants } from "../../plugins/permissions.ts";
import { openPluginShelf, type PluginShelf, type PluginShelfDeps } from "../../plugins/plugin-shelf.ts";
import type { LoadedContributions } from "../contributions.ts";
import { hasOnlyTools, toolContribution } from "./lazy-plugin-tools.ts";
import { pluginPlaces } from "./plugin-places.ts";
import { isOn, mayOverride, settingsOf, variablesOf } from "./plugin-settings.ts";
import type { RunPluginsDeps } from "./run-plugins.ts";

export interface OpenedPlugins extends Omit<PluginShelf, "join"> {
  /** Loads the active plugins into a runtime, and also plugins that are enabled later. */
  join(contributions: Pick<LoadedContributions, "add">): Promise<void>;
}

export interface OpenPluginsDeps extends RunPluginsDeps {
  readonly safeMode?: boolean;
}

/** The plugins of this home and this folder. Opening reads one file and runs nothing. */
export async function openPlugins(config: LoadedConfig, deps: OpenPluginsDeps): Promise<OpenedPlugins> {
  const { cwd, signal, clock, say } = deps;
  const { env, home, values, secrets } = config;
  // Loaded on demand, because a start without plugins does not need it.
  const runs = once(async () => (await import("./run-plugins.ts")).runPlugins(config, deps));
  const isDebugging = isOn(env["HERMES_PLUGINS_DEBUG"]);
  const shelf = await openPluginShelf({
    indexFile: join(home.path, homeFiles.pluginIndex),
    canWrite: () => existsSync(home.path),
    // In safe mode only a list of the plugins searches for them.
    places: async (packages) => (deps.safeMode && !packages ? [] : pluginPlaces(config, cwd, { packages })),
    rules: {
      enabled: values.plugins.enabled,
      disabled: values.plugins.disabled,
      isSafeMode: deps.safeMode === true,
      enablesProject: isOn(env["HERMES_ENABLE_PROJECT_PLUGINS"]),
      chosen: [
        values.memory.provider,
        config.origins.get("context.engine")?.from === "default" ? "" : values.context.engine,
      ].filter((name) => name !== ""),
      isSet: (name) => Boolean(secrets.get(name)),
    },
    env,
    permissionsOf(plugin) {
      const grants = settingsOf(values, plugin)?.grants ?? [];
      const { permissions = noPermissions } = plugin.manifest;
      if (grants.length === 0) return ok(permissions);
      const granted = parseGrants(grants);
      return granted.ok ? ok(mergePermissions(permissions, granted.value)) : granted;
    },
    factsOf: (plugin) => factsOf(config, plugin),
    ...pinsOf(config, { signal, clock }),
    async saveLists(enabled, disabled) {
      const { setValues } = await import("../../config/write.ts");
      const changes = [
        { path: ["plugins", "enabled"], value: enabled.length === 0 ? undefined : enabled },
        { path: ["plugins", "disabled"], value: disabled.length === 0 ? undefined : disabled },
      ];
      const written = await setValues(home, changes, { signal, clock });
      return written.ok ? ok(undefined) : err(written.error.problems.map(problemText).join("; "));
    },
    createClient: async (...given) => (await runs()).createClient(...given),
    register: async (...given) => (await runs()).register(...given),
    say,
    clock,
    signal,
  });
  if (isDebugging) for (const line of debugLines(shelf)) say(line);
  return {
    ...shelf,
    get problems() {
      return shelf.problems;
    },
    join: (contributions) =>
      shelf.join(async (active) => {
        const { plugin, registration, permissions } = active;
        if (!hasOnlyTools(registration)) return contributions.add((await runs()).contributionOf(active));
        const load = async (tool: ToolRegistration) => (await runs()).toolOf(active, tool);
        const facts = { key: plugin.key, permissions, mayOverride: mayOverride(config, plugin), load };
        return contributions.add(toolContribution(registration, facts));
      }),
  };
}

/** A hash instead of the values of variables, which are secrets. */
function factsOf(config: LoadedConfig, plugin: FoundPlugin): string {
  const variables = variablesOf(config, plugin);
  const { grants, unconfined, in_process, options } = settingsOf(config.values, plugin) ?? {};
  const runtime = plugin.language === "typescript" ? process.version : "";
  const hash = Object.keys(variables).length === 0 ? "" : sha256(JSON.stringify(variables)).slice(0, 16);
  const settings = { grants, unconfined, in_process, options };
  // The manifest of a Python package may be outside of the watched folder.
  const manifest = plugin.source === "python" ? plugin.manifest : "";
  return JSON.stringify([version, runtime, plugin.entry, manifest, settings, hash]);
}

/** Plugins that `hermes plugins install` installed are loaded only in the form that the user accepted. */
function pinsOf(
  { home }: LoadedConfig,
  context: { readonly signal: AbortSignal; readonly clock: Clock },
): Pick<PluginShelfDeps, "pinFault" | "acceptPin"> {
  const pinOf = ({ key, source }: FoundPlugin) => {
    const pins = source === "home" ? readPins(home.path) : undefined;
    return pins?.ok ? ok(pins.value.get(key)) : (pins ?? ok(undefined));
  };
  return {
    pinFault(plugin) {
      const recorded = pinOf(plugin);
      if (!recorded.ok) return `Plugin ${plugin.key} is not loaded: ${recorded.error.message}`;
      const pin = recorded.value;
      if (!pin || hashOfFolder(plugin.folder) === pin.hash) return undefined;
      return `Plugin ${plugin.key} changed since you installed it and is not loaded. To load it as it is: hermes plugins enable ${plugin.key}`;
    },
    async acceptPin(plugin) {
      const recorded = pinOf(plugin);
      if (!recorded.ok) return recorded;
      const pin = recorded.value;
      const hash = pin && hashOfFolder(plugin.folder);
      if (!pin || hash === pin.hash) return ok(undefined);
      if (hash === undefined)
        return err({ message: `${plugin.folder} contains links or special files, which a plugin must not have.` });
      return changePin(home.path, plugin.key, { ...pin, hash }, context);
    },
  };
}

function debugLines(shelf: PluginShelf): readonly string[] {
  return [
    ...shelf.list().map(({ plugin, state, why }) => {
      const { key, source, folder, manifest, language } = plugin;
      return `plugins: ${key} (${source}, ${manifest.kind}, ${language}) in ${folder}: ${state}${why === undefined ? "" : `. ${why}`}`;
    }),
    ...shelf.problems.map(({ message }) => `plugins: ${message}`),
  ];
}
