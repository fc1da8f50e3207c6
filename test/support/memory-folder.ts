import { posix } from "node:path";

import type { ContextFolder } from "../../src/kernel/prompt/context-files.ts";

/**
 * Simulates files by path; a value that starts with `-> ` is a link. `asked` lists the paths that were read, in
 * order.
 */
export function memoryFolder(
  files: Readonly<Record<string, string>>,
): ContextFolder & { readonly asked: readonly string[] } {
  const requests: string[] = [];
  const real = (path: string): string => (files[path]?.startsWith("-> ") ? real(files[path].slice(3)) : path);
  return {
    asked: requests,
    async read(path) {
      requests.push(path);
      const text = files[real(path)];
      return text === undefined ? undefined : { text, real: real(path) };
    },
    list: async (path) =>
      Object.keys(files).flatMap((file) => (posix.dirname(file) === path ? [posix.basename(file)] : [])),
    real: async (path) => real(path),
  };
}
