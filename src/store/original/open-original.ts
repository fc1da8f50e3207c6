import { constants, copyFileSync, existsSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";

import { makeTempFolder } from "../../base/files/temp-folder.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";

export interface OriginalDatabase extends Disposable {
  readonly database: DatabaseSync;
  readonly version: number;
}

/**
 * Opens the `state.db` of Python Hermes for reading. Creates and changes nothing next to it: SQLite would write a
 * helper file next to a database with a write-ahead log, so such a database is read from a copy.
 */
export async function openOriginal(path: string): Promise<Result<OriginalDatabase>> {
  if (!existsSync(path)) return err({ message: `${path} does not exist, so this is not a home of Hermes in Python.` });
  const { DatabaseSync } = await import("node:sqlite");
  const folder = isWritten(path) ? makeTempFolder(tmpdir(), "import") : undefined;
  const clean = () => folder !== undefined && rmSync(folder, { recursive: true, force: true });
  let why = "";
  // Python Hermes may be writing now. Then the copy is inconsistent, and another copy is made.
  for (let attempt = 0; attempt < (folder === undefined ? 1 : copies); attempt++) {
    let database: DatabaseSync | undefined;
    try {
      database = new DatabaseSync(folder === undefined ? inPlace(path) : copied(path, folder), { readOnly: true });
      const version = versionOf(database);
      if (version === undefined) {
        database.close();
        clean();
        return err({ message: `${path} is not a session store of Python Hermes` });
      }
      const opened = database;
      return ok({
        database: opened,
        version,
        [Symbol.dispose]() {
          opened.close();
          clean();
        },
      });
    } catch (thrown) {
      if (database?.isOpen) database.close();
      why = reasonOf(thrown);
    }
  }
  clean();
  return err({ message: `${path} cannot be read: ${why}. Stop the programs that use it and try again.` });
}

const copies = 3;

/** Whether some writes are only in the write-ahead log. */
function isWritten(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function inPlace(path: string): URL {
  const url = pathToFileURL(path);
  url.searchParams.set("immutable", "1");
  return url;
}

function copied(path: string, folder: string): string {
  const copy = join(folder, "state.db");
  rmSync(`${copy}-shm`, { force: true });
  copyFileSync(path, copy, constants.COPYFILE_FICLONE);
  copyFileSync(`${path}-wal`, `${copy}-wal`, constants.COPYFILE_FICLONE);
  return copy;
}

function versionOf(database: DatabaseSync): number | undefined {
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const names = new Set(tables.map(({ name }) => name));
  if (!["schema_version", "sessions", "messages"].every((name) => names.has(name))) return undefined;
  // Detects an inconsistent copy now instead of later.
  database.prepare("SELECT count(*) FROM messages").get();
  return Number(database.prepare("SELECT max(version) AS version FROM schema_version").get()?.["version"] ?? 0);
}
