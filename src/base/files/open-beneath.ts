import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
} from "node:fs";
import { basename, dirname, join, sep } from "node:path";

import { codeOf, FileError } from "./file-fault.ts";

/** An opened folder. It stays the same folder, whatever happens to its path. */
export interface OpenedFolder extends Disposable {
  /** The path of the folder, which is also the prefix of its entries. Valid until it is disposed. */
  readonly path: string;
  /** The path of an entry. An entry that is a link is still followed: use `O_NOFOLLOW`, `lstat`, `rename`. */
  entry(name: string): string;
}

/** Converts a path to its bytes on disk, where names need not be UTF-8. */
type OnDisk = (path: string) => string | Buffer;

/**
 * Opens the folder at a path without links. Throws `ELINKED` if a part of the path has become a link, so that a
 * checked path leads to the checked folder or fails. Entries are used through the descriptor (`/proc/self/fd/N`).
 * Without `/proc`, such as on macOS, the path is only checked: a link that is created after the check is followed.
 */
export function openFolder(path: string, onDisk: OnDisk = same): OpenedFolder {
  if (process.platform !== "linux") return checkedFolder(path, onDisk);
  const descriptor = openSync(onDisk(path), openPath | constants.O_DIRECTORY);
  try {
    if (isAt(descriptor, onDisk(path))) return opened(descriptor);
  } catch (thrown) {
    closeSync(descriptor);
    if (codeOf(thrown) === "ENOENT") return checkedFolder(path, onDisk);
    throw thrown;
  }
  closeSync(descriptor);
  return walkTo(path, onDisk);
}

/** Opens a folder inside an opened one: `folder.entry(name)`. Throws `ELINKED` if it is a link. */
export function openSubfolder(entry: string, onDisk: OnDisk = same): OpenedFolder {
  return process.platform === "linux" && entry.startsWith("/proc/")
    ? openStep(entry, onDisk)
    : openFolder(entry, onDisk);
}

/** Like `openFolder`; creates missing folders of the path, each with `mode`, inside the opened parent. */
export function makeAndOpenFolder(path: string, mode: number, onDisk: OnDisk = same): OpenedFolder {
  try {
    return openFolder(path, onDisk);
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT" || dirname(path) === path) throw thrown;
  }
  using parent = makeAndOpenFolder(dirname(path), mode, onDisk);
  const entry = parent.entry(basename(path));
  try {
    mkdirSync(onDisk(entry), { mode });
  } catch (thrown) {
    if (codeOf(thrown) !== "EEXIST") throw thrown;
  }
  return process.platform === "linux" ? openStep(entry, onDisk) : openFolder(path, onDisk);
}

/** Reads a regular file. Follows no link, neither in the path nor at its end, and never blocks on a pipe. Throws. */
export function readFileBeneath(path: string): { readonly bytes: Buffer; readonly mode: number } {
  using folder = openFolder(dirname(path));
  const descriptor = openEntry(folder, basename(path), constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new FileError("EFTYPE");
    return { bytes: readFileSync(descriptor), mode: stats.mode };
  } finally {
    closeSync(descriptor);
  }
}

/** Opens an entry of a folder. Throws `ELINKED` if the entry is a link. */
export function openEntry(folder: OpenedFolder, name: string, flags: number, onDisk: OnDisk = same): number {
  try {
    return openSync(onDisk(folder.entry(name)), flags | constants.O_NOFOLLOW);
  } catch (thrown) {
    throw codeOf(thrown) === "ELOOP" ? new FileError("ELINKED") : thrown;
  }
}

/** The real path, as far as it exists. Links that a user created are resolved once, before the path is used. */
export function resolveFolder(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT" || dirname(path) === path) return path;
    return join(resolveFolder(dirname(path)), basename(path));
  }
}

/** The current path of an open file. */
export function fdPath(descriptor: number): string {
  return `/proc/self/fd/${descriptor}`;
}

/**
 * Comparing bytes is ten times slower than comparing strings. A name that is not UTF-8 contains U+FFFD as a string,
 * but so can other names.
 */
function isAt(descriptor: number, path: string | Buffer): boolean {
  if (typeof path === "string" && !path.includes("\ufffd")) return readlinkSync(fdPath(descriptor)) === path;
  return readlinkSync(fdPath(descriptor), { encoding: "buffer" }).equals(Buffer.from(path));
}

/** The flag `O_PATH`, which Node does not define: it opens a folder without read permission. */
const openPath = 0o10000000;

/** Another spelling of the same folder, as on a case-insensitive file system, contains no links either. */
function walkTo(path: string, onDisk: OnDisk): OpenedFolder {
  let current = openStep(sep, onDisk);
  for (const name of path.split(sep).filter(Boolean)) {
    using above = current;
    current = openStep(above.entry(name), onDisk);
  }
  return current;
}

/** Opens a folder whose parent path has no link. */
function openStep(path: string, onDisk: OnDisk): OpenedFolder {
  const descriptor = openSync(onDisk(path), openPath | constants.O_NOFOLLOW);
  const stats = fstatSync(descriptor);
  if (stats.isDirectory()) return opened(descriptor);
  closeSync(descriptor);
  throw new FileError(stats.isSymbolicLink() ? "ELINKED" : "ENOTDIR");
}

function opened(descriptor: number): OpenedFolder {
  const path = fdPath(descriptor);
  return { path, entry: (name) => `${path}/${name}`, [Symbol.dispose]: () => closeSync(descriptor) };
}

function checkedFolder(path: string, onDisk: OnDisk): OpenedFolder {
  for (let above = path; dirname(above) !== above; above = dirname(above)) {
    const stats = lstatSync(onDisk(above));
    if (!stats.isDirectory()) throw new FileError(stats.isSymbolicLink() ? "ELINKED" : "ENOTDIR");
  }
  return { path, entry: (name) => join(path, name), [Symbol.dispose]() {} };
}

function same(path: string): string {
  return path;
}
