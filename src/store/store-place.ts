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
  /** The database was opened again: prepared statements and locks are those of a file that is gone. */
  onReopened(): Promise<void>;
}

/**
 * Returns a check that runs after each write: is the file at `path` still the one that is open? SQLite would go on
 * writing to a deleted file, and all of it would be lost at the end. A file that is missing is restored from the open one.
 * Another file in its place stays: the open one is saved beside it, and the check rejects with a `StoreError`.
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
  // The mode of the copy; SQLite fills an empty file.
  createFile(copy);
  try {
    database.prepare("VACUUM INTO ?").run(copy);
    return copy;
  } catch (thrown) {
    rmSync(copy, { force: true });
    throw thrown;
  }
}

/** False: there is another file by now. */
function putBack(copy: string, path: string, database: DatabaseSync): boolean {
  if (existsSync(path)) return false;
  database.close();
  // The copy has what is in them; SQLite would apply them to the new file.
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
  return new StoreError("failed", `${path}: ${what}; end all of Hermes, then move that file to ${path}`);
}
