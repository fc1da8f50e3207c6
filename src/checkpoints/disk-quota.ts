import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";

import type { Clock } from "../base/clock.ts";
import { takeFileLock } from "../base/files/file-lock.ts";
import { valueOr } from "../base/result.ts";
import { hashOf } from "./file-state.ts";
import { storageForms, piecesIn } from "./object-store.ts";

/** Keeps all checkpoints of a Hermes home below a size limit, which is enforced on every write. */
export interface DiskQuota {
  /** Whether this many bytes fit. Deletes the oldest checkpoints of any workspace if necessary. */
  make(bytes: number, signal: AbortSignal): Promise<boolean>;
  /** Reports written bytes. */
  took(bytes: number): void;
}

export interface DiskQuotaParts {
  readonly database: DatabaseSync;
  /** The database file of this workspace. */
  readonly file: string;
  /** The folder with the databases of all workspaces. */
  readonly folder: string;
  readonly maxBytes: number;
  readonly clock: Clock;
}

export function createDiskQuota({ database, file, folder, maxBytes: allowed, clock }: DiskQuotaParts): DiskQuota {
  // Reserve space for SQLite's write-ahead log.
  const maxBytes = allowed > 4 * walBytes ? allowed - walBytes : allowed;
  const oldest = database.prepare("SELECT seq, at FROM records WHERE open = 0 ORDER BY seq LIMIT 1 OFFSET ?");
  const count = database.prepare("SELECT count(*) AS count FROM records WHERE open = 0");
  let others = rootFiles(folder).filter((each) => each.file !== file);

  const page = pageBytes(database);
  let disk = measured();

  /** The used bytes, and how many of them new data can reuse. */
  function measured() {
    const own = pragma(database, "page_count") * page;
    const used = own + others.reduce((sum, each) => sum + each.bytes, 0);
    return { used, free: pragma(database, "freelist_count") * page };
  }

  async function removeOther(path: string, signal: AbortSignal): Promise<void> {
    const lock = await takeFileLock(path, { signal, timeoutMs: 0, clock });
    others = others.filter((each) => each.file !== path);
    if (!lock.ok) return;
    using _lock = lock.value;
    removeRootFile(path);
  }

  function forgetOldest(): boolean {
    const some = Math.max(1, Math.ceil(Number(count.get()?.["count"] ?? 0) / 10));
    const last = oldest.get(some - 1);
    if (!last) return false;
    forgetRecords(database, "seq <= ?", Number(last["seq"]));
    return true;
  }

  return {
    async make(bytes, signal) {
      while (disk.used + Math.max(0, bytes + slackBytes - disk.free) > maxBytes) {
        if (signal.aborted || bytes > maxBytes) return false;
        const [other] = others.toSorted((a, b) => a.changedAt - b.changedAt);
        const ownAt = oldest.get(0)?.["at"];
        if (other && (typeof ownAt !== "number" || other.changedAt < ownAt)) await removeOther(other.file, signal);
        else if (!forgetOldest()) return false;
        disk = measured();
      }
      return true;
    },
    took(bytes) {
      const fresh = Math.max(0, bytes - disk.free);
      disk = { used: disk.used + fresh, free: disk.free - (bytes - fresh) };
    },
  };
}

/** Maximum size of the write-ahead log after one batch of contents. */
const walBytes = 16_000_000;

/** Allowance for indexes and record rows. */
const slackBytes = 65_536;

/**
 * Deletes closed records and the contents that nothing else uses. For a session, which must be closed, deletes all
 * its records and the last known states of the files that it changed. Returns the number of records.
 */
export function forgetRecords(
  database: DatabaseSync,
  which: "seq <= ?" | "at < ?" | "session = ?",
  value: number | string,
): number {
  const isSession = which === "session = ?";
  const those = isSession ? which : `open = 0 AND ${which}`;
  const changesOf = `FROM changes WHERE seq IN (SELECT seq FROM records WHERE ${those})`;
  database.exec("BEGIN IMMEDIATE");
  try {
    // A running call still compares with the last known states.
    if (isSession && !database.prepare(`SELECT 1 FROM records WHERE open = 1 AND session IS NOT ?`).get(value))
      database.prepare(`DELETE FROM states WHERE path IN (SELECT path ${changesOf})`).run(value);
    database.prepare(`DELETE ${changesOf}`).run(value);
    const { changes } = database.prepare(`DELETE FROM records WHERE ${those}`).run(value);
    if (Number(changes) > 0) collect(database);
    database.exec("COMMIT");
    // Frees space in steps, to keep the pauses short. SQLite reuses the remaining free pages first.
    if (Number(changes) > 0) database.exec("PRAGMA incremental_vacuum(20000)");
    return Number(changes);
  } catch (thrown) {
    database.exec("ROLLBACK");
    throw thrown;
  }
}

/** Deletes contents that neither a state nor a change uses. Call it within a transaction. */
function collect(database: DatabaseSync): void {
  const needed = new Set<string>();
  const texts = database.prepare(
    "SELECT state AS text FROM states UNION ALL SELECT before FROM changes UNION ALL SELECT after FROM changes",
  );
  for (const { text } of texts.iterate()) {
    const hash = typeof text === "string" ? hashOf(text) : undefined;
    if (hash !== undefined) needed.add(hash);
  }
  const list = database.prepare("SELECT hash, data FROM objects WHERE form = ?");
  for (const { hash, data } of list.iterate(storageForms.pieces)) {
    if (!needed.has(String(hash)) || !(data instanceof Uint8Array)) continue;
    for (const piece of piecesIn(data)) needed.add(piece);
  }
  const remove = database.prepare("DELETE FROM objects WHERE hash = ?");
  const hashes = database.prepare("SELECT hash FROM objects").all();
  for (const { hash } of hashes) if (!needed.has(String(hash))) remove.run(String(hash));
}

export interface RootFile {
  readonly file: string;
  /** The file size, including SQLite's helper files. */
  readonly bytes: number;
  readonly changedAt: number;
}

/** The records of all workspaces of a home. */
export function rootFiles(folder: string): readonly RootFile[] {
  return namesIn(folder)
    .filter((name) => /^[0-9a-f]{16}\.db$/u.test(name))
    .flatMap((name) => {
      const file = join(folder, name);
      const parts = ["", "-wal", "-shm"].flatMap((end) => statOf(`${file}${end}`));
      if (parts.length === 0) return [];
      return [
        {
          file,
          bytes: parts.reduce((sum, { size }) => sum + size, 0),
          changedAt: Math.max(...parts.map(({ mtimeMs }) => mtimeMs)),
        },
      ];
    });
}

/** The caller must hold the lock of the workspace. */
export function removeRootFile(file: string): void {
  for (const end of ["-wal", "-shm", ""]) rmSync(`${file}${end}`, { force: true });
}

function namesIn(folder: string): readonly string[] {
  return valueOr(() => readdirSync(folder), []);
}

function statOf(path: string) {
  const result = statSync(path, { throwIfNoEntry: false });
  return result ? [result] : [];
}

function pageBytes(database: DatabaseSync): number {
  return pragma(database, "page_size");
}

function pragma(database: DatabaseSync, name: "page_count" | "page_size" | "freelist_count"): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name] ?? 0);
}
