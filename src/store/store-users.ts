import { existsSync, rmSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";

import { createFile } from "../base/files/database-file.ts";
import { isBusy } from "./store-fault.ts";

// Every process with an open store shares the lock `PATH.users`; a repair checks whether it could lock it exclusively.
// It is SQLite's lock on an empty database, as in base/files/file-lock.ts: the system's own, everywhere, and gone with its holder.

/** Until it is disposed no repair begins. Undefined: a repair asks at this moment. Where no lock can be made there is none. */
export async function shareStore(path: string): Promise<Disposable | undefined> {
  return lock(path, "BEGIN; SELECT 1 FROM sqlite_schema");
}

/** Has anybody opened the store, in this process or another? */
export async function isShared(path: string): Promise<boolean> {
  if (!wasOpened(path)) return false;
  const alone = await lock(path, "BEGIN EXCLUSIVE");
  alone?.[Symbol.dispose]();
  return alone === undefined;
}

/** Somebody had this store open, so it was one. */
export function wasOpened(path: string): boolean {
  return existsSync(usersOf(path));
}

/** Before the store is recreated. */
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

/** Only ever creates: closing another handle on it would drop the locks that this process has. */
function usersOf(path: string): string {
  return `${path}.users`;
}
