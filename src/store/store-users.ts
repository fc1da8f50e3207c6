import { existsSync, rmSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";

import { createFile } from "../base/files/database-file.ts";
import { isBusy } from "./store-fault.ts";

// Every process with an open store shares the lock `PATH.users`; a repair checks whether it could lock it exclusively.
// It is SQLite's lock on an empty database, as in base/files/file-lock.ts: portable, and released when its holder ends.

/**
 * Prevents a repair until it is disposed. Returns undefined if a repair is checking right now. Does nothing on
 * systems without locks.
 */
export async function shareStore(path: string): Promise<Disposable | undefined> {
  return lock(path, "BEGIN; SELECT 1 FROM sqlite_schema");
}

/** Whether any process has opened the store. */
export async function isShared(path: string): Promise<boolean> {
  if (!wasOpened(path)) return false;
  // Without a journal, so that the check creates no file.
  const alone = await lock(path, "PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  alone?.[Symbol.dispose]();
  return alone === undefined;
}

/** Whether the file was ever opened as a store. */
export function wasOpened(path: string): boolean {
  return existsSync(usersOf(path));
}

/** Called before the store is recreated. */
export function forgetOpened(path: string): void {
  rmSync(usersOf(path), { force: true });
}

async function lock(path: string, how: string): Promise<Disposable | undefined> {
  let database: DatabaseSync | undefined;
  try {
    createFile(usersOf(path));
    const { DatabaseSync } = await import("node:sqlite");
    const opened = (database = new DatabaseSync(usersOf(path), { timeout: 0 }));
    opened.exec(how);
    return { [Symbol.dispose]: () => opened.close() };
  } catch (thrown) {
    database?.close();
    return isBusy(thrown) ? undefined : { [Symbol.dispose]: () => {} };
  }
}

/** Only creates the file: closing another handle on it would drop the locks of this process. */
function usersOf(path: string): string {
  return `${path}.users`;
}
