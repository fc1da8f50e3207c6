import { isAbsolute, join } from "node:path";

import { resolveUserPath } from "../../base/files/path.ts";
import type { Result } from "../../base/result.ts";
import { homeFolder } from "../../base/this-user.ts";
import type { Place } from "../../contracts/tool/effect.ts";

/**
 * Returns the absolute path for a caller's path, or the reason why there is none. Expands only this machine's home
 * folder.
 */
export function toolPath(path: string, { cwd, backend }: Place): Result<string, string> {
  return resolveUserPath(path, backend === "local" ? { cwd, home: homeFolder() } : { cwd });
}

/**
 * Returns the path for a declared effect. A path that `toolPath` rejects is never used, but the policy still sees its
 * target.
 */
export function effectPath(path: string, place: Place): string {
  const full = toolPath(path, place);
  if (full.ok) return full.value;
  return isAbsolute(path) ? path : join(place.cwd, path);
}
