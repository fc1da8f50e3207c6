import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

/** Time in ms that this disk needs to sync one small write: the minimum for every stored entry. */
export function diskSyncTimes(folder: string, rounds: number): readonly number[] {
  const path = join(folder, "sync");
  const file = openSync(path, "w");
  const written = Buffer.alloc(16 * 1024, 1);
  try {
    return Array.from({ length: rounds }, () => {
      const startedAt = performance.now();
      writeSync(file, written);
      fdatasyncSync(file);
      return performance.now() - startedAt;
    });
  } finally {
    closeSync(file);
    rmSync(path);
  }
}
