import { join, relative } from "node:path";

import { isInside } from "../base/files/path.ts";
import { err, type Result } from "../base/result.ts";
import type { FileSystem, FileSystemError } from "../contracts/environment/environment.ts";
import type { ProtectedFolder } from "../contracts/session/child-place.ts";

/** The reason why a session must not change this real path. Undefined: it may. */
export function protectionReason(path: string, untouched: readonly ProtectedFolder[]): string | undefined {
  if (untouched.some(({ copy }) => copy !== undefined && isInside(copy, path))) return undefined;
  const around = untouched.find((folder) => isInside(folder.path, path));
  if (!around) return undefined;
  const advice =
    around.copy === undefined ? "" : `; your copy of it is ${join(around.copy, relative(around.path, path))}`;
  return `${path} belongs to another agent, and you cannot change it${advice}`;
}

/**
 * Wraps a file system so that some folders cannot be changed. No operation follows a link, so comparing real paths is
 * sufficient.
 */
export function protectFolders(files: FileSystem, untouched: readonly ProtectedFolder[]): FileSystem {
  async function refusalOf(path: string, signal: AbortSignal): Promise<Result<never, FileSystemError> | undefined> {
    const real = await files.realPath(path, signal);
    if (!real.ok) return real;
    const message = protectionReason(real.value, untouched);
    return message === undefined ? undefined : err({ kind: "not_allowed", message });
  }

  return {
    ...files,
    write: async (path, bytes, signal) => (await refusalOf(path, signal)) ?? files.write(path, bytes, signal),
    delete: async (path, signal) => (await refusalOf(path, signal)) ?? files.delete(path, signal),
    move: async (from, to, signal) =>
      (await refusalOf(from, signal)) ?? (await refusalOf(to, signal)) ?? files.move(from, to, signal),
  };
}
