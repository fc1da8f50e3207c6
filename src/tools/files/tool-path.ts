import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";

import { expandHome } from "../../base/path.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { cut } from "../../base/text.ts";
import type { Place } from "../../contracts/tool.ts";

/**
 * The absolute path that a caller means: `~` is the home folder on this machine, what is relative begins at `cwd`, and
 * `..` is taken out by spelling. Links are not followed here. What no file system takes is refused with the reason.
 */
export function toolPath(path: string, { cwd, backend }: Place): Result<string, string> {
  if (path.trim() === "") return err("The path is empty. Name a file.");
  if (path.includes("\0")) return err(`${shown(path)}: a path cannot contain NUL.`);
  if (!path.isWellFormed()) return err(`${shown(path)}: the path is not valid text (half a surrogate pair).`);
  const isHome = /^~(?:\/|$)/u.test(path);
  if (isHome && backend !== "local")
    return err(`${shown(path)}: the home folder on ${backend} is not known here. Write the path in full.`);
  if (path.startsWith("~") && !isHome)
    return err(`${shown(path)}: "~" with a name is not supported. Write the path in full, or "./~…" for a file.`);
  const full = resolve(cwd, isHome ? expandHome(path, homedir()) : path);
  if (Buffer.byteLength(full) > maxPathBytes)
    return err(`${shown(path)}: the path is longer than ${maxPathBytes} bytes.`);
  const long = full.split("/").find((name) => Buffer.byteLength(name) > maxNameBytes);
  if (long !== undefined) return err(`${shown(long)}: a name in the path is longer than ${maxNameBytes} bytes.`);
  return ok(full);
}

/** The path for a declared effect. One that `toolPath` refuses is never used; the policy still sees where it points. */
export function effectPath(path: string, place: Place): string {
  const full = toolPath(path, place);
  if (full.ok) return full.value;
  return isAbsolute(path) ? path : join(place.cwd, path);
}

function shown(path: string): string {
  return JSON.stringify(cut(path, 80).toWellFormed());
}

const maxPathBytes = 4095;
const maxNameBytes = 255;
