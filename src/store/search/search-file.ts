import { rmSync, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";

import { createFile } from "../../base/files/database-file.ts";

/** Application id of the SQLite file: "HerS". */
const applicationId = 0x48657253;
/** A file of another format is rebuilt. Change it with the schema and with the way texts are split. */
const format = 2;

/**
 * Texts and titles by their words: only which words, neither count nor position, because the texts are in the store and
 * are checked before display. The row id of a text is that of its entry, the row id of a title is the number of its
 * session.
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
  /** The file was deleted or replaced. */
  isGone(): boolean;
}

/** For reading. Undefined: there is no file of this format. Throws if it is damaged. */
export async function openToRead(path: string): Promise<SearchFile | undefined> {
  if (!statSync(path, { throwIfNoEntry: false })) return undefined;
  const file = await open(path, true);
  if (isOfFormat(file.database)) return prepared(file);
  file[Symbol.dispose]();
  return undefined;
}

/** To write, by one program alone at a time. A damaged file or one of another format is deleted and rebuilt. */
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

/** The file itself is damaged, as opposed to a disk error or a temporary one. */
export function isBroken(thrown: unknown): boolean {
  const code = thrown instanceof Error && "errcode" in thrown ? Number(thrown.errcode) : 0;
  // Error (a table is missing or is not one of ours), damaged, not a database; cut off, as without its write-ahead file.
  return [1, 11, 26].includes(code & 0xff) || code === 522;
}

async function open(path: string, isReading: boolean): Promise<SearchFile> {
  const { DatabaseSync } = await import("node:sqlite");
  if (!isReading) create(path);
  // A pipe would be waited for, by a thread that then cannot be ended.
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
  // Writes that a machine crash loses are read from the store again.
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

/** Readable only by the owner. Only creates: closing a handle on a database would drop the locks on it. */
function create(path: string): void {
  // Helper files belong to a deleted database, which may still be open in another program.
  if (!statSync(path, { throwIfNoEntry: false })) removeSearchFile(path);
  createFile(path);
}

function inodeOf(path: string): bigint | undefined {
  return statSync(path, { throwIfNoEntry: false, bigint: true })?.ino;
}
