import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";

import type { Clock } from "../../base/clock.ts";
import { valueOr } from "../../base/result.ts";

export interface UsageLimits {
  readonly maxMemoryBytes: number;
  readonly maxProcesses: number;
  /** The maximum processor time while idle, beyond a small share of one processor. Default: 5 seconds. */
  readonly maxIdleMs?: number;
}

export interface UsageDeps {
  readonly clock: Clock;
  /** Whether no request is waiting for the plugin. */
  readonly isIdle: () => boolean;
  /** Receives the rest of a sentence whose subject is the plugin. */
  readonly onExcess: (reason: string) => void;
}

/** Monitors memory, the number of processes, and processor time used while no request is pending (Linux). */
export function watchUsage(
  { pid, limits }: { readonly pid: number; readonly limits: UsageLimits },
  { clock, isIdle, onExcess }: UsageDeps,
): Disposable {
  let periodMs = limits.maxProcesses > fewProcesses ? 50 : 500;
  let timer = clock.after(periodMs, check);
  /** The processor time of the last check without a request. */
  let lastUsedMs: number | undefined;
  let idleMs = 0;
  const { maxIdleMs = defaultMaxIdleMs } = limits;

  function check(): void {
    const pids = descendantsOf(pid, limits.maxProcesses);
    if (memoryOf(pids, limits.maxMemoryBytes) > limits.maxMemoryBytes)
      return onExcess(`used more than ${Math.round(limits.maxMemoryBytes / 2 ** 20)} MB of memory`);
    if (pids.length > limits.maxProcesses) return onExcess(`started more than ${limits.maxProcesses} processes`);
    const usedMs = isIdle() ? pids.reduce((total, each) => total + ticksOf(each), 0) * msPerTick : undefined;
    const moreMs = usedMs === undefined ? 0 : usedMs - (lastUsedMs ?? usedMs) - periodMs * allowedShare;
    idleMs = usedMs === undefined ? 0 : Math.max(0, idleMs + moreMs);
    lastUsedMs = usedMs;
    if (idleMs > maxIdleMs) return onExcess("kept the processor busy without a request");
    // An idle process is checked less often.
    periodMs = limits.maxProcesses > fewProcesses && !isIdle() ? 50 : 500;
    timer = clock.after(periodMs, check);
  }
  return { [Symbol.dispose]: () => timer[Symbol.dispose]() };
}

/** The memory of a process and all its descendants. */
export function treeMemory(pid: number): number {
  return memoryOf(descendantsOf(pid, maxListed), 0);
}

const maxListed = 1_000;

/** The minimum: the sandbox and the process in it. */
const fewProcesses = 2;
const defaultMaxIdleMs = 5_000;
const allowedShare = 0.1;
/** Clock ticks last 10 ms on all common processors. */
const msPerTick = 10;

/** A process and its descendants. Stops after `max` + 1 processes. */
export function descendantsOf(pid: number, max: number): readonly number[] {
  const pids = [pid];
  for (let index = 0; index < pids.length && pids.length <= max; index++) pids.push(...childrenOf(pids[index] ?? 0));
  return pids;
}

function childrenOf(pid: number): readonly number[] {
  const threads = valueOr(() => readdirSync(`/proc/${pid}/task`), []);
  return threads.flatMap((thread) => (textOf(`/proc/${pid}/task/${thread}/children`).match(/\d+/gu) ?? []).map(Number));
}

/**
 * A fast sum that counts shared pages several times. Only if it exceeds the limit, the exact but slower figure is
 * read.
 */
function memoryOf(pids: readonly number[], maxBytes: number): number {
  const sum = (bytesOf: (pid: number) => number) => pids.reduce((total, pid) => total + bytesOf(pid), 0);
  const resident = sum((pid) => Number(textOf(`/proc/${pid}/statm`).split(" ")[1] ?? 0) * pageBytes);
  if (resident <= maxBytes) return resident;
  return sum((pid) => Number(/^Pss:\s+(\d+)/mu.exec(textOf(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) * 1024);
}

/** Some processors have larger pages. Then the figure is too small, but never too large. */
const pageBytes = 4_096;

/** The processor time of a process, in user mode and in the kernel. */
function ticksOf(pid: number): number {
  const fields = textOf(`/proc/${pid}/stat`)
    .replace(/^.*\) /su, "")
    .split(" ");
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
}

function textOf(file: string): string {
  return valueOr(() => readSystemFile(file), "");
}

/** Most of these files are short: reading them without asking for their size takes half of the time. */
function readSystemFile(file: string): string {
  const descriptor = openSync(file, "r");
  try {
    const buffer = Buffer.allocUnsafe(shortBytes);
    const bytes = readSync(descriptor, buffer, 0, shortBytes, 0);
    return bytes < shortBytes ? buffer.toString("latin1", 0, bytes) : readFileSync(file, "latin1");
  } finally {
    closeSync(descriptor);
  }
}

/** Such a buffer comes from a pool. */
const shortBytes = 2_048;
