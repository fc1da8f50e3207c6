import { isUtf8 } from "node:buffer";
import { lstat, open, readdir, realpath } from "node:fs/promises";
import { join, sep } from "node:path";

import { err, ok, type Result } from "../../base/result.ts";

/**
 * Reads the folder of another program. Nothing outside of it is read: links are refused, even for folders on the way to
 * a file. Large files and texts with control characters are refused too.
 */
export interface ForeignTree {
  readonly root: string;
  /** Reads a file. Undefined: there is no such file. An error has the reason why a file is refused. */
  text(...path: readonly string[]): Promise<Result<string, string> | undefined>;
  /** Names of files and folders in a folder, sorted; empty if there is none. */
  names(...path: readonly string[]): Promise<readonly string[]>;
  isFolder(...path: readonly string[]): Promise<boolean>;
  /** All files below a folder with their relative paths. */
  files(...path: readonly string[]): Promise<Result<readonly ForeignFile[], string>>;
}

export interface ForeignFile {
  readonly path: string;
  readonly bytes: Buffer;
}

const maxTextBytes = 256 * 1024;
const maxNames = 1_000;
const maxFolderFiles = 500;
const maxFolderBytes = 8_000_000;
const maxDepth = 8;

/** Opens a folder. Undefined: there is no such folder. The folder itself may be a link. */
export async function openForeignTree(folder: string): Promise<ForeignTree | undefined> {
  const root = await realpath(folder).catch(() => undefined);
  if (root === undefined || !(await lstat(root)).isDirectory()) return undefined;
  return {
    root,
    async text(...path) {
      const file = await readBeneath(root, path, maxTextBytes);
      if (!file?.ok) return file;
      const bytes = file.value;
      if (!isUtf8(bytes)) return err("it is not UTF-8 text");
      const text = bytes.toString("utf8").replace(/^\uFEFF/u, "");
      return controls.test(text) ? err("it contains control characters") : ok(text.replaceAll("\r\n", "\n"));
    },
    async names(...path) {
      if (!(await isFolderBeneath(root, path))) return [];
      const names = await readdir(join(root, ...path)).catch(() => []);
      return names
        .filter((name) => !controls.test(name))
        .toSorted()
        .slice(0, maxNames);
    },
    isFolder: (...path) => isFolderBeneath(root, path),
    files: (...path) => filesBeneath(root, path),
  };
}

async function isFolderBeneath(root: string, path: readonly string[]): Promise<boolean> {
  for (let length = 1; length <= path.length; length++) {
    const stats = await lstat(join(root, ...path.slice(0, length))).catch(() => undefined);
    if (!stats?.isDirectory()) return false;
  }
  return true;
}

async function readBeneath(
  root: string,
  path: readonly string[],
  maxBytes: number,
): Promise<Result<Buffer, string> | undefined> {
  const file = join(root, ...path);
  const stats = await lstat(file).catch(() => undefined);
  if (!stats) return undefined;
  if (stats.isSymbolicLink()) return err("it is a link");
  if (!stats.isFile()) return err("it is not a file");
  if (stats.size > maxBytes) return err(`it is larger than ${Math.floor(maxBytes / 1024)} KB`);
  if (!(await isFolderBeneath(root, path.slice(0, -1)))) return err("a folder above it is a link");
  try {
    await using handle = await open(file, "r");
    // The file may have been replaced meanwhile.
    const opened = await handle.stat();
    const real = await realpath(file);
    if (opened.ino !== stats.ino || !real.startsWith(`${root}${sep}`)) return err("it was replaced");
    const buffer = Buffer.alloc(Math.min(opened.size, maxBytes));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    return ok(buffer.subarray(0, bytesRead));
  } catch {
    return err("it cannot be read");
  }
}

async function filesBeneath(root: string, path: readonly string[]): Promise<Result<readonly ForeignFile[], string>> {
  const files: ForeignFile[] = [];
  let bytes = 0;
  async function visit(below: readonly string[]): Promise<string | undefined> {
    if (below.length > maxDepth) return "its folders are nested too deeply";
    for (const name of (await readdir(join(root, ...path, ...below)).catch((): string[] => [])).toSorted()) {
      const place = [...below, name];
      const shown = place.join("/");
      if (controls.test(name)) return "a name contains control characters";
      const stats = await lstat(join(root, ...path, ...place)).catch(() => undefined);
      if (!stats || name === ".git" || name === "node_modules") continue;
      if (stats.isSymbolicLink()) return `${shown} is a link`;
      if (stats.isDirectory()) {
        const fault = await visit(place);
        if (fault !== undefined) return fault;
        continue;
      }
      if (files.length >= maxFolderFiles) return `it has more than ${maxFolderFiles} files`;
      const read = await readBeneath(root, [...path, ...place], maxFolderBytes - bytes);
      if (!read?.ok) return `${shown}: ${read?.error ?? "it disappeared"}`;
      bytes += read.value.length;
      files.push({ path: join(...place), bytes: read.value });
    }
    return undefined;
  }
  if (!(await isFolderBeneath(root, path))) return err("it is not a folder");
  const fault = await visit([]);
  return fault === undefined ? ok(files) : err(fault);
}

// oxlint-disable-next-line no-control-regex -- control characters are what it finds
const controls = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/u;
