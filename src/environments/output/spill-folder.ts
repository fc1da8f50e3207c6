import { randomBytes } from "node:crypto";
import { type FileHandle, lstat, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { makeAndOpenFolder, type OpenedFolder, resolveFolder } from "../../base/files/open-beneath.ts";

/** Long outputs of commands, one file each, readable only by the user. They outlive the environment for a while. */
export interface SpillFolder {
  /** Creates a file, with words in its name if they are given. Rejects with the system's error. */
  create(name?: SpillName): Promise<{ readonly path: string; readonly handle: FileHandle }>;
}

/** Lower case letters, digits and hyphens. */
export interface SpillName {
  readonly words: string;
  readonly extension: string;
}

export interface SpillLimits {
  /** The oldest files are deleted when the total exceeds this. */
  readonly maxTotalBytes: number;
  readonly maxAgeMs: number;
}

export const defaultSpillLimits: SpillLimits = { maxTotalBytes: 1024 ** 3, maxAgeMs: 7 * 24 * 3_600_000 };

export function createSpillFolder(folder: string, limits: SpillLimits, clock: Clock): SpillFolder {
  const real = resolveFolder(folder);
  return {
    async create(given) {
      using opened = makeAndOpenFolder(real, 0o700);
      await sweep(opened, limits, clock.now());
      const id = `out-${clock.now()}-${randomBytes(6).toString("hex")}`;
      const name = given ? `${id}-${given.words}.${given.extension}` : `${id}.log`;
      return { path: join(real, name), handle: await open(opened.entry(name), "wx", 0o600) };
    },
  };
}

async function sweep(folder: OpenedFolder, { maxTotalBytes, maxAgeMs }: SpillLimits, now: number): Promise<void> {
  const names = (await readdir(folder.path)).filter((name) => name.startsWith("out-"));
  const files = await Promise.all(
    names.map(async (name) => {
      const path = folder.entry(name);
      const result = await lstat(path).catch(() => undefined);
      return { path, bytes: result?.size ?? 0, modifiedAt: result?.mtimeMs ?? 0 };
    }),
  );
  let total = 0;
  for (const { path, bytes, modifiedAt } of files.toSorted((a, b) => b.modifiedAt - a.modifiedAt)) {
    total += bytes;
    if (total > maxTotalBytes || now - modifiedAt > maxAgeMs) await rm(path, { force: true });
  }
}
