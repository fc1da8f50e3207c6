import type { FoundPlugin, Permissions } from "./manifest.ts";
import type { PluginRegistration } from "./registration.ts";

/** The state of a plugin: whether it is loaded, and why or why not. */
export interface PluginStatus {
  readonly plugin: FoundPlugin;
  readonly state: PluginState;
  /** A sentence for a user about every state except `active`: the reason, and what to do. */
  readonly why?: string;
  /** The required environment variables that have no value. */
  readonly missing: readonly string[];
  /** The permissions of the manifest, combined with the grants in the settings. */
  readonly permissions: Permissions;
  /** The plugin's last registration. Undefined: it was never loaded. */
  readonly registration?: PluginRegistration;
}

/**
 * - `active`: its contributions are loaded, or will be when a session starts.
 * - `offered`: in the person's own home and in neither list; the chat asks once.
 * - `disabled`: by the settings, or not enabled.
 * - `missing`: a required variable has no value.
 * - `unavailable`: this machine cannot run it (no Python, no sandbox).
 * - `broken`: its code failed to load.
 */
export type PluginState = "active" | "offered" | "disabled" | "missing" | "unavailable" | "broken";
