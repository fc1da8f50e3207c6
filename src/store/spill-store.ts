import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

import { sha256 } from "../base/digest.ts";
import { writeFileAtomic } from "../base/files/atomic-file.ts";
import { makeFolder } from "../base/files/make-folder.ts";
import { err, ok, reasonOf } from "../base/result.ts";
import type { SpillStore } from "../contracts/tool/dispatch.ts";

export interface SpillOptions {
  readonly folder: string;
  /** The oldest results are removed once all of them together are larger. */
  readonly maxTotalBytes: number;
}

/** Results too long for a conversation, one file each, in a folder that only the user can read and that never grows past its bound. */
export function createSpillStore({ folder, maxTotalBytes }: SpillOptions): SpillStore {
  return {
    async spill(callId, text, signal) {
      if (signal.aborted) return err({ message: "interrupted" });
      const path = spillFile(folder, callId);
      try {
        await makeFolder(folder, 0o700);
        const written = await writeFileAtomic(path, text, { mode: 0o600 });
        if (!written.ok) return err({ message: written.error.message });
        await removeOldest(folder, maxTotalBytes, path);
        return ok({ path });
      } catch (thrown) {
        return err({ message: reasonOf(thrown) });
      }
    },
  };
}

/** Where the result of a call is, if it was too long. */
export function spillFile(folder: string, callId: string): string {
  return join(folder, `${fileName(callId)}.txt`);
}

/** A call id may be anything a provider sends: only tame characters reach the file system, and no two ids meet. */
function fileName(callId: string): string {
  const tame = callId.replaceAll(/[^A-Za-z0-9_.-]/g, "_").slice(0, 120);
  if (tame === callId && !/^\.*$/.test(tame)) return tame;
  return `${tame.replace(/^\.+/, "_")}_${sha256(callId).slice(0, 12)}`;
}

async function removeOldest(folder: string, maxTotalBytes: number, keep: string): Promise<void> {
  const files = await Promise.all(
    (await readdir(folder)).map(async (name) => {
      const path = join(folder, name);
      const match = await stat(path).catch(() => undefined);
      return { path, bytes: match?.size ?? 0, modifiedAt: match?.mtimeMs ?? 0 };
    }),
  );
  let total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { path, bytes } of files.toSorted((a, b) => a.modifiedAt - b.modifiedAt)) {
    if (total <= maxTotalBytes) return;
    if (path === keep) continue;
    await rm(path, { force: true });
    total -= bytes;
  }
}
