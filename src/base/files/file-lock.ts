import { closeSync, constants, existsSync, openSync, statSync } from "node:fs";
import { access, readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";

import { sleep } from "../async/abort.ts";
import type { Clock } from "../clock.ts";
import { randomHex } from "../digest.ts";
import { stoppedHint } from "../process/stopped-process.ts";
import { err, ok, type Result } from "../result.ts";
import { codeOf, describeFault, FileError, type FileFault } from "./file-fault.ts";

export interface LockOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** Runs a function while no other process or caller holds `path + ".lock"`: see `takeFileLock`. */
export async function withFileLock<T>(
  path: string,
  run: () => Promise<T>,
  options: LockOptions,
): Promise<Result<T, FileFault>> {
  const lockTaken = await takeFileLock(path, options);
  if (!lockTaken.ok) return lockTaken;
  using _lock = lockTaken.value;
  return ok(await run());
}

/**
 * Takes the lock `path + ".lock"` and holds it until it is disposed. The system releases the lock of a dead holder,
 * so locks never become stale. Code `ETIMEDOUT`: another process held it too long, and the message names it;
 * `ABORT_ERR`: the signal was aborted. Not reentrant: taking a held lock again deadlocks.
 */
export async function takeFileLock(path: string, options: LockOptions): Promise<Result<Disposable, FileFault>> {
  const lock = `${path}.lock`;
  const opened = await openLock(lock);
  if (!opened.ok) return opened;
  const database = opened.value;
  // Closing the database ends the transaction and releases the lock.
  const lockTaken = await take(database, lock, options).catch((thrown: unknown) => {
    database.close();
    throw thrown;
  });
  if (lockTaken.ok) return ok({ [Symbol.dispose]: () => database.close() });
  database.close();
  return lockTaken;
}

/** A lock for frequent use, whose file stays open between uses. */
export interface FileLock {
  /** Like `withFileLock`. */
  hold<T>(run: () => Promise<T>, options: LockOptions): Promise<Result<T, FileFault>>;
}

/** Opening the lock file takes longer than locking it, so it stays open for a while. */
export function createFileLock(path: string): FileLock {
  const lock = `${path}.lock`;
  /** An open, unused database. */
  let idle: { readonly database: DatabaseSync; readonly file: string; readonly closing: Disposable } | undefined;

  async function open(): Promise<Result<{ readonly database: DatabaseSync; readonly file: string }, FileFault>> {
    const { database, file, closing } = idle ?? {};
    idle = undefined;
    closing?.[Symbol.dispose]();
    // The lock file may have been replaced, and other processes would lock the new file.
    if (database && file === fileIdentity(lock)) return ok({ database, file });
    database?.close();
    const opened = await openLock(lock);
    return opened.ok ? ok({ database: opened.value, file: fileIdentity(lock) }) : opened;
  }

  function release(database: DatabaseSync, file: string, clock: Clock): void {
    if (idle || file === "") return database.close();
    database.exec("ROLLBACK");
    const close = () => {
      idle = undefined;
      database.close();
    };
    idle = { database, file, closing: clock.after(idleMs, close) };
  }

  return {
    async hold(run, options) {
      const opened = await open();
      if (!opened.ok) return opened;
      const { database, file } = opened.value;
      const lockTaken = await take(database, lock, options).catch((thrown: unknown) => {
        database.close();
        throw thrown;
      });
      if (!lockTaken.ok) {
        database.close();
        return lockTaken;
      }
      using _lock = { [Symbol.dispose]: () => release(database, file, options.clock) };
      return ok(await run());
    },
  };
}

const idleMs = 1_000;

/** Identifies the file; an open file keeps its inode. Empty if there is no file. */
export function fileIdentity(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats ? `${stats.dev} ${stats.ino}` : "";
}

async function openLock(lock: string): Promise<Result<DatabaseSync, FileFault>> {
  try {
    create(lock);
    // Not a static import, which would add a module hop to every start.
    const sqlite = process.getBuiltinModule("node:sqlite");
    const database = new sqlite.DatabaseSync(lock, { timeout: 0 });
    // Nothing is ever written to the database, so it needs no journal on disk.
    database.exec("PRAGMA journal_mode = MEMORY");
    return ok(database);
  } catch (error) {
    return err(await faultOf(error, lock));
  }
}

/**
 * Only creates the file, synchronously: a handle on an existing lock file must not be closed in this process, and no
 * other caller here may take the lock while this one is open.
 */
function create(lock: string): void {
  // Checking whether the file exists is cheaper than an error.
  if (existsSync(lock)) return;
  try {
    closeSync(openSync(lock, "wx", 0o600));
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
}

async function take(
  database: DatabaseSync,
  lock: string,
  { signal, timeoutMs, clock }: LockOptions,
): Promise<Result<void, FileFault>> {
  const startedAt = clock.elapsed();
  for (;;) {
    if (signal.aborted) return interrupted(lock);
    try {
      database.exec("BEGIN IMMEDIATE");
      return ok(undefined);
    } catch (error) {
      if (!isBusy(error)) return err(await faultOf(error, lock));
    }
    const waitedMs = clock.elapsed() - startedAt;
    const leftMs = timeoutMs - waitedMs;
    if (leftMs <= 0) return err({ code: "ETIMEDOUT", message: await timedOut(lock, timeoutMs) });
    try {
      // Longer waits poll more often, so that no waiter starves; random delays keep waiters from polling in step.
      const pauseMs = Math.max(minWaitMs, maxWaitMs - waitedMs / 200) * (0.5 + Number.parseInt(randomHex(1), 16) / 256);
      await sleep(Math.min(leftMs, pauseMs), signal, clock);
    } catch {
      return interrupted(lock);
    }
  }
}

function interrupted(lock: string): Result<never, FileFault> {
  return err({ code: "ABORT_ERR", message: `waiting for ${lock} was interrupted` });
}

async function timedOut(lock: string, timeoutMs: number): Promise<string> {
  const pid = await holderOf(lock);
  const holder = pid === undefined ? "another process" : pid === process.pid ? "this process" : `process ${pid}`;
  const advice = stoppedHint(pid) || "; wait for it to finish or end it, then try again";
  return `${lock} was still held by ${holder} after ${timeoutMs} ms${advice}`;
}

/** Linux lists the holders of locks; other systems do not. */
async function holderOf(lock: string): Promise<number | undefined> {
  try {
    const { ino } = await stat(lock);
    const locks = await readFile("/proc/locks", "utf8");
    const pid = new RegExp(`POSIX +ADVISORY +WRITE +(\\d+) [0-9a-f]+:[0-9a-f]+:${ino} `, "u").exec(locks)?.[1];
    // Zero means a process in another container, which this process cannot see.
    return Number(pid) || undefined;
  } catch {
    return undefined;
  }
}

/** SQLite reports little about a file error; the system reports more. */
async function faultOf(error: unknown, lock: string): Promise<FileFault> {
  if (codeOf(error) !== "ERR_SQLITE_ERROR") {
    // The folder does not accept new files.
    const isRefused = ["EACCES", "EPERM", "EROFS"].includes(codeOf(error));
    return describeFault(error, isRefused ? dirname(lock) : lock);
  }
  if (sqliteCode(error) === sqliteFull) return describeFault(new FileError("ENOSPC"), lock);
  try {
    const stats = await stat(lock);
    if (stats.isDirectory()) throw new FileError("EISDIR");
    if (!stats.isFile()) throw new FileError("EFTYPE");
    await access(lock, constants.R_OK | constants.W_OK);
    // The file belongs to another user.
    if (stats.size > 0) throw new FileError("EEXIST");
    return describeFault(error, lock);
  } catch (cause) {
    return describeFault(cause, lock);
  }
}

function isBusy(error: unknown): boolean {
  return [sqliteBusy, sqliteLocked].includes(sqliteCode(error));
}

/** The primary result code of SQLite, or 0 if there is none. */
function sqliteCode(error: unknown): number {
  const errcode = error instanceof Error && "errcode" in error ? error.errcode : undefined;
  return typeof errcode === "number" ? errcode & 0xff : 0;
}

const minWaitMs = 1;
const maxWaitMs = 20;
const sqliteBusy = 5;
const sqliteLocked = 6;
const sqliteFull = 13;
