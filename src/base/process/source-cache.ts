import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";

/**
 * Environment variables that let a source program use the compile cache of this process: without it, Node strips the
 * types of every module at each start. Empty for programs of the bundle, or if this process has no cache.
 */
export function sourceCache(program: string): Readonly<Record<string, string>> {
  const folder = program.endsWith(".ts") ? getCompileCacheDir() : undefined;
  // The parent folder, because Node itself adds a subfolder for its version and flags.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}
