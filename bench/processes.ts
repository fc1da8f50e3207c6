/** Two hundred background processes: memory of the supervisor, time of a listing, and leftovers. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { build } from "esbuild";

import { systemClock } from "../src/base/clock.ts";
import { silentLog } from "../src/base/log/log.ts";
import { createSupervisor } from "../src/environments/supervisor/create-supervisor.ts";
import type { SupervisedStart } from "../src/environments/supervisor/supervisor.ts";
import { median, quantile, report, rounded } from "./support/measure.ts";

const count = process.argv.includes("--quick") ? 15 : 200;
const root = join(import.meta.dirname, "..");
const home = mkdtempSync(join(tmpdir(), "hermes-bench-"));
const { signal } = new AbortController();
const owner = { program: "bench", session: "bench", principal: "bench", isKept: false };
try {
  // Runs the built supervisor: the sources would also load a compiler.
  const entry = join(home, "supervisor.mjs");
  await build({
    entryPoints: [join(root, "src", "bin", "supervisor.ts")],
    outfile: entry,
    bundle: true,
    format: "esm",
    platform: "node",
    external: ["@lydell/node-pty", "@xterm/headless"],
    logLevel: "silent",
  });
  const filesBefore = openFiles();
  await measure("idle", "sleep 1000", entry);
  await measure("chatty", "while :; do echo some text; sleep 1; done", entry);
  report("processes", "file descriptors of this process that leak", {
    count: Math.max(0, openFiles() - filesBefore),
    holds: openFiles() <= filesBefore + 2,
  });
} finally {
  rmSync(home, { recursive: true, force: true });
}

async function measure(kind: string, command: string, entry: string): Promise<void> {
  const folder = join(home, kind);
  mkdirSync(folder);
  await using supervisor = createSupervisor({ home: folder, entry, idleMs: 100, clock: systemClock, log: silentLog });
  const firstAt = performance.now();
  const first = await start(0);
  report("processes", `first process, including the start of the supervisor, ${kind}`, {
    ms: rounded(performance.now() - firstAt, 1),
    holds: true,
  });
  const watcher = parentOf(first.pid ?? 0);
  report("processes", `supervisor with 1 process, ${kind}`, memory(watcher, 1));
  const startTimes = [];
  for (let index = 1; index < count; index++) startTimes.push(await timed(() => start(index)));
  report("processes", `start, ${kind}, p50`, {
    ms: rounded(median(startTimes), 2),
    p99Ms: rounded(quantile(startTimes, 0.99), 2),
    holds: true,
  });
  const lists = [];
  for (let round = 0; round < 20; round++) lists.push(await timed(look));
  report("processes", `list ${count} with state and output, ${kind}, p50`, {
    ms: rounded(median(lists), 2),
    firstMs: rounded(lists[0] ?? 0, 2),
    limit: 20,
    holds: median(lists) <= 20,
  });
  report("processes", `supervisor with ${count} processes, ${kind}`, memory(watcher, count));
  const handles = await listed();
  const killMs = await timed(() => Promise.all(handles.map((handle) => handle.kill(signal))));
  report("processes", `kill ${count} at once, ${kind}`, { ms: rounded(killMs, 1), holds: true });
  const left = handles.filter(({ pid }) => isThere(pid ?? 0)).length;
  await Promise.all(handles.map((handle) => handle.remove(signal)));
  await supervisor[Symbol.asyncDispose]();
  while (isThere(watcher)) await new Promise((resolve) => setTimeout(resolve, 10));
  const files = readdirSync(join(folder, "processes")).filter((name) => name !== "supervisor.lock").length;
  report("processes", `leftover processes, ${kind}`, { processes: left, files, holds: left + files === 0 });

  async function start(index: number) {
    const marker = `bench-${process.pid}-${kind}-${index}`;
    const request: SupervisedStart = {
      command,
      cwd: home,
      place: "local",
      backend: "local",
      owner,
      program: "/bin/bash",
      args: ["-c", command],
      env: { PATH: process.env.PATH ?? "", HERMES_RUN: marker },
      folder: home,
      marker,
    };
    const started = await supervisor.start(request, signal);
    if (!started.ok) throw new Error(started.error.message);
    return started.value;
  }

  async function listed() {
    const listed = await supervisor.list(signal);
    if (!listed.ok || listed.value.length !== count) throw new Error("the list does not contain all processes");
    return listed.value;
  }

  async function look() {
    await Promise.all((await listed()).flatMap((handle) => [handle.ending(signal), handle.output(0, signal)]));
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/**
 * The limit applies to private memory (decision 008). `rssMb` also counts the pages of the Node program, which are
 * backed by its file, shared with every other Node, and dropped under memory pressure. `emptyNodeRssMb`: an idle Node.
 */
function memory(pid: number, processes: number) {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, "latin1");
  const mb = (name: string) =>
    rounded(Number(new RegExp(`^${name}:\\s+(\\d+)`, "mu").exec(text)?.[1] ?? Number.NaN) / 1024, 1);
  const limitMb = 40 + 0.2 * processes;
  const ownMb = mb("Anonymous");
  return {
    ownMb,
    limitMb,
    holds: ownMb <= limitMb,
    pssMb: mb("Pss"),
    rssMb: mb("Rss"),
    emptyNodeRssMb: emptyNode(),
  };
}

function emptyNode(): number {
  const program = "process.stdout.write(require('fs').readFileSync('/proc/self/status', 'latin1'))";
  const status = execFileSync(process.execPath, ["-e", program], { encoding: "latin1" });
  return rounded(Number(/^VmRSS:\s+(\d+)/mu.exec(status)?.[1]) / 1024, 1);
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)/mu.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]);
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function openFiles(): number {
  return readdirSync("/proc/self/fd").length;
}
