/** Time of the kernel itself per call, its growth with the number of tools, and the growth of memory. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { z } from "zod";

import { systemClock } from "../src/base/clock.ts";
import { asId, type CallId } from "../src/base/ids.ts";
import { defineTool } from "../src/contracts/tool/define-tool.ts";
import type { Dispatcher } from "../src/contracts/tool/dispatch.ts";
import { text } from "../src/contracts/tool/tool-result.ts";
import { createSessionLog } from "../src/kernel/loop/record/session-log.ts";
import { openSessionStore } from "../src/store/session-store.ts";
import { diskSyncTimes } from "./support/disk-sync.ts";
import { kernelWith, type Kernel } from "./support/kernel.ts";
import { median, quantile, report, rounded } from "./support/measure.ts";

const quick = process.argv.includes("--quick");
if (process.argv.includes("--memory")) await measureMemory();
else {
  await measureTime();
  await measureStored();
  // In a separate process, so that only the calls are measured.
  spawnSync(process.execPath, [...process.execArgv, ...process.argv.slice(1), "--memory"], { stdio: "inherit" });
}

async function measureTime(): Promise<void> {
  const rounds = quick ? 500 : 20_000;
  const toolCounts = [10, 100, 1_000];
  const kernels = await Promise.all(toolCounts.map((count) => kernelWith([noop(), ...fillers(count - 1)])));
  for (const kernel of kernels) await calls(kernel, quick ? 500 : 5_000);
  // Interleaved in slices, so that noise affects every size equally.
  const times = kernels.map((): number[] => []);
  const slice = 500;
  for (let done = 0; done < rounds; done += slice) {
    for (const [index, kernel] of kernels.entries()) times[index]?.push(...(await calls(kernel, slice)));
  }
  const medians = times.map(median);
  for (const [index, count] of toolCounts.entries()) {
    const p50 = (medians[index] ?? 0) * 1000;
    const p99 = quantile(times[index] ?? [], 0.99) * 1000;
    report("dispatch", `no-op among ${count} tools`, {
      p50Us: rounded(p50, 1),
      p99Us: rounded(p99, 1),
      limitP50Us: 25,
      limitP99Us: 200,
      holds: p50 <= 25 && p99 <= 200,
    });
  }
  const growth = (medians.at(-1) ?? 0) / (medians[0] ?? 1);
  report("dispatch", "1,000 tools against 10", { ratio: rounded(growth, 2), limit: 1.25, holds: growth <= 1.25 });
}

/** The same call in a stored conversation: the store writes it to disk before it runs and after it has ended. */
async function measureStored(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "hermes-bench-"));
  try {
    await using store = await openSessionStore(join(folder, "sessions.db"), { clock: systemClock });
    const { id } = await store.create({ source: "bench", principal: { id: "local:bench" } });
    const lease = await store.lease(id, "bench");
    if (!lease.ok) throw new Error(lease.error.heldBy);
    await using _lease = lease.value;
    const kernel = await kernelWith([noop()], createSessionLog(id, [], store).ledger);
    await calls(kernel, quick ? 50 : 500);
    const syncs: number[] = [];
    const times: number[] = [];
    for (let round = 0; round < (quick ? 4 : 30); round++) {
      syncs.push(...diskSyncTimes(folder, 20));
      times.push(...(await calls(kernel, quick ? 50 : 100)));
    }
    const p50 = median(times) * 1000;
    // The limit: two disk syncs, because the call is written twice, the same time again for our own code, and 0.5 ms.
    const limit = median(syncs) * 1000 * 2 * 2 + 500;
    report("dispatch", "no-op with the session store as its ledger", {
      p50Us: rounded(p50, 1),
      p99Us: rounded(quantile(times, 0.99) * 1000, 1),
      diskSyncP50Us: rounded(median(syncs) * 1000, 1),
      limitP50Us: rounded(limit, 1),
      holds: p50 <= limit,
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function measureMemory(): Promise<void> {
  const kernel = await kernelWith([noop()]);
  const early = quick ? 10_000 : 100_000;
  const late = quick ? 30_000 : 1_000_000;
  await many(kernel, early);
  const before = settledMemory();
  await many(kernel, late - early);
  const after = settledMemory();
  const ratio = after.rss / before.rss;
  const heapRatio = after.heap / before.heap;
  report("dispatch", `memory after ${late} calls compared with ${early} calls`, {
    rssMb: rounded(after.rss / 1e6, 1),
    heapMb: rounded(after.heap / 1e6, 2),
    heapRatio: rounded(heapRatio, 3),
    ratio: rounded(ratio, 3),
    limit: 1.2,
    holds: ratio <= 1.2 && heapRatio <= 1.2,
  });
}

function noop() {
  return defineTool({
    name: "noop",
    toolset: "bench",
    description: "Does nothing.",
    input: z.object({ word: z.string(), times: z.int().default(1) }),
    effects: () => [],
    run: async () => text("done"),
  });
}

function fillers(count: number) {
  return Array.from({ length: count }, (_, index) =>
    defineTool({
      name: `filler_${index}`,
      toolset: "bench",
      description: `Filler number ${index}.`,
      input: z.object({ word: z.string() }),
      effects: () => [],
      run: async () => text("done"),
    }),
  );
}

async function calls({ dispatcher, scope }: Kernel, count: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const startedAt = systemClock.elapsed();
    await dispatcher.dispatch(
      { id: asId<CallId>(`call_${index}`), name: "noop", args: '{"word":"a","times":"2"}' },
      scope,
    );
    times.push(systemClock.elapsed() - startedAt);
  }
  return times;
}

async function many({ dispatcher, scope }: Kernel, count: number): Promise<void> {
  for (let index = 0; index < count; index++) await one(dispatcher, scope, index);
}

function one(dispatcher: Dispatcher, scope: Kernel["scope"], index: number) {
  return dispatcher.dispatch({ id: asId<CallId>(`call_${index}`), name: "noop", args: '{"word":"a"}' }, scope);
}

/** Memory of the process after garbage collections that also return pooled pages to the system. */
function settledMemory(): { readonly rss: number; readonly heap: number } {
  for (let round = 0; round < 4; round++) globalThis.gc?.({ type: "major", execution: "sync", flavor: "last-resort" });
  const { rss, heapUsed } = process.memoryUsage();
  return { rss, heap: heapUsed };
}
