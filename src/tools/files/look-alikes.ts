import { basename, dirname, join } from "node:path";

import { nearest } from "../../base/text/nearest.ts";
import type { FileSystem } from "../../contracts/environment/environment.ts";

/** Existing files that the caller may have meant instead of a missing one. */
export interface LookAlikes {
  /** The file with the same name in another Unicode form. Never a symbolic link. */
  readonly same?: string;
  readonly similar: readonly string[];
}

/**
 * Finds similar names in the folder of a missing file or, if the folder is missing too, a similarly spelled folder with
 * the file.
 */
export async function lookAlikes(path: string, files: FileSystem, signal: AbortSignal): Promise<LookAlikes> {
  const { folder, rest } = await deepestFolder(path, files, signal);
  const entries = await entriesOf(folder, files, signal);
  const [name = "", ...below] = rest;
  const equal = entries.filter((entry) => entry.name.normalize("NFC") === name.normalize("NFC"));
  const [same] = equal;
  if (same && equal.length === 1 && same.name !== name) {
    if (below.length === 0 && same.kind === "file") return { same: join(folder, same.name), similar: [] };
    if (below.length > 0 && same.kind === "folder") {
      const inside = join(folder, same.name, ...below);
      const result = await files.stat(inside, signal);
      if (result.ok && result.value.kind === "file") return { same: inside, similar: [] };
      return lookAlikes(inside, files, signal);
    }
  }
  const possible = below.length === 0 ? entries : entries.filter(({ kind }) => kind !== "file");
  const close = nearest(name, candidates(name, possible), maxSimilar).map((each) => join(folder, each));
  return { similar: below.length === 0 ? close : await inFolders(close, below, files, signal) };
}

/** Returns names that differ only in case, and as many others as can be compared quickly. */
function candidates(name: string, entries: readonly { readonly name: string }[]): readonly string[] {
  const folded = (text: string) => text.normalize("NFKC").toLowerCase();
  const foldedName = folded(name);
  const names = entries.map((entry) => entry.name);
  return [...names.filter((each) => folded(each) === foldedName), ...names.slice(0, maxCompared)];
}

/** Returns the existing part of the path, and the remaining names. */
async function deepestFolder(
  path: string,
  files: FileSystem,
  signal: AbortSignal,
): Promise<{ readonly folder: string; readonly rest: readonly string[] }> {
  let folder = dirname(path);
  const rest = [basename(path)];
  for (;;) {
    const result = await files.stat(folder, signal);
    if (result.ok || dirname(folder) === folder) return { folder, rest };
    rest.unshift(basename(folder));
    folder = dirname(folder);
  }
}

/** A folder that cannot be listed is treated as empty. */
async function entriesOf(folder: string, files: FileSystem, signal: AbortSignal) {
  const listed = await files.list(folder, signal);
  return listed.ok ? listed.value : [];
}

/** Returns the file in the folders that contain it; otherwise the folders. */
async function inFolders(
  folders: readonly string[],
  below: readonly string[],
  files: FileSystem,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const there: string[] = [];
  for (const folder of folders) {
    const result = await files.stat(join(folder, ...below), signal);
    if (result.ok) there.push(join(folder, ...below));
  }
  return there.length > 0 ? there : folders;
}

const maxSimilar = 5;
const maxCompared = 5000;
