import { lstatSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";

import { hasSecret } from "./hidden-paths.ts";
import { isBelow } from "./mount-plan.ts";

/** A path that is there, through every link. Undefined: nothing is, or nobody may look. */
export function foundPath(path: string): { readonly path: string; readonly isFolder: boolean } | undefined {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats) return undefined;
    const real = realpathSync.native(path);
    return { path: real, isFolder: (real === path ? stats : statSync(real)).isDirectory() };
  } catch {
    return undefined;
  }
}

/** Of paths below a folder those whose first step is there: nearly all that could be in a home are not. */
export function likelyIn(folder: string, paths: readonly string[]): readonly string[] {
  const names = new Set(namesIn(folder));
  const from = folder.length + 1;
  return paths.filter((path) => !isBelow(path, folder) || names.has(path.slice(from).split("/", 1)[0] ?? ""));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

export function realPath(path: string): string | undefined {
  return foundPath(path)?.path;
}

/** Does the path lead through one of these folders to a place outside all of them? A program with write access there controls the target. */
export function isLedElsewhere(path: string, folders: readonly string[]): boolean {
  const real = realPath(path);
  const isAmong = (place: string) => folders.some((folder) => place === folder || isBelow(place, folder));
  if (real === undefined || real === path || isAmong(real)) return false;
  for (let step = path; dirname(step) !== step; step = dirname(step)) {
    if (isAmong(step) || isAmong(realPath(step) ?? step)) return true;
  }
  return false;
}

/** Which settings files have a secret in them, read again when they change. One that cannot be read counts as one. */
export function rememberSecrets(): (path: string) => boolean {
  const cache = new Map<string, { readonly stamp: string; readonly answer: boolean }>();
  return (path) => {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats?.isFile()) return true;
    const stamp = `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
    const before = cache.get(path);
    if (before?.stamp === stamp) return before.answer;
    const answer = stats.size > maxBytes || hasSecret(textOf(path) ?? "token");
    cache.set(path, { stamp, answer });
    return answer;
  };
}

const maxBytes = 1_000_000;

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
