import { constants } from "node:fs";
import { chmod, copyFile, lstat, mkdir, readdir, readlink, rename, symlink, utimes } from "node:fs/promises";

import { codeOf, FileError } from "../../base/files/file-fault.ts";
import { fdPath, openSubfolder } from "../../base/files/open-beneath.ts";
import { removeEntry } from "../../base/files/remove-tree.ts";
import { openRegular } from "./open-regular.ts";

/**
 * Moves an entry of an opened folder into another, even to another file system. In that case it copies through opened
 * folders: a subfolder that becomes a link meanwhile is not followed.
 */
export async function moveTree(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (thrown) {
    if (codeOf(thrown) !== "EXDEV") throw thrown;
    try {
      await copyTree(from, to);
    } catch (fault) {
      await removeEntry(to);
      throw fault;
    }
    await removeEntry(from);
  }
}

async function copyTree(from: string, to: string): Promise<void> {
  const { mode, atime, mtime, ...stats } = await lstat(from).then((read) => ({
    mode: read.mode & 0o7777,
    atime: read.atime,
    mtime: read.mtime,
    isLink: read.isSymbolicLink(),
    isFile: read.isFile(),
    isFolder: read.isDirectory(),
  }));
  if (stats.isLink) return symlink(await readlink(from, { encoding: "buffer" }), to);
  if (stats.isFile) return copyOpened(from, to);
  if (!stats.isFolder) throw new FileError("EFTYPE");
  await mkdir(to, { mode: 0o700 });
  using source = openSubfolder(from);
  using target = openSubfolder(to);
  for (const name of await readdir(source.path)) await copyTree(source.entry(name), target.entry(name));
  await chmod(target.path, mode);
  await utimes(target.path, atime, mtime);
}

/** Copies the file that was opened, not the target of a link that replaced it. */
async function copyOpened(from: string, to: string): Promise<void> {
  await using file = await openRegular(from);
  const { atime, mtime } = await file.stat();
  await copyFile(process.platform === "linux" ? fdPath(file.fd) : from, to, constants.COPYFILE_EXCL);
  await utimes(to, atime, mtime);
}
