import { rmSync, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";

import { createFile } from "../../base/files/database-file.ts";

/** Application id of the SQLite file: "HerS". */
const applicationId = 0x48657253;
/**
 * The format version. A file with another version is rebuilt. Increase it when the schema or the splitting of texts
 * changes.
 */
const format = 2;

/**
 * Opens the index of texts and titles by their words. It stores no counts or positions, because the texts are in the
 * store and are checked before display. The row id of a text is that of its entry; the row id of a title is that of
 * its session.
 */
const schema = `
  CREATE VIRTUAL TABLE texts USING fts5 (words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii');
  CREATE VIRTUAL TABLE titles USING fts5 (words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii');
  CREATE TABLE facts (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
  INSERT INTO facts VALUES ('place', 0), ('sum', 0), ('sum_place', 0), ('texts', 0), ('erased', 0);
  INSERT INTO texts (texts, rank) VALUES ('hashsize', 33554432);
  INSERT INTO texts (texts, rank) VALUES ('automerge', 8), ('usermerge', 2);
  INSERT INTO titles (titles, rank) VALUES ('usermerge', 2);
  PRAGMA application_id = ${applicationId};
  PRAGMA user_version = ${format};
`;

export interface SearchFile extends Disposable {
  readonly database: DatabaseSync;
  /** Whether the file was deleted or replaced. */
  isGone(): boolean;
}

/** Opens the file for reading. Returns undefined if there is no file of this format. Throws if the file is damaged. */
export async function openToRead(path: string): Promise<SearchFile | undefined> {
  if (!statSync(path, { throwIfNoEntry: false })) return undefined;
  const file = await open(path, true);
  if (isOfFormat(file.database)) return prepared(file);
  file[Symbol.dispose]();
  return undefined;
}

/**
 * Opens the file for writing, in one process at a time. Deletes and rebuilds a damaged file or one of another format.
 */
export async function openToWrite(path: string): Promise<SearchFile> {
  try {
    const file = await open(path, false);
    if (isOfFormat(file.database)) return prepared(file);
    if (isEmpty(file.database)) return prepared(created(file));
    file[Symbol.dispose]();
  } catch (thrown) {
    if (!isBroken(thrown)) throw thrown;
  }
  removeSearchFile(path);
  return prepared(created(await open(path, false)));
}

export function removeSearchFile(path: string): void {
  for (const each of [`${path}-wal`, `${path}-shm`, path]) rmSync(each, { force: true });
}

/** Whether the file itself is damaged, as opposed to a disk error or a temporary error. */
export function isBroken(thrown: unknown): boolean {
  const code = thrown instanceof Error && "errcode" in thrown ? Number(thrown.errcode) : 0;
  // Codes: error (a table is missing or of another program), corrupt, not a database; short read, as without its
  // write-ahead log.
  return [1, 11, 26].includes(code & 0xff) || code === 522;
}

async function open(path: string, isReading: boolean): Promise<SearchFile> {
  const { DatabaseSync } = await import("node:sqlite");
  if (!isReading) create(path);
  // Rejects a pipe: reading it would block the thread, which then could not end.
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false)
    throw new Error(`${path} is not a file; move it away`);
  const database = new DatabaseSync(path, { readOnly: isReading, timeout: 2_000 });
  const inode = inodeOf(path);
  return {
    database,
    isGone: () => inodeOf(path) !== inode,
    [Symbol.dispose]: () => database.close(),
  };
}

function created(file: SearchFile): SearchFile {
  file.database.exec("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL");
  file.database.exec(`BEGIN IMMEDIATE; ${schema} COMMIT`);
  return file;
}

function prepared(file: SearchFile): SearchFile {
  // A power failure may lose recent writes, but they are read from the store again.
  file.database.exec(
    "PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 16777216; PRAGMA secure_delete = FAST; PRAGMA cache_size = -16384",
  );
  file.database.exec("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab (main, texts, row)");
  return file;
}

function isOfFormat(database: DatabaseSync): boolean {
  return pragma(database, "application_id") === applicationId && pragma(database, "user_version") === format;
}

function isEmpty(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
}

function pragma(database: DatabaseSync, name: string): number {
  return Number(database.prepare(`PRAGMA ${name}`).get()?.[name] ?? 0);
}

/**
 * Creates the file, readable only by the owner. Only creates it: closing a handle on a database would drop the locks of
 * this process.
 */
function create(path: string): void {
  // Helper files belong to a deleted database, which another process may still have open.
  if (!statSync(path, { throwIfNoEntry: false })) removeSearchFile(path);
  createFile(path);
}

function inodeOf(path: string): bigint | undefined {
  return statSync(path, { throwIfNoEntry: false, bigint: true })?.ino;
}
