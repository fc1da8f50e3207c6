import { lstat, readdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";

import { sha256 } from "../base/digest.ts";
import { replaceEntry } from "../base/files/atomic-file.ts";
import { describeFault } from "../base/files/file-fault.ts";
import { makeAndOpenFolder, type OpenedFolder, resolveFolder } from "../base/files/open-beneath.ts";
import { err, ok } from "../base/result.ts";
import type { SpillStore } from "../contracts/tool/dispatch.ts";

export interface SpillOptions {
  readonly folder: string;
  /** The maximum total size. Beyond it, the oldest results are removed. */
  readonly maxTotalBytes: number;
}

/**
 * Stores results that are too long for a conversation, one file each, in a folder that only the user can read and whose
 * size is limited.
 */
export function createSpillStore({ folder, maxTotalBytes }: SpillOptions): SpillStore {
  const real = resolveFolder(folder);
  return {
    async spill(callId, text, signal) {
      if (signal.aborted) return err({ message: "interrupted" });
      const path = spillFile(folder, callId);
      try {
        using opened = makeAndOpenFolder(real, 0o700);
        await replaceEntry(opened, basename(path), text, 0o600);
        await removeOldest(opened, maxTotalBytes, basename(path));
        return ok({ path });
      } catch (thrown) {
        return err({ message: describeFault(thrown, path).message });
      }
    },
  };
}

/** The file with the result of a call, if the result was too long. */
export function spillFile(folder: string, callId: string): string {
  return join(folder, `${fileName(callId)}.txt`);
}

/** A provider chooses call ids, so the name contains only safe characters and a hash that keeps ids distinct. */
function fileName(callId: string): string {
  const tame = callId.replaceAll(/[^A-Za-z0-9_.-]/g, "_").slice(0, 120);
  if (tame === callId && !/^\.*$/.test(tame)) return tame;
  return `${tame.replace(/^\.+/, "_")}_${sha256(callId).slice(0, 12)}`;
}

async function removeOldest(folder: OpenedFolder, maxTotalBytes: number, keep: string): Promise<void> {
  const files = await Promise.all(
    (await readdir(folder.path)).map(async (name) => {
      const match = await lstat(folder.entry(name)).catch(() => undefined);
      return { name, bytes: match?.size ?? 0, modifiedAt: match?.mtimeMs ?? 0 };
    }),
  );
  let total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { name, bytes } of files.toSorted((a, b) => a.modifiedAt - b.modifiedAt)) {
    if (total <= maxTotalBytes) return;
    if (name === keep) continue;
    await rm(folder.entry(name), { force: true });
    total -= bytes;
  }
}
