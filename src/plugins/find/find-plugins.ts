import type { FoundPlugins, PlaceScan, PluginPlace } from "./plugin-place.ts";
import { scanFolders, scanHookFolders } from "./scan-folders.ts";
import { scanNodeModules } from "./scan-node-modules.ts";
import { scanSitePackages } from "./scan-site-packages.ts";

/** All plugins by key, sorted. A later place wins over an earlier one. */
export async function findPlugins(places: readonly PluginPlace[]): Promise<FoundPlugins> {
  return mergePlaces(await Promise.all(places.map(scanPlace)));
}

/** Never rejects: a folder that cannot be read is a problem, a missing one is empty. */
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

export function mergePlaces(scans: readonly FoundPlugins[]): FoundPlugins {
  const byKey = new Map(scans.flatMap(({ plugins }) => plugins.map((plugin) => [plugin.key, plugin])));
  return {
    plugins: [...byKey.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    problems: scans.flatMap(({ problems }) => problems),
  };
}
