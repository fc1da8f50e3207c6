import type { DatabaseSync } from "node:sqlite";

import { openDatabaseFile, switchToWal } from "../base/files/database-file.ts";

/**
 * Opens or creates the record file of one workspace. A damaged file is renamed and replaced by a new one, and `say`
 * receives a message. Throws the errors of the system or SQLite.
 */
export function openRootDatabase(path: string, say: (sentence: string) => void): Promise<DatabaseSync> {
  return openDatabaseFile(
    path,
    (database) => prepare(database, path),
    (aside) =>
      say(`The file checkpoints in ${path} are damaged. They were moved to ${aside}, and Hermes started a new file.`),
  );
}

/** Opens the store read-only and never creates it. Returns undefined if it does not exist or cannot be read. */
export async function readRootDatabase(path: string): Promise<DatabaseSync | undefined> {
  const { DatabaseSync } = await import("node:sqlite");
  try {
    const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
    if (versionOf(database) === version) return database;
    database.close();
    return undefined;
  } catch {
    return undefined;
  }
}

const version = 1;

/** `states` has the last known state of each path; `changes` has the old and new state per record. */
const schema = `
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE objects (hash TEXT PRIMARY KEY, form INTEGER NOT NULL, bytes INTEGER NOT NULL, data BLOB NOT NULL) STRICT;
CREATE TABLE states (path TEXT PRIMARY KEY, stamp TEXT NOT NULL, state TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE records (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, at INTEGER NOT NULL,
  session TEXT, turn TEXT, call TEXT, tool TEXT, label TEXT NOT NULL, name TEXT,
  scope TEXT NOT NULL, open INTEGER NOT NULL, pid INTEGER NOT NULL, notes TEXT NOT NULL
) STRICT;
CREATE TABLE changes (
  seq INTEGER NOT NULL, path TEXT NOT NULL, before TEXT NOT NULL, after TEXT NOT NULL, unsure INTEGER NOT NULL,
  PRIMARY KEY (seq, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX changes_of_path ON changes (path, seq);
CREATE INDEX records_open ON records (open) WHERE open = 1;
`;

function prepare(database: DatabaseSync, path: string): void {
  const result = versionOf(database);
  if (result > version) throw new Error(`${path} was written by a newer version of Hermes; use that version`);
  if (result === 0) database.exec("PRAGMA auto_vacuum = INCREMENTAL");
  switchToWal(database);
  database.exec(
    "PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 4194304; PRAGMA secure_delete = ON; PRAGMA cache_size = -4096",
  );
  if (result === 0) {
    database.exec("BEGIN IMMEDIATE");
    // Another process may have created them meanwhile.
    if (versionOf(database) === 0) database.exec(`${schema} PRAGMA user_version = ${version};`);
    database.exec("COMMIT");
  }
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.["user_version"] ?? 0);
}
