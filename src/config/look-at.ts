import { lstatSync, type Stats, statSync } from "node:fs";

/**
 * What is at a path, links followed. Throws what the system says of a path that cannot be looked at. Synchronous, as is
 * all reading of settings: the first asynchronous call of a process starts threads, which costs more than every file.
 */
export function lookAt(path: string): Stats | "broken link" | "nothing" {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return "nothing";
  return found.isSymbolicLink() ? (statSync(path, { throwIfNoEntry: false }) ?? "broken link") : found;
}
