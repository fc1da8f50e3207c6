import { lstat, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";

import type { Clock } from "../clock.ts";
import { err, ok, type Result } from "../result.ts";
import { replaceEntry } from "./atomic-file.ts";
import { describeFault } from "./file-fault.ts";
import { makeAndOpenFolder, type OpenedFolder, resolveFolder } from "./open-beneath.ts";

/** A folder of files for this user only. Its size is limited, and its files may be removed at any time. */
export interface BoundedFolder {
  /** Writes a file and returns its path. Never rejects. */
  write(name: string, data: string | Uint8Array): Promise<Result<string>>;
  /** Reads a file; undefined if it is missing or unreadable. */
  read(name: string): Promise<Buffer | undefined>;
}

export interface FolderLimits {
  readonly maxTotalBytes: number;
  readonly maxAgeMs: number;
}

export function createBoundedFolder(folder: string, limits: FolderLimits, clock: Clock): BoundedFolder {
  let writing: Promise<unknown> = Promise.resolve();
  async function write(name: string, data: string | Uint8Array): Promise<Result<string>> {
    const path = join(folder, name);
    try {
      using opened = makeAndOpenFolder(resolveFolder(folder), 0o700);
      await replaceEntry(opened, name, data, 0o600);
      await removeOld(opened, name, limits, clock.now());
      return ok(path);
    } catch (thrown) {
      return err({ message: describeFault(thrown, path).message });
    }
  }
  return {
    async write(name, data) {
      const turn = writing.then(() => write(name, data));
      writing = turn;
      return turn;
    },
    async read(name) {
      try {
        const path = join(resolveFolder(folder), name);
        // Links are skipped, because they would lead out of the folder.
        return (await lstat(path)).isFile() ? await readFile(path) : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

/** Removes files that are too old, then the oldest files until the rest fits. */
async function removeOld(folder: OpenedFolder, keep: string, limits: FolderLimits, now: number): Promise<void> {
  const files = await Promise.all(
    (await readdir(folder.path)).map(async (name) => {
      const stats = await lstat(folder.entry(name)).catch(() => undefined);
      return { name, isFile: stats?.isFile() === true, bytes: stats?.size ?? 0, modifiedAt: stats?.mtimeMs ?? 0 };
    }),
  );
  const own = files.filter(({ isFile }) => isFile);
  let total = own.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { name, bytes, modifiedAt } of own.toSorted((a, b) => a.modifiedAt - b.modifiedAt)) {
    if (total <= limits.maxTotalBytes && now - modifiedAt <= limits.maxAgeMs) return;
    if (name === keep) continue;
    await rm(folder.entry(name), { force: true });
    total -= bytes;
  }
}
