import { join, normalize, sep } from "node:path";

/** `~` and `~/x` below `home`; all else, `~other` included, as it is. */
export function expandHome(path: string, home: string): string {
  if (path === "~") return home;
  return path.startsWith("~/") || path.startsWith(`~${sep}`) ? join(home, path.slice(2)) : path;
}

/**
 * Is `child` the folder `parent` or below it, by its spelling alone? `..` and doubled slashes are taken out first, and
 * whole segments are compared: `/a/bc` is not inside `/a/b`. Both absolute; links are not followed.
 */
export function isInside(parent: string, child: string): boolean {
  const above = segments(parent);
  const below = segments(child);
  return above.length <= below.length && above.every((segment, at) => segment === below[at]);
}

/** Could a change below one path be a change below the other? */
export function overlaps(a: string, b: string): boolean {
  return isInside(a, b) || isInside(b, a);
}

function segments(path: string): string[] {
  const parts = normalize(path).split(sep);
  return parts.at(-1) === "" ? parts.slice(0, -1) : parts;
}
