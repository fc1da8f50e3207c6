import { existsSync } from "node:fs";

import { ownValue } from "../base/json.ts";
import { err } from "../base/result.ts";
import { didYouMean } from "../base/text/nearest.ts";
import type { PluginClient } from "../contracts/plugin/client.ts";
import type { FoundPlugin, Permissions } from "../contracts/plugin/manifest.ts";
import { emptyRegistration, type PluginRegistration } from "../contracts/plugin/registration.ts";
import type { PluginState, PluginStatus } from "../contracts/plugin/status.ts";
import type { PluginProblem } from "./find/plugin-place.ts";
import type { IndexedPlugin, PluginIndex } from "./plugin-index.ts";

/** A plugin with its state and registration. */
export interface ShelfEntry {
  plugin: FoundPlugin;
  permissions: Permissions;
  state: PluginState;
  why?: string | undefined;
  missing: readonly string[];
  /** Undefined if the plugin still has to register. */
  indexed?: IndexedPlugin | undefined;
  client?: PluginClient | undefined;
  loaded?: AsyncDisposable | undefined;
}

export function statusOf({ plugin, state, why, missing, permissions, indexed }: ShelfEntry): PluginStatus {
  const registration = indexed?.registration;
  return {
    plugin,
    state,
    missing,
    permissions,
    ...(why !== undefined && { why }),
    ...(registration && { registration }),
  };
}

/** Enabled names that match no plugin, neither here nor in another project. */
export function unknownNames(
  enabled: readonly string[],
  entries: readonly ShelfEntry[],
  problems: readonly PluginProblem[],
  { accepted }: Pick<PluginIndex, "accepted">,
): readonly PluginProblem[] {
  const names = new Set(entries.flatMap(({ plugin }) => [plugin.key, plugin.manifest.name]));
  const isBroken = (name: string) => problems.some(({ path }) => path.endsWith(`/${name}`));
  const isElsewhere = (name: string) => existsSync(ownValue(accepted, name)?.folder ?? "");
  return enabled
    .filter((name) => !names.has(name) && !isBroken(name) && !isElsewhere(name))
    .map((name) => {
      const hint = didYouMean(name, names);
      const message = `plugins.enabled lists ${name}, but there is no plugin of this name. ${hint}`.trimEnd();
      return { path: name, message };
    });
}

/** States that are reported when a session starts. */
export function isNotable(state: PluginState): boolean {
  return state === "missing" || state === "broken" || state === "unavailable";
}

export function brokenText(fault: string, key: string): string {
  return `Plugin ${key} is not loaded: ${fault} To retry: hermes plugins enable ${key}`;
}

/** Whether two registrations are equal, except for the results of availability checks. */
export function isSame(a: PluginRegistration, b: PluginRegistration): boolean {
  const text = ({ tools, ...rest }: PluginRegistration) =>
    JSON.stringify([rest, tools.map((tool) => ({ ...tool, isAvailable: tool.isAvailable !== undefined }))]);
  return text(a) === text(b);
}

/** The parts of a registration that can block calls. */
export function guardsOf(registration: PluginRegistration | undefined): PluginRegistration | undefined {
  const hooks = registration?.hooks.filter(({ isPolicy }) => isPolicy) ?? [];
  const policies = registration?.policies ?? [];
  return hooks.length + policies.length === 0 ? undefined : { ...emptyRegistration, hooks, policies };
}

/** A client that is created at its first use. */
export function lazyClient(key: string, create: () => Promise<PluginClient>): PluginClient {
  let client: PluginClient | undefined;
  let creating: Promise<PluginClient> | undefined;
  let isDisposed = false;
  const use = () => (creating ??= create().then((created) => (client = created)));
  return {
    key,
    request(...given) {
      if (client) return client.request(...given);
      // A session keeps its tools when their plugin is unloaded. They must not start it again.
      if (isDisposed) return Promise.resolve(err({ kind: "unavailable", message: `Plugin ${key} is unloaded.` }));
      return use().then((own) => own.request(...given));
    },
    observe(events) {
      if (client) client.observe(events);
      else if (!isDisposed) void use().then((own) => own.observe(events));
    },
    async [Symbol.asyncDispose]() {
      isDisposed = true;
      await (await creating)?.[Symbol.asyncDispose]();
    },
  };
}
