import { isSecretFile, specialFileRule } from "./command/checks/known-paths.ts";
import { existingPath } from "./isolation/disk-paths.ts";
import { hiddenPaths } from "./isolation/hidden-paths.ts";
import { isBelow } from "./isolation/mount-plan.ts";
import type { VisiblePlaces } from "./isolation/plugin-mounts.ts";

/**
 * Returns a warning for a person who is about to let a plugin read or write a path. Undefined if it is an ordinary
 * path.
 */
export function grantWarning(
  permission: "read" | "write",
  path: string,
  { person, hermesHomes }: VisiblePlaces,
): string | undefined {
  const real = existingPath(path)?.path ?? path;
  const isIn = (folders: readonly string[]) => folders.some((folder) => real === folder || isBelow(real, folder));
  const place = { home: person.home, workspace: "" };
  if (isIn(hermesHomes)) return "It belongs to Hermes, which keeps keys, settings and other plugins there.";
  if (isSecretFile(real, place) || isIn(hiddenPaths(person).paths)) return "It may hold keys or other private data.";
  if (permission === "write" && specialFileRule(real, place) !== undefined) return "Changing it can run code as you.";
  return undefined;
}
