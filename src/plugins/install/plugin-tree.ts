import { lstatSync, readdirSync, realpathSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { sha256 } from "../../base/digest.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { readFileBeneath } from "../../base/files/open-beneath.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";

/** A file of a plugin, with its path relative to the plugin's folder. */
export interface PluginFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly isExecutable: boolean;
}

/** The size limits of a plugin. Larger plugins are rejected. */
export const treeLimits = { files: 3_000, bytes: 64_000_000, fileBytes: 24_000_000 } as const;

/** Names that do not belong to a plugin and are not copied. */
const leftBehind: ReadonlySet<string> = new Set([
  ".git",
  ".hg",
  ".svn",
  ".bin",
  ".DS_Store",
  "__pycache__",
  ".venv",
  "venv",
  ".mypy_cache",
  ".pytest_cache",
  ".ruff_cache",
]);

/**
 * The files of a folder, sorted by path. Rejects links, devices, odd names and folders that are too large, because
 * the copy must equal the plugin that the user saw. `forCopy` skips files of tools, such as `.git`.
 */
export function readPluginTree(folder: string, { forCopy = false } = {}): Result<readonly PluginFile[]> {
  try {
    const root = realpathSync(folder);
    if (!lstatSync(root).isDirectory()) return err({ message: `${folder} is not a folder. Give the plugin's folder.` });
    const files: PluginFile[] = [];
    let total = 0;
    const walk = (below: string): string | undefined => {
      for (const entry of readdirSync(join(root, below), { withFileTypes: true })) {
        if (forCopy && leftBehind.has(entry.name)) continue;
        const path = below === "" ? entry.name : `${below}/${entry.name}`;
        const fault = entry.isDirectory()
          ? (treePathFault(path) ?? walk(path))
          : (treePathFault(path) ?? treeKindFault(path, entry.isFile(), entry.isSymbolicLink()));
        if (fault !== undefined) return fault;
        if (entry.isDirectory()) continue;
        const { size } = lstatSync(join(root, path));
        total += size;
        const excess = treeSizeFault({ path, size, total, count: files.length + 1 });
        if (excess !== undefined) return excess;
        const { bytes, mode } = readFileBeneath(join(root, path));
        files.push({ path, bytes, isExecutable: (mode & 0o111) !== 0 });
      }
      return undefined;
    };
    const fault = walk("");
    return fault === undefined ? ok(files.toSorted(byPath)) : err({ message: `${folder} ${fault}` });
  } catch (thrown) {
    return err({ message: `${folder} cannot be read: ${reasonOf(thrown)}` });
  }
}

/** The hash that pins a plugin. It covers all paths, contents and execute bits. */
export function hashOfTree(files: readonly PluginFile[]): string {
  const lines = files.map(({ path, bytes, isExecutable }) => `${path}\0${isExecutable ? "x" : "-"}${sha256(bytes)}\n`);
  return sha256(lines.toSorted().join(""));
}

/**
 * The hash of an installed plugin, over everything in its folder. Returns undefined if the folder contains something
 * that an installed plugin cannot contain, such as a link.
 */
export function hashOfFolder(folder: string): string | undefined {
  const tree = readPluginTree(folder);
  return tree.ok ? hashOfTree(tree.value) : undefined;
}

/** Writes the files into a new folder. Rejects with the system's error. */
export async function writePluginTree(folder: string, files: readonly PluginFile[]): Promise<void> {
  await makeFolder(dirname(folder), 0o700);
  await mkdir(folder, { mode: 0o700 });
  for (const { path, bytes, isExecutable } of files) {
    const file = join(folder, path);
    await makeFolder(dirname(file), 0o700);
    await writeFile(file, bytes, { flag: "wx", mode: 0o600 });
    if (isExecutable) await chmod(file, 0o700);
  }
}

/** Returns why a path is not allowed in a plugin. */
export function treePathFault(path: string): string | undefined {
  const parts = path.split("/");
  const shown = JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path);
  if (/[\p{Cc}\ufffd\u2028-\u202e\u2066-\u2069\\]/u.test(path))
    return `holds a name with control characters or backslashes: ${shown}. Rename the file.`;
  if (path.startsWith("/") || /^[a-z]:/iu.test(path) || parts.some((part) => part === ".." || part === "."))
    return `names a file outside its folder: ${shown}. Do not install it.`;
  if (parts.some((part) => part === "" || Buffer.byteLength(part) > maxNameBytes) || parts.length > maxDepth)
    return `holds a path that is too long: ${shown}. Shorten it.`;
  return undefined;
}

const maxNameBytes = 200;
const maxDepth = 24;

/** Returns why an entry is not allowed in a plugin: links, devices, pipes and sockets are not. */
export function treeKindFault(path: string, isFile: boolean, isLink: boolean): string | undefined {
  if (isFile) return undefined;
  const shown = JSON.stringify(path);
  return isLink
    ? `contains the link ${shown}, and links are not installed. Replace it by the file that it points to.`
    : `contains ${shown}, which is a device, pipe or socket. Remove it.`;
}

interface Sizes {
  readonly path: string;
  readonly size: number;
  /** Adds up the files so far and returns why they exceed a limit. */
  readonly total: number;
  readonly count: number;
}

export function treeSizeFault({ path, size, total, count }: Sizes): string | undefined {
  const { files, bytes, fileBytes } = treeLimits;
  if (count > files) return `holds more than ${files} files. Remove what the plugin does not need.`;
  if (size > fileBytes) return `holds ${JSON.stringify(path)} of more than ${fileBytes / 1_000_000} MB. Remove it.`;
  if (total > bytes)
    return `holds more than ${bytes / 1_000_000} MB of files. Remove what the plugin does not need, such as node_modules.`;
  return undefined;
}

export function byPath(one: { readonly path: string }, other: { readonly path: string }): number {
  return one.path < other.path ? -1 : 1;
}
