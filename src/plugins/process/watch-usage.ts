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

/** A running watch. */
export interface UsageWatch extends Disposable {
  /** The processor time that the process and its descendants have used. Descendants are those of the last check. */
  usedMs(): number;
  /** A request starts: a process that was checked rarely is checked soon. */
  expectWork(): void;
}

/** Monitors memory, the number of processes, and processor time used while no request is pending (Linux). */
export function watchUsage(
  { pid, limits }: { readonly pid: number; readonly limits: UsageLimits },
  { clock, isIdle, onExcess }: UsageDeps,
): UsageWatch {
  const canStartPrograms = limits.maxProcesses > fewProcesses;
  const { maxIdleMs = defaultMaxIdleMs } = limits;
  let pids: readonly number[] = [pid];
  let periodMs = canStartPrograms ? busyPeriodMs : idlePeriodMs;
  let timer = clock.after(periodMs, check);
  let lastUsedMs = 0;
  let wasIdle = false;
  let idleMs = 0;

  function check(): void {
    pids = descendantsOf(pid, limits.maxProcesses);
    const usages = pids.map(usageOf);
    if (memoryOf(pids, usages, limits.maxMemoryBytes) > limits.maxMemoryBytes)
      return onExcess(`used more than ${Math.round(limits.maxMemoryBytes / 2 ** 20)} MB of memory`);
    if (pids.length > limits.maxProcesses) return onExcess(`started more than ${limits.maxProcesses} processes`);
    const usedMs = totalMs(usages);
    const moreMs = usedMs - lastUsedMs;
    lastUsedMs = usedMs;
    idleMs = wasIdle && isIdle() ? Math.max(0, idleMs + moreMs - periodMs * allowedShare) : 0;
    wasIdle = isIdle();
    if (idleMs > maxIdleMs) return onExcess("kept the processor busy without a request");
    periodMs = nextPeriodMs(moreMs > periodMs * allowedShare);
    timer = clock.after(periodMs, check);
  }

  /** An idle process is checked less often, and even less if it uses little processor time and cannot start others. */
  function nextPeriodMs(isBusy: boolean): number {
    if (!isIdle()) return canStartPrograms ? busyPeriodMs : idlePeriodMs;
    return isBusy || canStartPrograms ? idlePeriodMs : quietPeriodMs;
  }

  return {
    usedMs: () => totalMs(pids.map(usageOf)),
    expectWork() {
      if (periodMs !== quietPeriodMs) return;
      timer[Symbol.dispose]();
      periodMs = idlePeriodMs;
      timer = clock.after(periodMs, check);
    },
    [Symbol.dispose]: () => timer[Symbol.dispose](),
  };
}

/** The memory of a process and all its descendants. */
export function treeMemory(pid: number): number {
  const pids = descendantsOf(pid, maxListed);
  return memoryOf(pids, pids.map(usageOf), 0);
}

const maxListed = 1_000;

/** The minimum: the sandbox and the process in it. */
const fewProcesses = 2;
const defaultMaxIdleMs = 5_000;
const busyPeriodMs = 50;
const idlePeriodMs = 500;
const quietPeriodMs = 2_000;
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
function memoryOf(pids: readonly number[], usages: readonly Usage[], maxBytes: number): number {
  const resident = usages.reduce((total, { memoryBytes }) => total + memoryBytes, 0);
  if (resident <= maxBytes) return resident;
  return pids.reduce((total, pid) => total + pssOf(pid), 0);
}

function pssOf(pid: number): number {
  return Number(/^Pss:\s+(\d+)/mu.exec(textOf(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) * 1024;
}

interface Usage {
  /** Resident memory. */
  readonly memoryBytes: number;
  /** Processor time in user mode and in the kernel. */
  readonly ticks: number;
}

/** Zero for a process that has ended. */
function usageOf(pid: number): Usage {
  const text = textOf(`/proc/${pid}/stat`);
  // The name of the program comes first and may contain anything.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const field = (index: number) => Number(fields[index] ?? 0);
  return { memoryBytes: field(21) * pageBytes, ticks: field(11) + field(12) };
}

function totalMs(usages: readonly Usage[]): number {
  return usages.reduce((total, { ticks }) => total + ticks, 0) * msPerTick;
}

/** Some processors have larger pages. Then the figure is too small, but never too large. */
const pageBytes = 4_096;

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
