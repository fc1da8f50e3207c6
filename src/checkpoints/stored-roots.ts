import { mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";

import type { Clock } from "../base/clock.ts";
import { confirmedNow, type Uptime } from "../base/confirmed-time.ts";
import { isDatabaseDamage } from "../base/files/database-file.ts";
import { takeFileLock } from "../base/files/file-lock.ts";
import { PlainFailure } from "../base/plain-failure.ts";
import { forgetRecords, removeRootFile, rootFiles } from "./disk-quota.ts";
import { openRootDatabase, readRootDatabase } from "./root-database.ts";

/** The stored checkpoints of one workspace. */
export interface StoredRoot {
  readonly root: string;
  readonly backend: string;
  readonly checkpoints: number;
  readonly bytes: number;
  readonly oldestAt?: number;
  readonly newestAt?: number;
}

/** All workspaces of a home, largest first. Read-only. */
export async function storedRoots(folder: string): Promise<readonly StoredRoot[]> {
  const matches: StoredRoot[] = [];
  for (const { file, bytes } of rootFiles(folder)) {
    const database = await readRootDatabase(file);
    if (!database) continue;
    try {
      matches.push({ ...factsIn(database), bytes });
    } finally {
      database.close();
    }
  }
  return matches.toSorted((a, b) => b.bytes - a.bytes);
}

export interface TidyParts {
  readonly folder: string;
  readonly retentionMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface CleanupReport {
  readonly checkpoints: number;
  readonly bytes: number;
}

/** Deletes expired checkpoints, empty workspaces, and leftovers of killed programs. */
export async function tidy({ folder, retentionMs, clock, signal }: TidyParts): Promise<CleanupReport> {
  const before = clock.now() - retentionMs;
  const bytesBefore = bytesIn(folder);
  const checkpoints = await inEach(folder, clock, signal, (database, { changedAt }) => {
    const removed = forgetRecords(database, "at < ?", before);
    return { gone: removed, isOver: changedAt < before && factsIn(database).checkpoints === 0 };
  });
  await removeStrays(folder, before);
  return { checkpoints, bytes: Math.max(0, bytesBefore - bytesIn(folder)) };
}

/** Runs `tidy` at most once a day. A clock that may be wrong deletes nothing. */
export async function tidyDaily(parts: TidyParts & { uptime?(): Uptime }): Promise<void> {
  const stamp = join(parts.folder, "tidied");
  const now = parts.clock.now();
  const last = statSync(stamp, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (last <= now && now - last < 86_400_000) return;
  mkdirSync(parts.folder, { recursive: true, mode: 0o700 });
  const newestAt = rootFiles(parts.folder).reduce((newest, { changedAt }) => Math.max(newest, changedAt), 0);
  if (last === 0 && newestAt > 0) {
    writeFileSync(stamp, "", { mode: 0o600 });
    utimesSync(stamp, newestAt / 1000, newestAt / 1000);
  }
  const confirmedAt = confirmedNow(stamp, parts.clock, parts.uptime);
  utimesSync(stamp, now / 1000, now / 1000);
  await tidy({ ...parts, clock: { ...parts.clock, now: () => confirmedAt } });
}

/**
 * Deletes the checkpoints of these sessions and returns their number. Workspace files do not change. Rejects if some
 * checkpoints could not be reached.
 */
export async function eraseCheckpoints(
  folder: string,
  sessions: readonly string[],
  clock: Clock,
  signal: AbortSignal,
): Promise<number> {
  const visit: Visit = (database) => ({
    gone: sessions.reduce((sum, session) => sum + forgetRecords(database, "session = ?", session), 0),
    isOver: false,
  });
  return inEach(folder, clock, signal, visit, (why) => {
    throw new PlainFailure(`The file checkpoints could not be erased: ${why}`);
  });
}

type Visit = (
  database: DatabaseSync,
  root: { readonly changedAt: number },
) => { readonly gone: number; readonly isOver: boolean };

async function inEach(
  folder: string,
  clock: Clock,
  signal: AbortSignal,
  visit: Visit,
  left: (why: string) => void = () => {},
): Promise<number> {
  let removed = 0;
  for (const root of rootFiles(folder)) {
    const lock = await takeFileLock(root.file, { signal, timeoutMs: 10_000, clock });
    if (!lock.ok) {
      left(lock.error.message);
      continue;
    }
    using _lock = lock.value;
    const database = await openRootDatabase(root.file, () => {});
    let isOver = false;
    try {
      const done = visit(database, root);
      removed += done.gone;
      isOver = done.isOver;
    } catch (thrown) {
      if (!isDatabaseDamage(thrown)) throw thrown;
    } finally {
      database.close();
    }
    if (isOver) removeRootFile(root.file);
  }
  return removed;
}

/** Damaged files expire like checkpoints. */
async function removeStrays(folder: string, before: number): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.includes(".damaged-")) continue;
    const path = join(folder, name);
    if ((statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) < before) rmSync(path, { force: true });
  }
}

function bytesIn(folder: string): number {
  return rootFiles(folder).reduce((sum, { bytes }) => sum + bytes, 0);
}

function factsIn(database: DatabaseSync): Omit<StoredRoot, "bytes"> {
  const about = new Map(
    database
      .prepare("SELECT key, value FROM about")
      .all()
      .map(({ key, value }) => [String(key), String(value)]),
  );
  const row = database.prepare("SELECT count(*) AS count, min(at) AS oldest, max(at) AS newest FROM records").get();
  return {
    root: about.get("root") ?? "?",
    backend: about.get("backend") ?? "?",
    checkpoints: Number(row?.["count"] ?? 0),
    ...(typeof row?.["oldest"] === "number" && { oldestAt: row["oldest"] }),
    ...(typeof row?.["newest"] === "number" && { newestAt: row["newest"] }),
  };
}
