import type { FoundPlugin } from "../../contracts/plugin/manifest.ts";
import type { FoundPlugins, PlaceScan, PluginPlace } from "./plugin-place.ts";
import { scanFolders, scanHookFolders } from "./scan-folders.ts";
import { scanNodeModules } from "./scan-node-modules.ts";
import { scanSitePackages } from "./scan-site-packages.ts";

/** Finds the plugins in all places and returns them sorted by key. A later place wins over an earlier one. */
export async function findPlugins(places: readonly PluginPlace[]): Promise<FoundPlugins> {
  return mergePlaces(await Promise.all(places.map(scanPlace)));
}

/** Never rejects: an unreadable folder is reported as a problem, and a missing folder is empty. */
export function scanPlace(place: PluginPlace): Promise<PlaceScan> {
  switch (place.source) {
    case "npm":
      return scanNodeModules(place.folder, place.manifest);
    case "python":
      return scanSitePackages(place.folder);
    case "hooks":
      return scanHookFolders(place.folder);
    case "bundled":
    case "home":
    case "project":
      return scanFolders(place.folder, place.source);
  }
}

/**
 * Merges the plugins of all places. `isAccepted` tells whether the user enabled this plugin. An accepted plugin is
 * kept, because another plugin of the same name must not replace a guard.
 */
export function mergePlaces(
  scans: readonly FoundPlugins[],
  isAccepted: (plugin: FoundPlugin) => boolean = () => false,
): FoundPlugins {
  const byKey = new Map<string, FoundPlugin>();
  const problems = scans.flatMap((scan) => scan.problems);
  for (const plugin of scans.flatMap(({ plugins }) => plugins)) {
    const { key, folder } = plugin;
    const before = byKey.get(key);
    if (before && before.folder !== folder && isAccepted(before)) {
      const next = `hermes plugins disable ${key} && hermes plugins enable ${key}`;
      const message = `${folder} is not loaded, because you enabled the plugin ${key} in ${before.folder}. To replace it: ${next}`;
      problems.push({ path: folder, message });
    } else byKey.set(key, plugin);
  }
  return { plugins: [...byKey.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1)), problems };
}
