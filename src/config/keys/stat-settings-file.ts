import { lstatSync, type Stats, statSync } from "node:fs";

/**
 * Stats of a path, following links. Throws the system's error if the path cannot be examined. Synchronous, like all
 * reading of settings: the first asynchronous call of a process starts threads, which takes longer than reading all the
 * files.
 */
export function statSettingsFile(path: string): Stats | "broken link" | "nothing" {
  const result = lstatSync(path, { throwIfNoEntry: false });
  if (result === undefined) return "nothing";
  return result.isSymbolicLink() ? (statSync(path, { throwIfNoEntry: false }) ?? "broken link") : result;
}
