import { dirname } from "node:path";

/** The access of a sandboxed command to a path and everything below it. Default: readable. */
export interface MountRequest {
  /** The real path. It must exist. */
  readonly path: string;
  /** The path of the content that replaces it. */
  readonly from?: string;
  readonly isFolder: boolean;
  readonly how: "hide" | "read" | "write";
}

/**
 * A mount. Mounts of parents come before nested ones. `hold`: as writable as the folder around it, but it cannot be
 * moved, because that would make a hidden path below it visible elsewhere.
 */
export interface Mount {
  readonly path: string;
  readonly from?: string;
  readonly isFolder: boolean;
  readonly how: "hide" | "read" | "write" | "hold";
}

/**
 * Returns the mounts that satisfy the rules. If several rules match a path, the last one is used; a rule for a deeper
 * path takes precedence over one for a parent folder.
 */
export function mountPlan(wishes: readonly MountRequest[]): readonly Mount[] {
  const byPath = new Map(wishes.map((wish) => [wish.path, wish]));
  const plan: Mount[] = [];
  for (const wish of [...byPath.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const above = plan.findLast((mount) => isBelow(wish.path, mount.path));
    const around = above?.how ?? "read";
    if (wish.how === (around === "hold" ? "write" : around)) continue;
    if (above && wish.how !== "write" && around !== "hide" && around !== "read") {
      for (const folder of between(above.path, wish.path)) plan.push({ path: folder, isFolder: true, how: "hold" });
    }
    plan.push(wish);
  }
  return plan;
}

/** Comparing strings is enough, because both paths are real. */
export function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder === "/" ? folder : `${folder}/`);
}

/** Returns the folders between the two, outermost first. */
function between(upper: string, lower: string): readonly string[] {
  const folders: string[] = [];
  for (let folder = dirname(lower); folder !== upper; folder = dirname(folder)) folders.unshift(folder);
  return folders;
}
