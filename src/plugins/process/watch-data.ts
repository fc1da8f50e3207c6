import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { deletedBytes } from "./deleted-files.ts";

export interface DataLimit {
  /** Folders that a plugin may fill without approval. Messages to the user name the first one. */
  readonly folders: readonly string[];
  /** The maximum total size of all files in the folders, on disk. */
  readonly maxBytes: number;
  /** The normal interval between two checks. */
  readonly periodMs?: number;
  /** The maximum pause between two checks, even for a folder that takes long to measure. Default: none. */
  readonly maxPauseMs?: number;
  /** Processes whose open deleted files count too. Default: none. */
  readonly pids?: () => readonly number[];
}

export interface DataDeps {
  readonly clock: Clock;
  readonly onExcess: (reason: string) => void;
  /** Processor time of the process while no request is pending, otherwise undefined. Default: each check measures. */
  readonly idleUsedMs?: () => number | undefined;
}

/** Measures the folders while the process runs. Folders with many files are measured less often. */
export function watchData(
  { folders, maxBytes, periodMs = minPeriodMs, maxPauseMs = Infinity, pids }: DataLimit,
  { clock, onExcess, idleUsedMs }: DataDeps,
): Disposable {
  let timer = clock.after(periodMs, () => void check());
  let last: { readonly measuredAt: number; readonly usedMs: number } | undefined;
  let isStopped = false;

  /** Whether the process was idle and used too little processor time since the last measurement to write much. */
  function isQuiet(usedMs: number | undefined): boolean {
    if (!last || usedMs === undefined || clock.elapsed() - last.measuredAt > maxQuietMs) return false;
    return usedMs - last.usedMs <= maxQuietWorkMs;
  }

  async function check(): Promise<void> {
    const usedMs = idleUsedMs?.();
    if (isQuiet(usedMs)) {
      timer = clock.after(periodMs, () => void check());
      return;
    }
    const startedAt = clock.elapsed();
    last = usedMs === undefined ? undefined : { measuredAt: startedAt, usedMs };
    const inFolders = await bytesIn(folders, maxBytes, () => isStopped);
    const bytes = inFolders > maxBytes || !pids ? inFolders : inFolders + deletedBytes(pids());
    if (isStopped) return;
    if (bytes > maxBytes) {
      const limit = `more than ${Math.round(maxBytes / 2 ** 20)} MB in ${folders[0] ?? ""}`;
      return onExcess(`keeps ${limit} and its temporary files (plugins.max_data_mb)`);
    }
    const tookMs = clock.elapsed() - startedAt;
    timer = clock.after(Math.min(Math.max(periodMs, tookMs * restFactor), maxPauseMs), () => void check());
  }

  return {
    [Symbol.dispose]() {
      isStopped = true;
      timer[Symbol.dispose]();
    },
  };
}

const minPeriodMs = 1_000;
/** Reserving space takes no processor time, so an idle process is measured too, but less often. */
const maxQuietMs = 5_000;
const maxQuietWorkMs = 20;
/** Measuring takes at most this fraction of the time. */
const restFactor = 50;

/**
 * Adds up file sizes and stops as soon as the limit is exceeded. Links are not followed; files that disappear
 * meanwhile are not counted.
 */
async function bytesIn(folders: readonly string[], maxBytes: number, isStopped: () => boolean): Promise<number> {
  let bytes = 0;
  // The loop below appends to this list while it walks it.
  const pending = [...folders];
  for (const folder of pending) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (bytes > maxBytes || isStopped()) return bytes;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        pending.push(path);
        bytes += minEntryBytes;
      } else
        bytes += await lstat(path).then(
          ({ blocks }) => Math.max(blocks * blockBytes, minEntryBytes),
          () => 0,
        );
    }
  }
  return bytes;
}

const blockBytes = 512;
/** The size counted for an empty file or folder, so that their number is limited too. */
const minEntryBytes = 4_096;
