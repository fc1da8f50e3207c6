import { readdirSync, readFileSync } from "node:fs";

import type { Clock } from "../../base/clock.ts";
import { valueOr } from "../../base/result.ts";
import type { PluginProcess } from "./plugin-process.ts";

/** Watches memory and number of processes. `onExcess` gets the rest of a sentence that starts with the plugin. */
export function watchUsage(
  { pid, limits }: Pick<PluginProcess, "pid" | "limits">,
  clock: Clock,
  onExcess: (reason: string) => void,
): Disposable {
  let timer = clock.after(periodMs, check);
  function check(): void {
    const pids = treeOf(pid, limits.maxProcesses);
    if (memoryOf(pids, limits.maxMemoryBytes) > limits.maxMemoryBytes)
      return onExcess(`used more than ${Math.round(limits.maxMemoryBytes / 2 ** 20)} MB of memory`);
    if (pids.length > limits.maxProcesses) return onExcess(`started more than ${limits.maxProcesses} processes`);
    timer = clock.after(periodMs, check);
  }
  return { [Symbol.dispose]: () => timer[Symbol.dispose]() };
}

const periodMs = 500;

/** A process and everything that it started, as far as the system shows it (Linux). Stops after `max` + 1. */
function treeOf(pid: number, max: number): readonly number[] {
  const pids = [pid];
  for (let index = 0; index < pids.length && pids.length <= max; index++) pids.push(...childrenOf(pids[index] ?? 0));
  return pids;
}

function childrenOf(pid: number): readonly number[] {
  const threads = valueOr(() => readdirSync(`/proc/${pid}/task`), []);
  return threads.flatMap((thread) => (textOf(`/proc/${pid}/task/${thread}/children`).match(/\d+/gu) ?? []).map(Number));
}

/** Counts shared pages several times, unless the sum exceeds the limit: the exact figure takes longer. */
function memoryOf(pids: readonly number[], maxBytes: number): number {
  const sum = (bytesOf: (pid: number) => number) => pids.reduce((total, pid) => total + bytesOf(pid), 0);
  const resident = sum((pid) => Number(textOf(`/proc/${pid}/statm`).split(" ")[1] ?? 0) * pageBytes);
  if (resident <= maxBytes) return resident;
  return sum((pid) => Number(/^Pss:\s+(\d+)/mu.exec(textOf(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) * 1024);
}

/** Larger pages of some processors make the figure too small, never too large. */
const pageBytes = 4_096;

function textOf(file: string): string {
  return valueOr(() => readFileSync(file, "latin1"), "");
}
