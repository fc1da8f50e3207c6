import { statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";

import type { Clock } from "../../base/clock.ts";
import { openImmutable } from "../../base/files/read-only-database.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { openDatabase, refuseNewer } from "../open-database.ts";
import { applicationId } from "../schema.ts";
import { StoreError, storeError } from "../store-fault.ts";
import { isShared } from "../store-users.ts";
import { verifiedFile } from "../verify-store.ts";
import { hasFrames, lostCommits, restoreWal } from "../wal-damage.ts";
import { openPages, type PageSource } from "./page-source.ts";
import { addLostEntries, rebuildSessions } from "./rebuild-sessions.ts";
import { salvageRows } from "./salvage-rows.ts";
import { startRepair, newStorePath, pidsHolding, replaceStore } from "./store-swap.ts";

/** The result of a repair. `keptAs` is the new path of the damaged file. */
export interface Repaired {
  readonly sessions: number;
  readonly entries: number;
  /** Sessions with lost entries, and their number. */
  readonly harmed: readonly HarmedSession[];
  readonly keptAs: string;
  /** Writes that were only in a lost write-ahead log. */
  readonly missingWrites: number;
}

interface HarmedSession {
  readonly id: string;
  readonly title?: string;
  readonly lost: number;
}

export interface RepairDeps {
  readonly clock: Clock;
  /** The owner for sessions whose owner is lost. */
  readonly principal: string;
}

/**
 * Copies every readable part of a store, page by page, to a new file that replaces it. The old file is kept unchanged
 * next to it. Rejects a file without any entry, and a file that another process has open.
 */
export async function repairStore(path: string, deps: RepairDeps, signal: AbortSignal): Promise<Result<Repaired>> {
  const repair = await startRepair(path, deps.clock, signal);
  if (!repair.ok) return repair;
  using _repair = repair.value;
  const holders = pidsHolding(path);
  if (holders.length > 0 || (await isShared(path))) {
    const others = holders.map((pid) => `process ${pid}`).join(", ") || "another program";
    return err({ message: `${path} is in use by ${others}; stop all Hermes processes, then try again.` });
  }
  const stamp = new Date(deps.clock.now())
    .toISOString()
    .replaceAll(/[-:]|\..*/gu, "")
    .replace("T", "-");
  const fresh = newStorePath(path, stamp);
  try {
    const missingWrites = await countMissing(path);
    const created = await salvageInto(fresh, path, deps, signal);
    if (created.entries === 0)
      return err({
        message: `${path}: no session data found; the file is unchanged. Move it away to start with an empty store.`,
      });
    const keptAs = await replaceStore(path, fresh, stamp);
    await rm(verifiedFile(path), { force: true });
    return ok({ ...created, keptAs, missingWrites });
  } catch (thrown) {
    if (signal.aborted) return err({ message: "The repair was interrupted; nothing was changed." });
    return err({ message: storeError(thrown, path).message });
  } finally {
    await removeStore(fresh);
  }
}

async function salvageInto(
  fresh: string,
  path: string,
  { principal }: RepairDeps,
  signal: AbortSignal,
): Promise<Omit<Repaired, "keptAs" | "missingWrites">> {
  refuseWithoutRoom(path);
  restoreWal(path);
  using pages = openPages(path);
  refuseNewer(versionOf(pages), path);
  using database = await openDatabase(fresh, () => {});
  database.exec("PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF");
  const { sessions, lost, entries, lastPrimaryKey } = await salvageRows(pages, database, signal);
  database.exec("BEGIN");
  addLostEntries(database, lost, sessions, principal);
  const created = rebuildSessions(database, sessions, principal);
  // Prevents reuse of row ids of entries that are lost without a trace.
  const last = lastPrimaryKey + (lost.size > 0 ? 10_000 : 0);
  database.prepare("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'entries'").run(last);
  database.exec("COMMIT");
  check(database, fresh);
  database.exec("PRAGMA synchronous = FULL; PRAGMA journal_mode = WAL");
  const harmed = created.filter((session) => session.lost > 0);
  return {
    sessions: created.length,
    entries,
    harmed: harmed.map(({ id, title, lost: count }) => ({ id, ...(title !== undefined && { title }), lost: count })),
  };
}

async function countMissing(path: string): Promise<number> {
  if (hasFrames(path)) return 0;
  try {
    using database = await openImmutable(path);
    return lostCommits(database, path, true);
  } catch {
    // The error means that the store itself is damaged.
    return 0;
  }
}

function refuseWithoutRoom(path: string): void {
  const { statfsSync } = process.getBuiltinModule("node:fs");
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const { bavail, bsize } = statfsSync(dirname(path));
  if (bavail * bsize < size) {
    const neededMb = Math.ceil(size / 1e6);
    throw new StoreError(
      "full",
      `${path}: a repair needs ${neededMb} MB of free space for the new file; free some and try again`,
    );
  }
}

/** The version in the first page; 0 if the file is not a store of Hermes. */
function versionOf(pages: PageSource): number {
  for (const { bytes } of pages.versions(1)) {
    const [versionAt, applicationAt] = [60, 68];
    if (bytes.readUInt32BE(applicationAt) === applicationId) return bytes.readUInt32BE(versionAt);
  }
  return 0;
}

function check(database: DatabaseSync, path: string): void {
  const [answer] = database.prepare("PRAGMA quick_check(1)").all();
  if (answer?.["quick_check"] !== "ok")
    throw new StoreError("damaged", `${path}: the new file is damaged too; check the disk`);
}

async function removeStore(path: string): Promise<void> {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) await rm(path + suffix, { force: true });
}
