import { chmod, lstat, readdir, rmdir, unlink } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";

import { codeOf } from "./file-fault.ts";
import { openFolder, openSubfolder, resolveFolder } from "./open-beneath.ts";

/**
 * Deletes a file, or a folder with everything in it; ignores what is missing. Works through opened folders, so a
 * program that replaces a folder by a link meanwhile cannot make it delete elsewhere. Node's own `rm` reads each folder
 * by its path, and follows such a link.
 */
export async function removeTree(path: string): Promise<void> {
  try {
    using parent = openFolder(resolveFolder(dirname(resolve(path))));
    await removeEntry(parent.entry(basename(path)));
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT") throw thrown;
  }
}

/** Like `removeTree`, for an entry of an opened folder: `folder.entry(name)`. */
export async function removeEntry(
  entry: string,
  onDisk: (path: string) => string | Buffer = (path) => path,
): Promise<void> {
  const stats = await lstat(onDisk(entry)).catch(ignoreMissing);
  if (!stats) return;
  if (!stats.isDirectory()) return unlink(onDisk(entry)).catch(ignoreMissing);
  try {
    using folder = openSubfolder(entry, onDisk);
    if ((stats.mode & 0o700) !== 0o700) await chmod(folder.path, 0o700);
    for (const name of await readdir(folder.path, encoding)) await removeEntry(folder.entry(name), inBytes);
  } catch (thrown) {
    // Another program has replaced the folder.
    if (codeOf(thrown) !== "ELINKED" && codeOf(thrown) !== "ENOTDIR") throw thrown;
    return unlink(onDisk(entry)).catch(ignoreMissing);
  }
  await rmdir(onDisk(entry)).catch(ignoreMissing);
}

/** A name need not be UTF-8. Where folders can be opened, their paths are ASCII. */
const encoding = process.platform === "linux" ? "latin1" : "utf8";

function inBytes(path: string): Buffer {
  return Buffer.from(path, encoding);
}

function ignoreMissing(thrown: unknown): undefined {
  if (codeOf(thrown) !== "ENOENT") throw thrown;
}
