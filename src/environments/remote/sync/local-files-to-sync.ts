import type { Stats } from "node:fs";
import { lstat, readdir, readFile, realpath, stat } from "node:fs/promises";
import { join } from "node:path";

import { sha256 } from "../../../base/digest.ts";
import { isInside } from "../../../base/files/path.ts";
import { reasonOf } from "../../../base/result.ts";

/** A file or folder of this machine to copy to the backend. */
export interface SyncedTree {
  /** The absolute local path. A missing path is not an error: it was removed. */
  readonly from: string;
  /** The path on the backend, relative to this program's folder there. */
  readonly to: string;
  /** Only files inside this folder are sent; links that lead out of it are skipped. */
  readonly within: string;
  /** True: changes on the backend are never copied back. Used for credentials, for example. */
  readonly isReadOnly: boolean;
}

export interface LocalFile {
  /** The path on this machine. */
  readonly path: string;
  /** The path on the backend, relative to this program's folder there. */
  readonly to: string;
  readonly hash: string;
  readonly bytes: number;
  readonly isReadOnly: boolean;
}

export interface LocalScan {
  readonly files: ReadonlyMap<string, LocalFile>;
  /** Files that were left out, each with the reason. */
  readonly skipped: readonly string[];
}

export type ScanLocal = (trees: readonly SyncedTree[]) => Promise<LocalScan>;

/** Reads only files that changed since the last scan. */
export function createLocalScan(): ScanLocal {
  const hashes = new Map<string, { readonly key: string; readonly hash: string }>();

  async function hashOf(path: string, match: Stats): Promise<string> {
    const key = `${match.ino} ${match.size} ${match.mtimeMs} ${match.ctimeMs}`;
    const before = hashes.get(path);
    if (before?.key === key) return before.hash;
    const hash = sha256(await readFile(path));
    hashes.set(path, { key, hash });
    return hash;
  }

  return async (trees) => {
    const files = new Map<string, LocalFile>();
    const skipped: string[] = [];

    async function visit(path: string, to: string, tree: SyncedTree, root: string): Promise<void> {
      try {
        const real = await realpath(path);
        if (!isInside(root, real)) return void skipped.push(`${path}: it leads out of ${tree.within}`);
        const result = await stat(real);
        if (result.isDirectory()) {
          // Skips links to folders, because they could form a cycle.
          if (path !== tree.from && (await lstat(path)).isSymbolicLink()) {
            return void skipped.push(`${path}: it is a link to a folder`);
          }
          const names = await readdir(real);
          for (const name of names.toSorted()) await visit(join(path, name), `${to}/${name}`, tree, root);
          return;
        }
        const fault = !isPlainName(to)
          ? "its name has a line break or a backslash in it"
          : !result.isFile()
            ? "it is not a file"
            : result.size > maxFileBytes
              ? "it is too large"
              : undefined;
        if (fault !== undefined) return void skipped.push(`${path}: ${fault}`);
        const hash = await hashOf(real, result);
        files.set(to, { path: real, to, hash, bytes: result.size, isReadOnly: tree.isReadOnly });
      } catch (thrown) {
        if (!isMissing(thrown)) skipped.push(`${path}: ${reasonOf(thrown)}`);
      }
    }

    for (const tree of trees) {
      const root = await realpath(tree.within).catch(() => tree.within);
      if (isSafePath(tree.to)) await visit(tree.from, tree.to, tree, root);
      else skipped.push(`${tree.from}: ${tree.to} is not a path below the folder on the backend`);
    }
    return { files, skipped };
  };
}

/** Whether a path is relative and stays below its root. */
export function isSafePath(path: string): boolean {
  return (
    path !== "" && path.split("/").every((part) => part !== "" && part !== "." && part !== "..") && isPlainName(path)
  );
}

function isPlainName(path: string): boolean {
  return !/[\n\r\\\0]/u.test(path) && path.isWellFormed();
}

const maxFileBytes = 256 * 1024 * 1024;

function isMissing(thrown: unknown): boolean {
  return thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT";
}
