import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";

/**
 * Variables with which a program of the sources uses the compile cache of this process: without it, Node strips the
 * types of every module at each start. None for programs of the bundle, or if this process has no cache.
 */
export function sourceCache(program: string): Readonly<Record<string, string>> {
  const folder = program.endsWith(".ts") ? getCompileCacheDir() : undefined;
  // Node adds the name of its version and flags to the folder.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}
