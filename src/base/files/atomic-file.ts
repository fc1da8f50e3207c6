import { constants, type Stats } from "node:fs";
import { access, type FileHandle, lstat, open, readdir, readlink, realpath, rename, rm } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";

import { randomHex } from "../digest.ts";
import { err, ok, type Result } from "../result.ts";
import { codeOf, describeFault, FileError, type FileFault } from "./file-fault.ts";
import { type OpenedFolder, openFolder } from "./open-beneath.ts";

export type { FileFault } from "./file-fault.ts";
export { withFileLock } from "./file-lock.ts";

/**
 * Replaces the file in one step: readers see the old text or the new one, even after a power failure. Follows a symlink
 * to its target. Keeps mode and owner of an existing file unless `mode` is given. The folder must exist. Of two
 * concurrent writers the later one wins; use `withFileLock` to read, change and write.
 */
export async function writeFileAtomic(
  path: string,
  data: string | Uint8Array,
  options: { readonly mode?: number } = {},
): Promise<Result<void, FileFault>> {
  try {
    const target = await followLinks(path);
    using folder = openFolder(await realpath(dirname(target)));
    await replaceEntry(folder, basename(target), data, options.mode);
    return ok(undefined);
  } catch (error) {
    return err(describeFault(error, isOfFolder(error) ? dirname(path) : path));
  }
}

/** Whether a fault means that the folder is missing or does not accept new files. */
function isOfFolder(error: unknown): boolean {
  const faultPath = error instanceof Error && "path" in error ? String(error.path) : "";
  return codeOf(error) === "ENOENT" || (codeOf(error) === "EACCES" && basename(faultPath).startsWith(tempPrefix));
}

/** Like `writeFileAtomic`, for an entry of an opened folder that is not a link. Rejects with the system's error. */
export async function replaceEntry(
  folder: OpenedFolder,
  name: string,
  data: string | Uint8Array,
  mode?: number,
): Promise<void> {
  const target = folder.entry(name);
  const existing = await statIfThere(target);
  if (existing?.isDirectory()) throw new FileError("EISDIR");
  if (existing?.isSymbolicLink()) throw new FileError("ELINKED");
  if (existing && !existing.isFile()) throw new FileError("EFTYPE");
  if (existing) await access(target, constants.W_OK);
  const temp = folder.entry(`${tempPrefix}${randomHex(8)}${tempSuffix}`);
  // The temporary file never has wider permissions than the final file.
  const handle = await open(temp, "wx", mode === undefined && !existing ? 0o666 : 0o600);
  let writtenAt: number;
  try {
    try {
      writtenAt = await fill(handle, data, mode, existing);
    } finally {
      await handle.close();
    }
    await rename(temp, target);
    await syncFolder(folder.path);
  } catch (error) {
    await rm(temp, { force: true }).catch(() => undefined);
    throw error;
  }
  await sweep(folder, writtenAt);
}

async function fill(
  handle: FileHandle,
  data: string | Uint8Array,
  mode: number | undefined,
  existing: Stats | undefined,
): Promise<number> {
  await handle.writeFile(data);
  const created = await handle.stat();
  if (existing && (existing.uid !== created.uid || existing.gid !== created.gid)) {
    // Only root may change the owner; otherwise the writer becomes the owner.
    await handle.chown(existing.uid, existing.gid).catch(() => undefined);
  }
  const newMode = mode ?? existing?.mode;
  if (newMode !== undefined) await handle.chmod(newMode & 0o7777);
  await handle.sync();
  return created.mtimeMs;
}

/** Resolves a chain of symlinks to its target, which may not exist yet. */
async function followLinks(path: string): Promise<string> {
  let current = resolve(path);
  for (let hops = 0; hops < 40; hops++) {
    const link = await readlink(current).catch((error: unknown) => {
      // EINVAL means that it is not a link; on Windows the code is UNKNOWN.
      if (["EINVAL", "ENOENT", "UNKNOWN"].includes(codeOf(error))) return undefined;
      throw error;
    });
    if (link === undefined) return current;
    current = resolve(await realpath(dirname(current)), link);
  }
  throw new FileError("ELOOP");
}

async function statIfThere(path: string): Promise<Stats | undefined> {
  return lstat(path).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  });
}

/** Makes the rename durable. Some systems cannot sync a folder. */
async function syncFolder(folder: string): Promise<void> {
  try {
    await using handle = await open(folder, "r");
    await handle.sync();
  } catch (error) {
    if (["EIO", "ENOSPC", "EDQUOT"].includes(codeOf(error))) throw error;
  }
}

/** Removes temporary files of killed writers. A running writer finishes far sooner than this age. */
async function sweep(folder: OpenedFolder, now: number): Promise<void> {
  const names = await readdir(folder.path).catch(() => []);
  for (const name of names) {
    if (!name.startsWith(tempPrefix) || !name.endsWith(tempSuffix)) continue;
    const left = await lstat(folder.entry(name)).catch(() => undefined);
    if (left && now - left.mtimeMs > 3_600_000) await rm(folder.entry(name), { force: true }).catch(() => undefined);
  }
}

const tempPrefix = ".hermes-";
const tempSuffix = ".tmp";
