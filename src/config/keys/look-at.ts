import { lstatSync, type Stats, statSync } from "node:fs";

/**
 * What is at a path, links followed. Throws what the system says of a path that cannot be looked at. Synchronous, as is
 * all reading of settings: the first asynchronous call of a process starts threads, which costs more than every file.
 */
export function lookAt(path: string): Stats | "broken link" | "nothing" {
  const result = lstatSync(path, { throwIfNoEntry: false });
  if (result === undefined) return "nothing";
  return result.isSymbolicLink() ? (statSync(path, { throwIfNoEntry: false }) ?? "broken link") : result;
}
