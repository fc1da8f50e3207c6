import {
  chmodSync,
  closeSync,
  fchmodSync,
  fchownSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { basename, dirname } from "node:path";

import { randomHex } from "../base/digest.ts";
import { codeOf, describeFault } from "../base/files/file-fault.ts";
import { makeAndOpenFolder, openFolder } from "../base/files/open-beneath.ts";
import type { Result } from "../base/result.ts";
import { diskPath } from "./disk-name.ts";
import { absolutePath } from "./paths.ts";
import type { RestoreStep } from "./scan.ts";

/**
 * Applies the steps to local files and returns the failed ones with the reason. Each file has its old or its new content
 * at every moment, and nothing is ever written through a link.
 */
export async function applyLocal(
  steps: readonly RestoreStep[],
  root: string,
  content: (hash: string) => Result<Uint8Array>,
  signal: AbortSignal,
): Promise<readonly { readonly path: string; readonly why: string }[]> {
  const failed: { path: string; why: string }[] = [];
  for (const [index, step] of steps.entries()) {
    if (signal.aborted) {
      failed.push({ path: step.path, why: "interrupted; run it again to continue" });
      continue;
    }
    const why = take(step, absolutePath(root, step.path), content);
    if (why !== undefined) failed.push({ path: step.path, why });
    if (index % stepsAtOnce === stepsAtOnce - 1) await new Promise((resolve) => setImmediate(resolve));
  }
  return failed;
}

const stepsAtOnce = 20;

function take(step: RestoreStep, path: string, content: (hash: string) => Result<Uint8Array>): string | undefined {
  try {
    switch (step.do) {
      case "remove":
        remove(path, step.isFolder);
        return undefined;
      case "folder":
        makeFolder(path, step.mode);
        return undefined;
      case "link":
        placed(path, (temp) => symlinkSync(diskPath(step.target), diskPath(temp)));
        return undefined;
      case "file": {
        const bytes = content(step.hash);
        if (!bytes.ok) return bytes.error.message;
        placed(path, (temp, instead) => writeNew(temp, bytes.value, step.mode, instead));
        return undefined;
      }
    }
  } catch (thrown) {
    return codeOf(thrown) === "ENOTEMPTY"
      ? "it contains files that were not recorded"
      : describeFault(thrown, path).message;
  }
}

function remove(path: string, isFolder: boolean): void {
  try {
    using folder = openFolder(dirname(path), diskPath);
    const entry = diskPath(folder.entry(basename(path)));
    if (isFolder) rmdirSync(entry);
    else unlinkSync(entry);
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT" && codeOf(thrown) !== "ENOTDIR") throw thrown;
  }
}

function makeFolder(path: string, mode: number): void {
  using folder = makeAndOpenFolder(path, 0o777, diskPath);
  chmodSync(diskPath(folder.path), mode);
}

/** Creates the file under a temporary name and moves it into place, all in the same opened folder. */
function placed(path: string, make: (temp: string, instead: string) => void): void {
  using folder = makeAndOpenFolder(dirname(path), 0o777, diskPath);
  const entry = folder.entry(basename(path));
  const there = lstatSync(diskPath(entry), { throwIfNoEntry: false });
  if (there?.isDirectory()) rmdirSync(diskPath(entry));
  const temp = folder.entry(`.hermes-${randomHex(8)}.tmp`);
  try {
    make(temp, entry);
    renameSync(diskPath(temp), diskPath(entry));
  } catch (thrown) {
    rmSync(diskPath(temp), { force: true });
    throw thrown;
  }
}

function writeNew(temp: string, bytes: Uint8Array, mode: number, instead: string): void {
  const handle = openSync(diskPath(temp), "wx", 0o600);
  try {
    let written = 0;
    while (written < bytes.length) written += writeSync(handle, bytes, written);
    const there = lstatSync(diskPath(instead), { throwIfNoEntry: false });
    if (there && process.getuid?.() === 0) fchownSync(handle, there.uid, there.gid);
    fchmodSync(handle, mode);
  } finally {
    closeSync(handle);
  }
}

/** Deletes temporary files of a killed restore. Recent ones may belong to another writer. */
export function deleteLeftTempFiles(folders: readonly string[], now: number): void {
  for (const path of folders) {
    try {
      using folder = openFolder(path, diskPath);
      for (const name of readdirSync(folder.path)) {
        if (!/^\.hermes-[0-9a-f]{16}\.tmp$/u.test(name)) continue;
        const left = lstatSync(folder.entry(name), { throwIfNoEntry: false });
        if (left && now - left.mtimeMs > 5_000) rmSync(folder.entry(name), { force: true });
      }
    } catch {
      // The folder was removed, or is a link now.
    }
  }
}
