import type { FoundPlugin } from "../../contracts/plugin/manifest.ts";
import type { Stamp } from "../fingerprint.ts";

/** A folder that is searched for plugins. */
export type PluginPlace =
  | { readonly source: "bundled" | "home" | "project"; readonly folder: string }
  /** The home's folders with a HOOK.yaml. */
  | { readonly source: "hooks"; readonly folder: string }
  /**
   * A `node_modules` folder. `manifest`: the package.json whose dependencies are searched; without it, all packages are
   * searched.
   */
  | { readonly source: "npm"; readonly folder: string; readonly manifest?: string }
  /** A `site-packages`. */
  | { readonly source: "python"; readonly folder: string };

export interface FoundPlugins {
  readonly plugins: readonly FoundPlugin[];
  readonly problems: readonly PluginProblem[];
}

/** A folder that looks like a plugin but is not usable. `message` names the file, the reason and the next step. */
export interface PluginProblem {
  readonly path: string;
  readonly message: string;
}

/** The plugins in one place. While the states of these files stay the same, a new scan gives the same result. */
export interface PlaceScan extends FoundPlugins {
  readonly stamps: readonly Stamp[];
}
