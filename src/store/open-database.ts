import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";

import { createFile, switchToWal } from "../base/files/database-file.ts";
import { isReadOnlyDatabase, openReadOnlyDatabase } from "../base/files/read-only-database.ts";
import { forgetWrites } from "./acknowledged-writes.ts";
import { applicationId, migrations } from "./schema.ts";
import { StoreError, storeError } from "./store-fault.ts";
import { forgetOpened, wasOpened } from "./store-users.ts";
import { hasFrames, keepWalOnClose, isWalHeaderDamaged, lostCommits, restoreWal } from "./wal-damage.ts";

/**
 * Opens the file, creates it if it is missing, and migrates it to the newest version. Throws a `StoreError`. A file
 * of a newer version, of another program, or with lost data stays unchanged. A read-only file is opened for reading.
 * `say` receives a message if the store disappeared.
 */
export async function openDatabase(path: string, say: (sentence: string) => void): Promise<DatabaseSync> {
  const { DatabaseSync } = await import("node:sqlite");
  let database: DatabaseSync | undefined;
  try {
    if (isReadOnlyDatabase(path)) return await openForReading(path);
    restoreWal(path);
    refuseEmptied(path);
    if (isWalHeaderDamaged(path)) throw unreadWrites(path, "writes that were not yet in the store are");
    if (!existsSync(path)) {
      if (wasOpened(path)) say(`${path} is missing; created a new, empty store`);
      forgetOpened(path);
      forgetWrites(path);
    }
    createFile(path);
    database = new DatabaseSync(path, { timeout: openingMs });
    refuseWithoutLog(database, path);
    prepareStore(database, path);
    const lost = lostCommits(database, path);
    if (lost === 0) return database;
    keepWalOnClose(path);
    throw unreadWrites(path, `at least the last ${lost} writes of a program that crashed are`);
  } catch (thrown) {
    database?.close();
    restoreWal(path);
    const error = storeError(thrown, path);
    throw error.kind === "not_a_store" && isZeroed(path) ? zeroed(path) : error;
  }
}

const openingMs = 5_000;

/** Opens a read-only store at the newest version. Throws errors of SQLite or a `StoreError`. */
export function openForReading(path: string): Promise<DatabaseSync> {
  const isCurrent = (database: DatabaseSync) =>
    pragma(database, "application_id") === applicationId && pragma(database, "user_version") === migrations.length;
  return openReadOnlyDatabase(path, isCurrent, (database) => prepareStore(database, path));
}

/**
 * SQLite treats an empty file as a new database and deletes the write-ahead log beside it, so the log is checked first.
 * Another process may just be creating both files, the database first.
 */
function refuseEmptied(path: string): void {
  const written = sizeOf(`${path}-wal`) ?? 0;
  if (written > 0 && (sizeOf(path) ?? 0) === 0) {
    const what = "the store is missing or empty, but its write-ahead log still exists";
    throw new StoreError("damaged", `${path}: ${what}; restore the store file, or run: hermes sessions repair`);
  }
  const isEmptied = () => wasOpened(path) && sizeOf(path) === 0;
  // Checks twice, because another process may be recreating the file.
  if (isEmptied() && isEmptied()) {
    const what = "the store is empty, but it contained sessions";
    throw new StoreError("damaged", `${path}: ${what}; restore a copy, or delete it to start with an empty store`);
  }
}

/** SQLite treats an empty or missing write-ahead log as a log whose writes are all in the store. */
function refuseWithoutLog(database: DatabaseSync, path: string): void {
  const { isOurs, isEmpty } = readIdentity(database);
  const missing = !hasFrames(path) && (isOurs || isEmpty) ? lostCommits(database, path) : 0;
  if (missing === 0) return;
  const what = `its write-ahead log was emptied or deleted, or an older copy of the store took its place: the last ${missing === 1 ? "write is" : `${missing} writes are`} missing`;
  throw new StoreError(
    "damaged",
    `${path}: ${what}; restore the log file, or continue with the last good state: hermes sessions repair`,
  );
}

/** SQLite would overwrite these writes, but a repair can read them. */
function unreadWrites(path: string, which: string): StoreError {
  const what = `its write-ahead log is damaged; ${which} not recovered`;
  return new StoreError("damaged", `${path}: ${what}; stop all Hermes processes, then run: hermes sessions repair`);
}

/**
 * Configures the database. The file is readable only by the owner, and SQLite gives its helper files the same mode.
 * Only creates the file: closing a handle on a database would drop the locks of this process.
 */
export function prepareStore(database: DatabaseSync, path: string): void {
  const { version, isOurs, isEmpty } = readIdentity(database);
  refuseNewer(version, path);
  if (!isOurs && (version > 0 || !isEmpty)) {
    throw new StoreError(
      "not_a_store",
      `${path}: this file is not a session store; move it to another folder and retry`,
    );
  }
  // Allows freeing deleted space in small steps. SQLite fixes this setting with the first page.
  if (!isOurs) database.exec("PRAGMA auto_vacuum = INCREMENTAL");
  switchToWal(database);
  database.exec(
    "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON; PRAGMA journal_size_limit = 16777216",
  );
  if (version < migrations.length) migrate(database);
  // From here on, SQLite never waits for a lock, because waiting would block the whole process.
  database.exec("PRAGMA busy_timeout = 0");
}

/** Reads all three values in one transaction, because another process may be creating the same store. */
function readIdentity(database: DatabaseSync): { version: number; isOurs: boolean; isEmpty: boolean } {
  database.exec("BEGIN");
  try {
    return {
      version: pragma(database, "user_version"),
      isOurs: pragma(database, "application_id") === applicationId,
      isEmpty: !hasTables(database),
    };
  } finally {
    if (database.isTransaction) database.exec("COMMIT");
  }
}

/** Rejects a newer store, because its content could be misread or lost. */
export function refuseNewer(version: number, path: string): void {
  if (version <= migrations.length) return;
  const what = `a newer Hermes wrote this file (file version ${version}, this Hermes supports ${migrations.length})`;
  throw new StoreError("newer", `${path}: ${what}; update this Hermes, or set HERMES_HOME to another folder`);
}

function migrate(database: DatabaseSync): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have migrated the store already.
    for (const step of migrations.slice(pragma(database, "user_version"))) database.exec(step);
    database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}; COMMIT`);
  } catch (thrown) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw thrown;
  }
}

function pragma(database: DatabaseSync, name: string): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name] ?? 0);
}

function hasTables(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() !== undefined;
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}

/** Only for a file that SQLite rejects as a database, so this process holds no lock that closing could drop. */
function isZeroed(path: string): boolean {
  try {
    const file = openSync(path, "r");
    const head = Buffer.alloc(16);
    const read = readSync(file, head);
    closeSync(file);
    return read > 0 && head.every((byte) => byte === 0);
  } catch {
    return false;
  }
}

function zeroed(path: string): StoreError {
  const what = "its beginning was overwritten with zeros; stop all Hermes processes, then run: hermes sessions repair";
  return new StoreError("damaged", `${path}: ${what}`);
}
