import { lstatSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";

import { codeOf, describeFault } from "../../base/files/file-fault.ts";
import { makeFolderSync } from "../../base/files/make-folder.ts";
import { makeTempFolder, removeOrphanedFolders } from "../../base/files/temp-folder.ts";
import { err, ok, type Result, valueOr } from "../../base/result.ts";
import type { EnvironmentError } from "../../contracts/environment/environment.ts";

export interface ShellFolder {
  /** The folder of all our shells. */
  readonly shellsFolder: string;
  /** The folder of one environment inside it. */
  readonly folder: string;
}

/** Creates the folder for pipes and state of one environment inside the folder of all our shells. */
export function makeShellFolder(tempFolder: string): Result<ShellFolder, EnvironmentError> {
  const userId = process.getuid?.() ?? 0;
  const shellsFolder = shellsFolderIn(tempFolder);
  try {
    makeFolderSync(shellsFolder, 0o700);
    const result = lstatSync(shellsFolder);
    // All users may share the parent folder, so the owner and mode are checked.
    const isOurs = result.isDirectory() && (process.getuid === undefined || result.uid === userId);
    if (!isOurs || (process.getuid !== undefined && (result.mode & 0o077) !== 0)) {
      return err({
        kind: "misconfigured",
        message: `${shellsFolder} belongs to another user, or other users can read it`,
        hint: "Remove it, or set TMPDIR to your own folder.",
      });
    }
    return ok({ shellsFolder, folder: makeOwn(shellsFolder) });
  } catch (thrown) {
    return err({ kind: "unreachable", message: describeFault(thrown, tempFolder).message });
  }
}

function shellsFolderIn(tempFolder: string): string {
  return join(tempFolder, `hermes-shells-${process.getuid?.() ?? 0}`);
}

/** Retries, because another program that exits may remove the shared folder at this moment. */
function makeOwn(shellsFolder: string, tries = 20): string {
  try {
    return makeTempFolder(shellsFolder, "shell");
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT" || tries === 0) throw thrown;
    makeFolderSync(shellsFolder, 0o700);
    return makeOwn(shellsFolder, tries - 1);
  }
}

/** Synchronous, because nothing can be awaited at exit. */
export function removeShellFolder({ shellsFolder, folder }: ShellFolder): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  removeIfEmpty(shellsFolder);
}

/** Removes the folders of killed processes. */
export function removeLeftShells(tempFolder: string): void {
  removeOrphanedFolders(shellsFolderIn(tempFolder));
  removeIfEmpty(shellsFolderIn(tempFolder));
}

function removeIfEmpty(shellsFolder: string): void {
  // Other environments may still use the shared folder.
  valueOr(() => rmdirSync(shellsFolder), undefined);
}
