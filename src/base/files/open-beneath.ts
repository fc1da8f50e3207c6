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

/** A folder that was opened once. What happens to its path meanwhile does not change which folder it is. */
export interface OpenedFolder extends Disposable {
  /** The folder itself, and the beginning of the path of each entry; valid until it is disposed. */
  readonly path: string;
  /** The path of an entry. An entry that is a link is still followed: use `O_NOFOLLOW`, `lstat`, `rename`. */
  entry(name: string): string;
}

/** The bytes that a path has on the disk, where names need not be UTF-8. */
type OnDisk = (path: string) => string | Buffer;

/**
 * Opens the folder at a path without links. Throws `ELINKED` if a part of the path is a link by now, so a path that was
 * judged leads to the folder that was judged, or nowhere. Entries are used through the descriptor (`/proc/self/fd/N`).
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

/** The same; creates the missing folders of the path, each with `mode`, in the folder above that is open already. */
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

/** Reads a regular file. Follows no link, neither in the path nor at its end, and never waits for a pipe. Throws. */
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

/** Opens an entry that is not a link. Throws `ELINKED` if it is one. */
export function openEntry(folder: OpenedFolder, name: string, flags: number, onDisk: OnDisk = same): number {
  try {
    return openSync(onDisk(folder.entry(name)), flags | constants.O_NOFOLLOW);
  } catch (thrown) {
    throw codeOf(thrown) === "ELOOP" ? new FileError("ELINKED") : thrown;
  }
}

/** The path without links, as far as it exists: links that a user made are followed once, before the path is used. */
export function resolveFolder(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT" || dirname(path) === path) return path;
    return join(resolveFolder(dirname(path)), basename(path));
  }
}

/** The path of an open file, whatever happened to its name. */
export function fdPath(descriptor: number): string {
  return `/proc/self/fd/${descriptor}`;
}

/** Bytes are ten times as slow. A name that is not UTF-8 has U+FFFD in its text, as other names can have. */
function isAt(descriptor: number, path: string | Buffer): boolean {
  if (typeof path === "string" && !path.includes("\ufffd")) return readlinkSync(fdPath(descriptor)) === path;
  return readlinkSync(fdPath(descriptor), { encoding: "buffer" }).equals(Buffer.from(path));
}

/** `O_PATH`, which Node does not name: opens a folder that may be searched, also one that may not be read. */
const openPath = 0o10000000;

/** Another spelling of the same folder, as on a file system without case, has no links in it either. */
function walkTo(path: string, onDisk: OnDisk): OpenedFolder {
  let current = openStep(sep, onDisk);
  for (const name of path.split(sep).filter(Boolean)) {
    using above = current;
    current = openStep(above.entry(name), onDisk);
  }
  return current;
}

/** A folder whose path has no link before its last name. */
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
