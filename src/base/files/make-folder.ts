import { mkdirSync, statSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

import { codeOf } from "./file-fault.ts";

/**
 * Creates a folder and its missing parents, each with `mode`. Rejects with the system's error. Node's own recursive
 * mkdir loops forever where a folder accepts no children, such as below /proc.
 */
export async function makeFolder(path: string, mode: number): Promise<void> {
  try {
    await makeOne(path, mode);
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT" || dirname(path) === path) throw thrown;
    await makeFolder(dirname(path), mode);
    await makeOne(path, mode);
  }
}

/** The synchronous version of `makeFolder`, for use before the process exits. Throws. */
export function makeFolderSync(path: string, mode: number): void {
  try {
    makeOneSync(path, mode);
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT" || dirname(path) === path) throw thrown;
    makeFolderSync(dirname(path), mode);
    makeOneSync(path, mode);
  }
}

async function makeOne(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (thrown) {
    if (codeOf(thrown) !== "EEXIST" || !(await stat(path)).isDirectory()) throw thrown;
  }
}

function makeOneSync(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (thrown) {
    if (codeOf(thrown) !== "EEXIST" || !statSync(path).isDirectory()) throw thrown;
  }
}
