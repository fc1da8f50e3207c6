import { readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import type { Clock } from "../clock.ts";
import { withFileLock } from "../files/file-lock.ts";

export interface LogLimits {
  /** A file that would grow beyond this is put aside. */
  readonly maxFileBytes: number;
  /** All files together; the oldest go first. */
  readonly maxTotalBytes: number;
}

/**
 * Puts `name.jsonl` aside as `name.1.jsonl` when `addBytes` more would be too many, numbers the older ones up, and
 * removes the oldest beyond the total. Several processes may call it at once: one does it. Never rejects; what could not
 * be done is done by the next process.
 */
export async function makeRoom(
  path: string,
  addBytes: number,
  limits: LogLimits,
  wait: { readonly signal: AbortSignal; readonly clock: Clock },
): Promise<void> {
  try {
    const plan = async () => planFor(await logFiles(path), addBytes, limits);
    if (isEmpty(await plan())) return;
    // Another process may have been faster, so it plans again.
    await withFileLock(path, async () => carryOut(await plan(), path), { ...wait, timeoutMs: 1_000 });
  } catch {
    // The next batch tries again.
  }
}

interface LogFile {
  /** 0: the one that is written. */
  readonly number: number;
  readonly bytes: number;
}

interface Plan {
  readonly remove: readonly LogFile[];
  /** Oldest first, so that no rename hits a file. */
  readonly renumber: readonly LogFile[];
}

function planFor(files: readonly LogFile[], addBytes: number, limits: LogLimits): Plan {
  const current = files.find(({ number }) => number === 0)?.bytes ?? 0;
  const isFull = current > 0 && current + addBytes > limits.maxFileBytes;
  const remove: LogFile[] = [];
  const renumber: LogFile[] = [];
  let bytes = limits.maxFileBytes;
  for (const file of files) {
    if (file.number === 0 && !isFull) continue;
    bytes += file.bytes;
    if (bytes > limits.maxTotalBytes) remove.push(file);
    else if (isFull) renumber.unshift(file);
  }
  return { remove, renumber };
}

function isEmpty(plan: Plan): boolean {
  return plan.remove.length === 0 && plan.renumber.length === 0;
}

async function carryOut({ remove, renumber }: Plan, path: string): Promise<void> {
  for (const { number } of remove) await rm(numbered(path, number), { force: true });
  for (const { number } of renumber) await rename(numbered(path, number), numbered(path, number + 1));
}

/** Newest first. */
async function logFiles(path: string): Promise<LogFile[]> {
  const pattern = new RegExp(`^${RegExp.escape(stemOf(path))}(?:\\.([1-9]\\d{0,5}))?\\.jsonl$`, "u");
  const files: LogFile[] = [];
  for (const name of await readdir(dirname(path))) {
    const match = pattern.exec(name);
    const stats = match && (await stat(join(dirname(path), name)).catch(() => undefined));
    if (stats) files.push({ number: Number(match[1] ?? 0), bytes: stats.size });
  }
  return files.toSorted((a, b) => a.number - b.number);
}

function numbered(path: string, number: number): string {
  return number === 0 ? path : join(dirname(path), `${stemOf(path)}.${number}.jsonl`);
}

function stemOf(path: string): string {
  return basename(path, ".jsonl");
}
