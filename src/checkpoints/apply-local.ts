import {
  chmodSync,
  closeSync,
  fchmodSync,
  fchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";

import { randomHex } from "../base/digest.ts";
import { codeOf, describeFault } from "../base/files/file-fault.ts";
import { type Result, valueOr } from "../base/result.ts";
import { onDisk } from "./disk-name.ts";
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
  const real = new Set<string>();
  for (const [index, step] of steps.entries()) {
    if (signal.aborted) {
      failed.push({ path: step.path, why: "interrupted; run it again to continue" });
      continue;
    }
    const why = take(step, absolutePath(root, step.path), content, real);
    if (why !== undefined) failed.push({ path: step.path, why });
    if (index % stepsAtOnce === stepsAtOnce - 1) await new Promise((resolve) => setImmediate(resolve));
  }
  return failed;
}

const stepsAtOnce = 20;

function take(
  step: RestoreStep,
  path: string,
  content: (hash: string) => Result<Uint8Array>,
  real: Set<string>,
): string | undefined {
  try {
    switch (step.do) {
      case "remove":
        remove(path, step.isFolder, real);
        return undefined;
      case "folder":
        makeFolder(path, step.mode, real);
        return undefined;
      case "link":
        placed(path, real, (temp) => symlinkSync(onDisk(step.target), onDisk(temp)));
        return undefined;
      case "file": {
        const bytes = content(step.hash);
        if (!bytes.ok) return bytes.error.message;
        placed(path, real, (temp) => writeNew(temp, bytes.value, step.mode, path));
        return undefined;
      }
    }
  } catch (thrown) {
    if (thrown instanceof InTheWay) return thrown.message;
    return codeOf(thrown) === "ENOTEMPTY"
      ? "it contains files that were not recorded"
      : describeFault(thrown, path).message;
  }
}

class InTheWay extends Error {}

function remove(path: string, isFolder: boolean, real: Set<string>): void {
  try {
    refuseLinkAbove(path, real);
    if (isFolder) rmdirSync(onDisk(path));
    else unlinkSync(onDisk(path));
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT" && codeOf(thrown) !== "ENOTDIR") throw thrown;
  }
}

function makeFolder(path: string, mode: number, real: Set<string>): void {
  refuseLinkAbove(path, real);
  const there = lstatSync(onDisk(path), { throwIfNoEntry: false });
  if (there && !there.isDirectory()) throw new InTheWay("a file that is not a folder is in its place");
  if (!there) mkdirSync(onDisk(path), { recursive: true });
  chmodSync(onDisk(path), mode);
}

/** Creates the file under a temporary name and moves it into place. */
function placed(path: string, real: Set<string>, make: (temp: string) => void): void {
  refuseLinkAbove(path, real);
  const there = lstatSync(onDisk(path), { throwIfNoEntry: false });
  if (there?.isDirectory()) rmdirSync(onDisk(path));
  if (!real.has(dirname(path))) mkdirSync(onDisk(dirname(path)), { recursive: true });
  real.add(dirname(path));
  const temp = join(dirname(path), `.hermes-${randomHex(8)}.tmp`);
  try {
    make(temp);
    renameSync(onDisk(temp), onDisk(path));
  } catch (thrown) {
    rmSync(onDisk(temp), { force: true });
    throw thrown;
  }
}

/** Rejects a path below a folder that has become a link: the link leads outside the recording. `real`: folders already checked. */
function refuseLinkAbove(path: string, real: ReadonlySet<string>): void {
  for (let above = dirname(path); dirname(above) !== above && !real.has(above); above = dirname(above)) {
    const there = lstatSync(onDisk(above), { throwIfNoEntry: false });
    if (!there || there.isDirectory()) continue;
    throw new InTheWay(`${above} is now ${there.isSymbolicLink() ? "a link" : "not a folder"}`);
  }
}

function writeNew(temp: string, bytes: Uint8Array, mode: number, instead: string): void {
  const handle = openSync(onDisk(temp), "wx", 0o600);
  try {
    let written = 0;
    while (written < bytes.length) written += writeSync(handle, bytes, written);
    const there = lstatSync(onDisk(instead), { throwIfNoEntry: false });
    if (there && process.getuid?.() === 0) fchownSync(handle, there.uid, there.gid);
    fchmodSync(handle, mode);
  } finally {
    closeSync(handle);
  }
}

/** Deletes temporary files of a killed restore. Recent ones may belong to another writer. */
export function sweepLocal(folders: readonly string[], now: number): void {
  for (const folder of folders)
    for (const name of namesIn(folder)) {
      if (!/^\.hermes-[0-9a-f]{16}\.tmp$/u.test(name)) continue;
      const path = onDisk(join(folder, name));
      const left = lstatSync(path, { throwIfNoEntry: false });
      if (left && now - left.mtimeMs > 5_000) rmSync(path, { force: true });
    }
}

function namesIn(folder: string): readonly string[] {
  return valueOr(() => readdirSync(onDisk(folder)), []);
}
