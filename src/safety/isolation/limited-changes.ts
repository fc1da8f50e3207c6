import { lstatSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import { isInside } from "../../base/files/path.ts";
import { valueOr } from "../../base/result.ts";
import type { MountRequest } from "./mount-plan.ts";

/**
 * Mounts for a command that may change only these real paths, which need not exist. A path that ends with `/` means the
 * content of a folder. For other paths, the parent folder is writable, and all other entries in it are read-only and
 * cannot be removed, except links, which cannot be mounted. Devices are not limited. Undefined: not possible, because a
 * path is in `/`, `/proc` or `/sys`.
 */
export function mountsForChanges(places: readonly string[]): readonly MountRequest[] | undefined {
  const outermost = places.filter((place) => !places.some((other) => other !== place && isInside(other, place)));
  const open = new Map<string, Set<string>>();
  const contents: string[] = [];
  for (const place of outermost.filter((each) => !isInside("/dev", each))) {
    const path = place.replace(/(?<=.)\/$/u, "");
    const isContent = path !== place && isFolder(path);
    const { folder, name } = nearestFolder(path);
    if ((folder === "/" && !isContent) || path === "/" || unmountable.test(path)) return undefined;
    if (isContent) contents.push(path);
    else open.set(folder, (open.get(folder) ?? new Set()).add(name));
  }
  const guarded = [...open].flatMap(([folder, names]) => guards(folder, names));
  return [
    ...(guarded.length > maxGuards ? [] : guarded),
    // These requests come after the protected paths, because the last request for a path is used.
    ...[...open.keys(), ...contents].map((path) => ({ path, isFolder: true, how: "write" }) as const),
  ];
}

const unmountable = /^\/(?:proc|sys)(?:\/|$)/u;

/** The maximum number of mounts. More would take too long, so everything in the folders can then change. */
const maxGuards = 1_000;

/** Returns the nearest existing parent folder, and the name in it that leads to the path. */
function nearestFolder(place: string): { readonly folder: string; readonly name: string } {
  let [folder, name] = [dirname(place), basename(place)];
  while (folder !== "/" && !isFolder(folder)) [folder, name] = [dirname(folder), basename(folder)];
  return { folder, name };
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function guards(folder: string, open: ReadonlySet<string>): readonly MountRequest[] {
  return valueOr(() => readdirSync(folder, { withFileTypes: true }), [])
    .filter((entry) => !open.has(entry.name) && (entry.isDirectory() || entry.isFile()))
    .map((entry) => ({ path: join(folder, entry.name), isFolder: entry.isDirectory(), how: "read" }));
}
