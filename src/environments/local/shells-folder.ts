import { lstatSync, mkdtempSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";

import { codeOf, describeFault } from "../../base/files/file-fault.ts";
import { makeFolderSync } from "../../base/files/make-folder.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { EnvironmentError } from "../../contracts/environment/environment.ts";

export interface ShellFolder {
  /** Of all our shells. */
  readonly shellsFolder: string;
  /** In it, of one environment. */
  readonly folder: string;
}

/** Where one environment keeps pipes and state: a folder of its own in the one of all our shells. */
export function makeShellFolder(tempFolder: string): Result<ShellFolder, EnvironmentError> {
  const userId = process.getuid?.() ?? 0;
  const shellsFolder = join(tempFolder, `hermes-shells-${userId}`);
  try {
    makeFolderSync(shellsFolder, 0o700);
    const result = lstatSync(shellsFolder);
    // The folder around it may be everybody's.
    const isOurs = result.isDirectory() && (process.getuid === undefined || result.uid === userId);
    if (!isOurs || (process.getuid !== undefined && (result.mode & 0o077) !== 0)) {
      return err({
        kind: "misconfigured",
        message: `${shellsFolder} belongs to somebody else, or others may look into it`,
        hint: "Remove it, or set TMPDIR to a folder of yours.",
      });
    }
    return ok({ shellsFolder, folder: makeOwn(shellsFolder) });
  } catch (thrown) {
    return err({ kind: "unreachable", message: describeFault(thrown, tempFolder).message });
  }
}

/** Whoever is the last to leave removes the folder of all, which may be in this very moment. */
function makeOwn(shellsFolder: string, tries = 20): string {
  try {
    return mkdtempSync(join(shellsFolder, "hermes-shell-"));
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT" || tries === 0) throw thrown;
    makeFolderSync(shellsFolder, 0o700);
    return makeOwn(shellsFolder, tries - 1);
  }
}

/** Nothing can be waited for when the program is left. */
export function removeShellFolder({ shellsFolder, folder }: ShellFolder): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  try {
    rmdirSync(shellsFolder);
  } catch {
    // Others are in it.
  }
}
