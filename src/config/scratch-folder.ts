import { existsSync } from "node:fs";
import { rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { makeFolderSync } from "../base/files/make-folder.ts";
import { removeTree } from "../base/files/remove-tree.ts";
import { makeTempFolder } from "../base/files/temp-folder.ts";
import { homeFiles } from "./home.ts";

/** The parent of the folders that `makeScratchFolder` creates. */
export function scratchParent(home: string): string {
  return join(home, homeFiles.cache, "scratch");
}

/**
 * Creates a temporary folder that no sandboxed command can see. In the system's temporary folder, such a command could
 * change files while Hermes uses them, for example the settings of a clone, which name programs. Without a home that
 * can be written, the folder is in the system's temporary folder.
 */
export function makeScratchFolder(home: string, kind: string): string {
  const parent = scratchParent(home);
  if (!existsSync(home)) return makeTempFolder(tmpdir(), kind);
  try {
    makeFolderSync(parent, 0o700);
    return makeTempFolder(parent, kind);
  } catch {
    return makeTempFolder(tmpdir(), kind);
  }
}

/** Removes the folder, and its parents if nothing else is in them. */
export async function removeScratchFolder(home: string, folder: string): Promise<void> {
  await removeTree(folder);
  for (const parent of [scratchParent(home), join(home, homeFiles.cache)]) await rmdir(parent).catch(() => {});
}
