import { lstatSync, readlinkSync, rmdirSync, symlinkSync, unlinkSync } from "node:fs";
import { mkdir, readdir, rename, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { replaceEntry } from "../../base/files/atomic-file.ts";
import { codeOf } from "../../base/files/file-fault.ts";
import { makeAndOpenFolder, openFolder, readFileBeneath } from "../../base/files/open-beneath.ts";

/** The content of a name in a folder. Links are not followed. */
export type TreeEntry =
  | { readonly kind: "none" | "folder" }
  | { readonly kind: "file"; readonly bytes: Buffer; readonly mode: number }
  | { readonly kind: "link"; readonly target: string };

/** Reads an entry without following any link of its path. Throws `ELINKED` if one of its folders is a link. */
export function readTreeEntry(path: string): TreeEntry {
  try {
    using folder = openFolder(dirname(path));
    const entry = folder.entry(basename(path));
    const stats = lstatSync(entry, { throwIfNoEntry: false });
    if (stats === undefined) return { kind: "none" };
    if (stats.isSymbolicLink()) return { kind: "link", target: readlinkSync(entry) };
    return stats.isDirectory() ? { kind: "folder" } : { kind: "file", ...readFileBeneath(path) };
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT" || codeOf(thrown) === "ENOTDIR") return { kind: "none" };
    throw thrown;
  }
}

/** Writes an entry into a folder that no agent can change. */
export async function writePrivateEntry(path: string, entry: TreeEntry): Promise<void> {
  if (entry.kind === "none") return;
  await mkdir(entry.kind === "folder" ? path : dirname(path), { recursive: true });
  if (entry.kind === "file") await writeFile(path, entry.bytes, { mode: entry.mode & 0o777 });
  else if (entry.kind === "link") await symlink(entry.target, path);
}

/**
 * Changes an entry of the project below `root` without following any link of its path. Folders that become empty are
 * removed, as git does.
 */
export async function changeTreeEntry(root: string, name: string, from: TreeEntry, to: TreeEntry): Promise<void> {
  const path = join(root, name);
  if (to.kind === "folder") return;
  using folder = to.kind === "none" ? openFolder(dirname(path)) : makeAndOpenFolder(dirname(path), 0o777);
  const entry = folder.entry(basename(path));
  if (to.kind === "file") {
    if (from.kind === "link") unlinkSync(entry);
    // Only the executable bits are part of a patch.
    const mode = from.kind === "file" ? (from.mode & 0o666) | (to.mode & 0o111) : to.mode & 0o777;
    await replaceEntry(folder, basename(path), to.bytes, mode);
    return;
  }
  if (from.kind === "file" || from.kind === "link") unlinkSync(entry);
  if (to.kind === "link") symlinkSync(to.target, entry);
  else removeEmptyFolders(root, dirname(name));
}

function removeEmptyFolders(root: string, name: string): void {
  if (name === ".") return;
  try {
    using parent = openFolder(dirname(join(root, name)));
    rmdirSync(parent.entry(basename(name)));
  } catch {
    return;
  }
  removeEmptyFolders(root, dirname(name));
}

/** Moves a folder that no agent can change to its place in the project, without following any link of that path. */
export async function placeTree(from: string, to: string): Promise<void> {
  using folder = makeAndOpenFolder(dirname(to), 0o777);
  try {
    await rename(from, folder.entry(basename(to)));
  } catch (thrown) {
    if (codeOf(thrown) !== "EXDEV") throw thrown;
    await copyTree(from, to);
  }
}

/** Copies to another file system. */
async function copyTree(from: string, to: string): Promise<void> {
  using _folder = makeAndOpenFolder(to, 0o777);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const path = join(from, entry.name);
    if (entry.isDirectory()) await copyTree(path, join(to, entry.name));
    else await changeTreeEntry(to, entry.name, { kind: "none" }, readTreeEntry(path));
  }
}
