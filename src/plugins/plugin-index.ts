import { readFileSync } from "node:fs";

import type { Clock } from "../base/clock.ts";
import { withFileLock, writeFileAtomic } from "../base/files/atomic-file.ts";
import { asciiJson, isObject, ownValue, parsedObject } from "../base/json.ts";
import { type Result, valueOr } from "../base/result.ts";
import type { FoundPlugin } from "../contracts/plugin/manifest.ts";
import { emptyRegistration, type PluginRegistration } from "../contracts/plugin/registration.ts";
import { scanPlace } from "./find/find-plugins.ts";
import type { FoundPlugins, PlaceScan, PluginPlace } from "./find/plugin-place.ts";
import { isCurrent, type ReadState, type Stamp } from "./fingerprint.ts";

/**
 * The plugin index of a Hermes home: the plugins in each place, and the registration of each plugin that ran. With
 * it, a start neither searches folders nor runs plugins. The index is a cache, except for `accepted`.
 */
export interface PluginIndex {
  readonly places: Readonly<Record<string, PlaceScan>>;
  /** Plugins by their id (`idOf`). */
  readonly plugins: Readonly<Record<string, IndexedPlugin>>;
  /**
   * The plugin that the user accepted for each enabled key. Another folder, other content or more permissions need a
   * new acceptance.
   */
  readonly accepted: Readonly<Record<string, AcceptedPlugin>>;
}

export interface AcceptedPlugin {
  readonly folder: string;
  /** The permissions in the plugin's manifest. */
  readonly grants: readonly string[];
  /** The content hash, for a plugin that the agent may be able to write (`isWritable`). */
  readonly hash?: string;
}

/** The outcome of the last registration. It stays valid until a file or a recorded fact changes. */
export interface IndexedPlugin {
  readonly stamps: readonly Stamp[];
  /** External values that the registration may depend on, joined to one string. */
  readonly facts: string;
  readonly registration?: PluginRegistration;
  /** Why the plugin could not register. */
  readonly fault?: string;
}

const emptyIndex: PluginIndex = { places: {}, plugins: {}, accepted: {} };

/** A damaged file, or a file of another format, counts as empty. */
export function readIndex(file: string): PluginIndex {
  const index = parsedObject(valueOr(() => readFileSync(file, "utf8"), ""));
  const { version, places, plugins, accepted } = index;
  if (!readVersions.includes(version) || !isObject(places) || !isObject(plugins) || !isObject(accepted))
    return emptyIndex;
  // The cast is safe: this program wrote the file with these types.
  const stored = plugins as unknown as Record<string, { registration?: Partial<PluginRegistration> }>;
  for (const id of Object.keys(stored)) {
    const plugin = stored[id];
    if (plugin?.registration) plugin.registration = { ...emptyRegistration, ...plugin.registration };
  }
  return { places, plugins: stored, accepted } as unknown as PluginIndex;
}

/** The text of the index. Empty lists of registrations are left out, because every start reads the whole text. */
function textOf(index: PluginIndex): string {
  const plugins = Object.entries(index.plugins).map(([id, plugin]) => {
    const { registration } = plugin;
    if (!registration) return [id, plugin];
    const parts = Object.entries(registration).filter(([, list]) => list.length > 0);
    return [id, { ...plugin, registration: Object.fromEntries(parts) }];
  });
  return asciiJson(JSON.stringify({ version: indexVersion, ...index, plugins: Object.fromEntries(plugins) }));
}

/** Applies a change to the newest index on disk. Concurrent changes of several processes are all kept. */
export async function changeIndex(
  file: string,
  change: (index: PluginIndex) => PluginIndex,
  context: { readonly signal: AbortSignal; readonly clock: Clock },
): Promise<Result<void>> {
  const locked = await withFileLock(
    file,
    () => writeFileAtomic(file, textOf(change(readIndex(file))), { mode: 0o600 }),
    { ...context, timeoutMs: 5_000 },
  );
  return locked.ok ? locked.value : locked;
}

const indexVersion = 4;
/** Version 3 contains the empty lists of registrations. */
const readVersions: readonly unknown[] = [3, indexVersion];

/** Identifies one plugin on disk: two entry points of a Python package share a folder. */
export function idOf({ folder, entry, source }: FoundPlugin): string {
  return source === "python" ? `${folder} ${entry}` : folder;
}

/** The index without the entries of a plugin whose folder was deleted. */
export function withoutPlugin({ places, plugins, accepted }: PluginIndex, plugin: FoundPlugin): PluginIndex {
  const without = <T>(all: Readonly<Record<string, T>>, name: string) =>
    Object.fromEntries(Object.entries(all).filter(([each]) => each !== name));
  return { places, plugins: without(plugins, idOf(plugin)), accepted: without(accepted, plugin.key) };
}

interface ScannedPlaces {
  readonly scans: readonly FoundPlugins[];
  readonly renewed: Readonly<Record<string, PlaceScan>>;
}

/**
 * The plugins in all places. Package folders are slow to search, so they are skipped if none of the `names` in the
 * settings can refer to a package. If `names` is undefined, they are always searched.
 */
export async function searchPlaces(
  placesOf: (packages: boolean) => Promise<readonly PluginPlace[]>,
  index: PluginIndex,
  read: ReadState,
  names: readonly string[] | undefined,
): Promise<ScannedPlaces & { readonly hasPackages: boolean }> {
  if (names) {
    const scanned = await scanPlaces(await placesOf(false), index, read);
    if (names.length === 0 || !mayNamePackages(names, scanned, index)) return { ...scanned, hasPackages: false };
  }
  return { ...(await scanPlaces(await placesOf(true), index, read)), hasPackages: true };
}

/**
 * Whether a name may refer to a package: the name is not the key of an accepted and present plugin, or an accepted
 * plugin is missing.
 */
function mayNamePackages(
  names: readonly string[],
  { scans }: ScannedPlaces,
  { accepted }: Pick<PluginIndex, "accepted">,
): boolean {
  const plugins = scans.flatMap((scan) => scan.plugins);
  const folders = new Map(plugins.map(({ key, folder }) => [key, folder]));
  /** Several places may have a plugin with the same key. */
  const isPresent = (name: string, place: string | undefined) =>
    place !== undefined &&
    (folders.get(name) === place || plugins.some(({ key, folder }) => key === name && folder === place));
  for (const name of new Set([...names, ...Object.keys(accepted)]))
    if (!isPresent(name, ownValue(accepted, name)?.folder)) return true;
  return false;
}

/** The plugins in these places: from the index if no file changed, otherwise from a new search. */
async function scanPlaces(places: readonly PluginPlace[], index: PluginIndex, read: ReadState): Promise<ScannedPlaces> {
  const renewed: Record<string, PlaceScan> = {};
  const scans = await Promise.all(
    places.map(async (place) => {
      const name = `${place.source} ${place.folder}`;
      const cached = index.places[name];
      if (cached && isCurrent(cached.stamps, read)) return cached;
      return (renewed[name] = await scanPlace(place));
    }),
  );
  return { scans, renewed };
}
