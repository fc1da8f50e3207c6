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
 * The `state.db` of the Python original, to read. Nothing beside it is created or changed: SQLite itself would write a
 * helper file next to a database with a write-ahead file, so such a one is read from a copy.
 */
export async function openOriginal(path: string): Promise<Result<OriginalDatabase>> {
  if (!existsSync(path)) return err({ message: `${path} is not there` });
  const { DatabaseSync } = await import("node:sqlite");
  const folder = isWritten(path) ? makeTempFolder(tmpdir(), "import") : undefined;
  const clean = () => folder !== undefined && rmSync(folder, { recursive: true, force: true });
  let why = "";
  // The original may be writing right now: then a copy is torn, and another one is made.
  for (let attempt = 0; attempt < (folder === undefined ? 1 : copies); attempt++) {
    let database: DatabaseSync | undefined;
    try {
      database = new DatabaseSync(folder === undefined ? inPlace(path) : copied(path, folder), { readOnly: true });
      const version = versionOf(database);
      if (version === undefined) {
        database.close();
        clean();
        return err({ message: `${path} is not a session store of Hermes in Python` });
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

/** Its writes are not yet in the main file. */
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
  // A torn copy shows here rather than in the middle.
  database.prepare("SELECT count(*) FROM messages").get();
  return Number(database.prepare("SELECT max(version) AS version FROM schema_version").get()?.["version"] ?? 0);
}
