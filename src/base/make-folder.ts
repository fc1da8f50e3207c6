import { existsSync, mkdirSync, statSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

import { codeOf } from "./file-fault.ts";

/**
 * Makes a folder and those above it that are missing; each new one has `mode`. Rejects with the system's error. Node's
 * own recursive form never ends where a folder is there but takes no children, such as below /proc.
 */
export async function makeFolder(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (thrown) {
    const above = dirname(path);
    if (codeOf(thrown) === "EEXIST" && (await stat(path)).isDirectory()) return;
    if (codeOf(thrown) !== "ENOENT" || above === path || (await isThere(above))) throw thrown;
    await makeFolder(above, mode);
    await makeFolder(path, mode);
  }
}

/** The same at once, for the moment before the process exits. Throws. */
export function makeFolderSync(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (thrown) {
    const above = dirname(path);
    if (codeOf(thrown) === "EEXIST" && statSync(path).isDirectory()) return;
    if (codeOf(thrown) !== "ENOENT" || above === path || existsSync(above)) throw thrown;
    makeFolderSync(above, mode);
    makeFolderSync(path, mode);
  }
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
