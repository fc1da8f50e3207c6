import { join, normalize, resolve, sep } from "node:path";

import { err, ok, type Result } from "../result.ts";
import { cut } from "../text/text.ts";

/** Expands `~` and `~/x` with `home`; returns anything else, including `~other`, unchanged. */
export function expandHome(path: string, home: string): string {
  if (path === "~") return home;
  return path.startsWith("~/") || path.startsWith(`~${sep}`) ? join(home, path.slice(2)) : path;
}

/**
 * Resolves a path that a user or a model wrote: `~` is the home folder, a relative path starts at `cwd`, and `..` is
 * removed lexically. Rejects invalid paths with a reason: NUL and other control characters, half a surrogate pair, names
 * and paths that are too long, `~user`. Names of other systems (`C:\x`) are ordinary names. Does not follow links.
 */
export function resolveUserPath(
  path: string,
  base: { readonly cwd: string; readonly home?: string },
): Result<string, string> {
  if (path.trim() === "") return err("The path is empty. Name a file.");
  if (!path.isWellFormed()) return err(`${shown(path)}: the path is not valid text (half a surrogate pair).`);
  // oxlint-disable-next-line no-control-regex -- the pattern detects control characters
  if (/[\u0001-\u001f\u007f]/u.test(path))
    return err(`${shown(path)}: the path has control characters, such as a line end. Leave them out.`);
  const isHome = /^~(?:\/|$)/u.test(path);
  if (path.startsWith("~") && !isHome)
    return err(`${shown(path)}: "~" with a name is not supported. Write the path in full, or "./~…" for a file.`);
  if (isHome && base.home === undefined)
    return err(`${shown(path)}: Hermes does not know the home folder on that machine. Write the full path.`);
  const full = resolve(base.cwd, isHome ? expandHome(path, base.home ?? "") : path);
  const fault = pathFault(full);
  return fault === undefined ? ok(full) : err(fault);
}

/** Returns why no file system accepts this absolute path; undefined if one may. */
export function pathFault(path: string): string | undefined {
  if (path.includes("\0")) return `${shown(path)}: a path cannot contain NUL.`;
  if (Buffer.byteLength(path) > maxPathBytes) return `${shown(path)}: the path is longer than ${maxPathBytes} bytes.`;
  const long = path.split(sep).find((name) => Buffer.byteLength(name) > maxNameBytes);
  return long === undefined ? undefined : `${shown(long)}: a name in the path is longer than ${maxNameBytes} bytes.`;
}

/**
 * Whether `child` is the folder `parent` or below it, by spelling only. Resolves `..` and double slashes and compares
 * whole segments: `/a/bc` is not inside `/a/b`. Both are absolute; links are not followed.
 */
export function isInside(parent: string, child: string): boolean {
  const above = segments(parent);
  const below = segments(child);
  return above.length <= below.length && above.every((segment, index) => segment === below[index]);
}

/** Whether a change below one path may also be a change below the other. */
export function overlaps(a: string, b: string): boolean {
  return isInside(a, b) || isInside(b, a);
}

function segments(path: string): string[] {
  const parts = normalize(path).split(sep);
  return parts.at(-1) === "" ? parts.slice(0, -1) : parts;
}

function shown(path: string): string {
  return JSON.stringify(cut(path, 80).toWellFormed());
}

/** The path length limit of Linux, without the terminating NUL. */
const maxPathBytes = 4095;
const maxNameBytes = 255;
