import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import { basename, dirname } from "node:path";

import { valueOr } from "../../base/result.ts";
import { absolutePattern, type PatternPlaces } from "../permissions.ts";

/** Existing paths that the patterns of `read` or `write` cover. New files that match a `*` later are not included. */
export async function grantedPaths(patterns: readonly string[], places: PatternPlaces): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const pattern of patterns) {
    const absolute = absolutePattern(pattern, places);
    if (absolute === undefined) continue;
    if (!absolute.includes("*")) paths.push(absolute);
    else for await (const path of glob(absolute)) if (paths.push(path) >= maxPaths) return paths;
  }
  return paths;
}

/** The maximum number of mounts; more take too long. */
const maxPaths = 500;

/**
 * Creates missing paths that a plugin may write: a file if the name has an extension, otherwise a folder. A failure
 * is ignored here; the plugin gets an error when it uses the path.
 */
export function makeMissing(paths: readonly string[]): void {
  for (const path of paths) {
    if (existsSync(path)) continue;
    const isFile = /.\.[A-Za-z]\w*$/u.test(basename(path));
    valueOr(() => {
      mkdirSync(isFile ? dirname(path) : path, { recursive: true });
      if (isFile) writeFileSync(path, "", { flag: "wx" });
    }, undefined);
  }
}
