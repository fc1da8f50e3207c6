import { existsSync, readFileSync, statSync } from "node:fs";
import { copyFile, link, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { takeFileLock } from "../../base/files/file-lock.ts";
import { err, ok, type Result, valueOr } from "../../base/result.ts";
import { forgetWrites } from "../acknowledged-writes.ts";
import { StoreError } from "../store-fault.ts";
import { savedWalPath } from "../wal-damage.ts";

// A repair replaces the store with a new file. `PATH.repair.lock` exists while a repair runs, so that no process opens
// the old file; `PATH.repair` records the plan, so that the next process can finish it after a crash.

/** Prevents every process from opening the store until the lock is disposed. */
export async function startRepair(path: string, clock: Clock, signal: AbortSignal): Promise<Result<Disposable>> {
  const lock = await takeFileLock(planOf(path), { signal, timeoutMs: 0, clock });
  if (!lock.ok) {
    const isBusy = lock.error.code === "ETIMEDOUT";
    return err({ message: isBusy ? `${path} is being repaired already.` : lock.error.message });
  }
  await finishSwap(path);
  await removeUnfinished(path);
  const { rmSync } = process.getBuiltinModule("node:fs");
  return ok({
    [Symbol.dispose]() {
      rmSync(lockOf(path), { force: true });
      lock.value[Symbol.dispose]();
    },
  });
}

/** Called before a store is opened: throws during a repair, and finishes a repair that a crash interrupted. */
export async function finishRepair(path: string, clock: Clock): Promise<void> {
  if (!existsSync(lockOf(path)) && !existsSync(planOf(path))) return;
  const repair = await startRepair(path, clock, new AbortController().signal);
  if (!repair.ok) throw new StoreError("busy", `${path} is being repaired; wait until that is done`);
  repair.value[Symbol.dispose]();
}

export function isBeingRepaired(path: string): boolean {
  return existsSync(lockOf(path));
}

/**
 * Replaces the store, keeps the damaged file next to the new one and returns its name. A store exists at the path at
 * every moment.
 */
export async function replaceStore(path: string, fresh: string, stamp: string): Promise<string> {
  const keptAs = freeName(`${path}.damaged-${stamp}`);
  await sync(fresh);
  await writeFile(planOf(path), JSON.stringify({ fresh, keptAs }), { mode: 0o600, flush: true });
  await sync(dirname(path));
  await finishSwap(path);
  return keptAs;
}

/** Finishes the swap from any point at which it was interrupted. */
async function finishSwap(path: string): Promise<void> {
  const plan = await readFile(planOf(path), "utf8").catch(() => undefined);
  if (plan === undefined) return;
  const { fresh, keptAs } = planIn(plan);
  if (fresh !== undefined && keptAs !== undefined && existsSync(fresh)) {
    if (existsSync(path) && !existsSync(keptAs)) await keep(path, keptAs);
    // The log is moved before the new file is put in place: SQLite would apply the old log to the new file.
    const written = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    if (written > 0) await rename(`${path}-wal`, `${keptAs}-wal`);
    for (const old of [`${path}-wal`, savedWalPath(path), `${path}-shm`]) await rm(old, { force: true });
    // The record is removed, because the new file counts its writes from the start.
    forgetWrites(path);
    await sync(dirname(path));
    await rename(fresh, path);
    await sync(dirname(path));
  }
  await rm(planOf(path), { force: true });
}

/** Removes new files of killed repairs. */
async function removeUnfinished(path: string): Promise<void> {
  const names = await readdir(dirname(path)).catch(() => []);
  const isOurs = (name: string) => name.startsWith(basename(newStorePath(path, "")));
  for (const name of names.filter(isOurs)) await rm(join(dirname(path), name), { force: true });
}

/** Processes that have the store open, if the system reports them. */
export function pidsHolding(path: string): readonly number[] {
  try {
    const { ino } = statSync(path);
    const locks = readFileSync("/proc/locks", "utf8");
    const held = new RegExp(`POSIX +ADVISORY +(?:READ|WRITE) +(\\d+) [0-9a-f]+:[0-9a-f]+:${ino} `, "gu");
    return [...new Set(Array.from(locks.matchAll(held), ([, pid]) => Number(pid)))];
  } catch {
    return [];
  }
}

async function keep(path: string, keptAs: string): Promise<void> {
  try {
    await link(path, keptAs);
  } catch {
    await copyFile(path, keptAs);
    await sync(keptAs);
  }
}

function planIn(text: string): { readonly fresh?: string; readonly keptAs?: string } {
  // An incomplete plan means that the swap had not started.
  return valueOr(() => JSON.parse(text), {});
}

async function sync(path: string): Promise<void> {
  await using handle = await open(path, "r");
  await handle.sync();
}

function freeName(name: string): string {
  if (!existsSync(name)) return name;
  for (let number = 2; ; number++) if (!existsSync(`${name}-${number}`)) return `${name}-${number}`;
}

/** The path of the new file during a repair. */
export function newStorePath(path: string, stamp: string): string {
  return `${path}.new-${stamp}`;
}

function planOf(path: string): string {
  return `${path}.repair`;
}

function lockOf(path: string): string {
  return `${planOf(path)}.lock`;
}
