import { existsSync, linkSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";

import { createFile } from "../base/files/database-file.ts";
import { codeOf } from "../base/files/file-fault.ts";
import { fileIdentity } from "../base/files/file-lock.ts";
import { makeFolderSync } from "../base/files/make-folder.ts";
import { prepareStore } from "./open-database.ts";
import { StoreError, storeError } from "./store-fault.ts";

interface StorePlaceDeps {
  readonly say: (sentence: string) => void;
  /** Called after the database was reopened: prepared statements and locks belong to the deleted file. */
  onReopened(): Promise<void>;
}

/**
 * Returns a check that runs after each write: whether the file at `path` is still the open one. SQLite would continue
 * to write to a deleted file, and all data would be lost at exit. The check restores a missing file from the open
 * database. If another file has replaced it, the check saves the open database beside that file and rejects with a
 * `StoreError`.
 */
export function watchStoreFile(path: string, database: DatabaseSync, deps: StorePlaceDeps): () => Promise<void> {
  let identity = fileIdentity(path);
  let fault: StoreError | undefined;

  return async () => {
    if (fault) throw fault;
    if (fileIdentity(path) === identity) return;
    try {
      const copy = saveCopy(path, database);
      if (!putBack(copy, path, database)) throw (fault = replaced(path, copy));
    } catch (thrown) {
      throw storeError(thrown, path);
    }
    identity = fileIdentity(path);
    await deps.onReopened();
    deps.say(`${path} was deleted or moved while it was open. It was restored with all sessions in it.`);
  };
}

function saveCopy(path: string, database: DatabaseSync): string {
  makeFolderSync(dirname(path), 0o700);
  let copy = `${path}.recovered-1`;
  for (let number = 2; existsSync(copy); number++) copy = `${path}.recovered-${number}`;
  // Sets the mode of the copy; SQLite fills an existing empty file.
  createFile(copy);
  try {
    database.prepare("VACUUM INTO ?").run(copy);
    return copy;
  } catch (thrown) {
    rmSync(copy, { force: true });
    throw thrown;
  }
}

/** False if another file exists at the path. */
function putBack(copy: string, path: string, database: DatabaseSync): boolean {
  if (existsSync(path)) return false;
  database.close();
  // The copy contains the data of these files, and SQLite would apply them to the new file.
  for (const suffix of ["-wal", "-shm"]) rmSync(path + suffix, { force: true });
  // A rename would replace a file that another process created at this moment.
  if (!isLinked(copy, path)) return false;
  rmSync(copy);
  database.open();
  prepareStore(database, path);
  return true;
}

function isLinked(copy: string, path: string): boolean {
  try {
    linkSync(copy, path);
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === "EEXIST") return false;
    throw thrown;
  }
}

function replaced(path: string, copy: string): StoreError {
  const what = `another file took its place while it was open. All sessions up to now, with this one, are in ${copy}`;
  return new StoreError("failed", `${path}: ${what}; stop all Hermes processes, then move that file to ${path}`);
}
