import type { FoundPlugin, Permissions } from "./manifest.ts";
import type { PluginRegistration } from "./registration.ts";

/** A plugin and why it is or is not loaded. */
export interface PluginStatus {
  readonly plugin: FoundPlugin;
  readonly state: PluginState;
  /** A sentence for a person about any state but `active`: the reason, and what to do. */
  readonly why?: string;
  /** Required variables without a value. */
  readonly missing: readonly string[];
  /** The manifest's, with the grants of the settings. */
  readonly permissions: Permissions;
  /** Its last registration. Undefined: it never loaded. */
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
