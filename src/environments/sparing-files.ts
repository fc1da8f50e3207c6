import { join, relative } from "node:path";

import { isInside } from "../base/files/path.ts";
import { err, type Result } from "../base/result.ts";
import type { FileSystem, FileSystemError } from "../contracts/environment/environment.ts";
import type { UntouchedFolder } from "../contracts/session/child-place.ts";

/** The same files, without changes in some folders. Other operations follow no links, so comparing paths is enough. */
export function sparingFiles(files: FileSystem, untouched: readonly UntouchedFolder[]): FileSystem {
  const copies = untouched.flatMap(({ copy }) => copy ?? []);

  function refusal(path: string): Result<never, FileSystemError> | undefined {
    if (copies.some((copy) => isInside(copy, path))) return undefined;
    const around = untouched.find((folder) => isInside(folder.path, path));
    if (!around) return undefined;
    const advice =
      around.copy === undefined ? "" : `; your copy of it is ${join(around.copy, relative(around.path, path))}`;
    return err({ kind: "not_allowed", message: `${path} belongs to another agent, and you cannot change it${advice}` });
  }

  /** A path in another spelling or below a link is compared by its real path. */
  async function refusalOf(path: string, signal: AbortSignal): Promise<Result<never, FileSystemError> | undefined> {
    const real = await files.realPath(path, signal);
    return real.ok ? refusal(real.value) : real;
  }

  return {
    ...files,
    write: async (path, bytes, signal) => (await refusalOf(path, signal)) ?? files.write(path, bytes, signal),
    delete: async (path, signal) => (await refusalOf(path, signal)) ?? files.delete(path, signal),
    move: async (from, to, signal) =>
      (await refusalOf(from, signal)) ?? (await refusalOf(to, signal)) ?? files.move(from, to, signal),
  };
}
