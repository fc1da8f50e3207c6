import { statSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";

import type { Clock } from "../base/clock.ts";
import { sha256 } from "../base/digest.ts";
import { isDatabaseDamage } from "../base/files/database-file.ts";
import { describeFault } from "../base/files/file-fault.ts";
import { takeFileLock } from "../base/files/file-lock.ts";
import { makeFolder } from "../base/files/make-folder.ts";
import { isReadOnlyDatabase } from "../base/files/read-only-database.ts";
import type { Logger } from "../base/log/log.ts";
import { err, reasonOf, type Result } from "../base/result.ts";
import { createRecordStore, type RecordStore } from "./record-store.ts";
import { openRootDatabase } from "./root-database.ts";

/** The locked record of one workspace. */
export interface LockedRoot {
  readonly database: DatabaseSync;
  readonly store: RecordStore;
  readonly file: string;
  /** The Hermes home is read-only, so only existing records can be read. */
  readonly isReadOnly: boolean;
}

/** Serializes access across processes. Opens the database on first use. */
export interface RootAccess extends AsyncDisposable {
  /** Whether anything was ever recorded. */
  exists(): boolean;
  held<T>(work: (root: LockedRoot) => Promise<Result<T>>, signal: AbortSignal): Promise<Result<T>>;
}

export interface AccessParts {
  /** The folder with the records of all workspaces. */
  readonly folder: string;
  /** Identifies the workspace: its backend, such as `local`, and its path. */
  readonly backend: string;
  readonly root: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly say: (sentence: string) => void;
}

function rootFileName(backend: string, root: string): string {
  return `${sha256(`${backend}\n${root}`).slice(0, 16)}.db`;
}

export function openRootAccess({ folder, backend, root, clock, log, say }: AccessParts): RootAccess {
  const file = join(folder, rootFileName(backend, root));
  let opened: (LockedRoot & { readonly inode: number }) | undefined;
  let last: Promise<unknown> = Promise.resolve();

  /** Another process may have deleted the file to stay below the size limit. */
  async function open(): Promise<LockedRoot> {
    if (opened && statSync(file, { throwIfNoEntry: false })?.ino === opened.inode) return opened;
    close();
    const database = await openRootDatabase(file, say);
    const isReadOnly = isReadOnlyDatabase(file);
    if (!isReadOnly)
      database
        .prepare("INSERT OR REPLACE INTO about (key, value) VALUES ('root', ?), ('backend', ?)")
        .run(root, backend);
    opened = { database, store: createRecordStore(database), file, isReadOnly, inode: statSync(file).ino };
    return opened;
  }

  function close(): void {
    opened?.database.close();
    opened = undefined;
  }

  async function alone<T>(work: (root: LockedRoot) => Promise<Result<T>>, signal: AbortSignal): Promise<Result<T>> {
    try {
      if (isReadOnlyDatabase(file)) return await work(await open());
      await makeFolder(folder, 0o700);
      const lock = await takeFileLock(file, { signal, timeoutMs: lockMs, clock });
      if (!lock.ok) return lock;
      using _lock = lock.value;
      return await work(await open());
    } catch (thrown) {
      log.error("checkpoint.failed", {
        root,
        error: thrown instanceof Error ? (thrown.stack ?? "") : reasonOf(thrown),
      });
      // The next open detects the damage and starts a new file.
      if (isDatabaseDamage(thrown)) close();
      return err({ message: faultText(thrown, file) });
    }
  }

  return {
    exists: () => statSync(file, { throwIfNoEntry: false }) !== undefined,
    held(work, signal) {
      const done = last.then(() => alone(work, signal));
      last = done;
      return done;
    },
    async [Symbol.asyncDispose]() {
      await last;
      close();
    },
  };
}

const lockMs = 60_000;

function faultText(thrown: unknown, file: string): string {
  const isFull = thrown instanceof Error && "errcode" in thrown && thrown.errcode === 13;
  return isFull
    ? `${file}: the disk is full; free some space, or turn checkpoints off: hermes config set checkpoints.enabled false`
    : describeFault(thrown, file).message;
}
