import { closeSync, openSync, renameSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";

import { randomHex } from "../digest.ts";
import { codeOf } from "./file-fault.ts";
import { isReadOnlyDatabase, openReadOnlyDatabase } from "./read-only-database.ts";

/**
 * Opens a SQLite file with access for its owner only and creates it if it is missing. `prepare` is called first. A
 * read-only file is opened for reading. A damaged file is renamed and replaced by a new one; `onDamage` gets the name
 * of the old one. Throws errors of the system or SQLite.
 */
export async function openDatabaseFile(
  path: string,
  prepare: (database: DatabaseSync) => void,
  onDamage: (aside: string) => void,
): Promise<DatabaseSync> {
  if (isReadOnlyDatabase(path)) {
    const hasTables = (database: DatabaseSync) => database.prepare("SELECT 1 FROM sqlite_schema").get() !== undefined;
    return openReadOnlyDatabase(path, hasTables, prepare);
  }
  const { DatabaseSync } = await import("node:sqlite");
  const open = () => {
    createFile(path);
    const database = new DatabaseSync(path, { timeout: 5_000 });
    try {
      prepare(database);
      return database;
    } catch (thrown) {
      database.close();
      throw thrown;
    }
  };
  try {
    return open();
  } catch (thrown) {
    if (!isDatabaseDamage(thrown)) throw thrown;
    const aside = `${path}.damaged-${randomHex(4)}`;
    for (const end of ["", "-wal", "-shm"]) move(`${path}${end}`, `${aside}${end}`);
    onDamage(aside);
    return open();
  }
}

/**
 * Turns the write-ahead log on. If several processes create one file, SQLite refuses this switch immediately instead
 * of waiting. So this first waits for a write lock until the other process has finished.
 */
export function switchToWal(database: DatabaseSync): void {
  for (let retries = 20; ; retries--) {
    try {
      database.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (thrown) {
      if (sqliteCode(thrown) !== sqliteBusy || retries === 0) throw thrown;
      database.exec("BEGIN IMMEDIATE; ROLLBACK");
    }
  }
}

const sqliteBusy = 5;

/** Whether SQLite reports that the file is corrupt or not a database. */
export function isDatabaseDamage(thrown: unknown): boolean {
  return [11, 26].includes(sqliteCode(thrown));
}

/** The main error code of SQLite, or 0 for other errors. */
export function sqliteCode(thrown: unknown): number {
  const code = thrown instanceof Error && "errcode" in thrown ? thrown.errcode : undefined;
  return typeof code === "number" ? code & 0xff : 0;
}

/** Creates an empty file for this user only, if it is missing. SQLite gives its helper files the same mode. */
export function createFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (thrown) {
    if (codeOf(thrown) !== "EEXIST") throw thrown;
  }
}

function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT") throw thrown;
  }
}
