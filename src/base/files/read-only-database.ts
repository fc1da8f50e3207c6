import { accessSync, chmodSync, constants, copyFileSync, existsSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";

import { valueOr } from "../result.ts";
import { makeTempFolder } from "./temp-folder.ts";

/**
 * Whether a database exists that this user can read but not write. SQLite also writes helper files, so its folder
 * must be writable too.
 */
export function isReadOnlyDatabase(path: string): boolean {
  const canWrite = (each: string) => valueOr(() => (accessSync(each, constants.W_OK), true), false);
  return existsSync(path) && !(canWrite(path) && canWrite(dirname(path)));
}

/**
 * Opens a read-only database for reading and creates no file next to it. If the write-ahead log has unapplied writes,
 * or the database has an older version, a temporary copy is read, which `prepare` updates.
 */
export async function openReadOnlyDatabase(
  path: string,
  isCurrent: (database: DatabaseSync) => boolean,
  prepare: (database: DatabaseSync) => void,
): Promise<DatabaseSync> {
  const { DatabaseSync } = await import("node:sqlite");
  const hasLog = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  const opened = hasLog ? undefined : await openImmutable(path);
  if (opened && isCurrent(opened)) return opened;
  opened?.close();
  const folder = makeTempFolder(tmpdir(), "store");
  try {
    const copy = join(folder, "sessions.db");
    for (const suffix of hasLog ? ["", "-wal"] : [""]) {
      copyFileSync(path + suffix, copy + suffix);
      chmodSync(copy + suffix, 0o600);
    }
    {
      using database = new DatabaseSync(copy);
      prepare(database);
    }
    const database = await openImmutable(copy);
    // The file is opened now, so that it stays readable if its folder disappears.
    database.prepare("SELECT count(*) FROM sqlite_schema").get();
    return database;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Opens a database that nobody writes to and that has no write-ahead log, without creating a file next to it. */
export async function openImmutable(path: string): Promise<DatabaseSync> {
  const { DatabaseSync } = await import("node:sqlite");
  const url = pathToFileURL(path);
  url.searchParams.set("immutable", "1");
  return new DatabaseSync(url, { readOnly: true });
}
