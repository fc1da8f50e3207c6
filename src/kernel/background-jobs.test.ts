import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as settled } from "node:timers/promises";

import { fakeClock } from "../../test/support/fake-clock.ts";
import { silentLog } from "../base/log/log.ts";
import type { JobTimes } from "../contracts/host/background-job.ts";
import { createBackgroundJobs } from "./background-jobs.ts";

function scene(when: JobTimes, work: (signal: AbortSignal) => Promise<void> = async () => {}) {
  const clock = fakeClock();
  const warnings: string[] = [];
  const jobs = createBackgroundJobs({ clock, log: { ...silentLog, warn: (event) => void warnings.push(event) } });
  const runs: string[] = [];
  const job = jobs.add({
    name: "upkeep",
    when,
    async run(signal, isLast) {
      runs.push(isLast ? "last" : "run");
      await work(signal);
    },
  });
  const pass = async (ms: number) => {
    clock.advance(ms);
    await settled();
  };
  return { clock, jobs, job, runs, warnings, pass };
}

test("a job runs after its delay and then at its interval, until it is stopped", async () => {
  const { clock, jobs, runs, pass } = scene({ afterMs: 10, everyMs: 100 });
  await pass(9);
  assert.deepEqual(runs, []);
  await pass(1);
  await pass(100);
  assert.deepEqual(runs, ["run", "run"]);
  await jobs[Symbol.asyncDispose]();
  await pass(1_000);
  assert.deepEqual([runs, clock.waiting], [["run", "run"], 0]);
});

test("a job without an interval runs once", async () => {
  const { clock, runs, pass } = scene({ afterMs: 10 });
  await pass(10);
  await pass(1_000);
  assert.deepEqual([runs, clock.waiting], [["run"], 0]);
});

test("a job without a delay runs only when it is started by name, one run at a time", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { jobs, runs, pass } = scene({}, () => promise);
  await pass(1_000);
  jobs.start("nothing of that name");
  jobs.start("upkeep");
  jobs.start("upkeep");
  assert.deepEqual(runs, ["run"]);
  resolve();
  await jobs[Symbol.asyncDispose]();
  jobs.start("upkeep");
  assert.deepEqual(runs, ["run"]);
});

test("closing aborts a running job and then runs it one last time", async () => {
  const { jobs, runs } = scene({ afterMs: 0, atEndMs: 200 }, async (signal) => {
    if (runs.length === 1) await new Promise((resolve) => signal.addEventListener("abort", resolve));
  });
  jobs.start("upkeep");
  await jobs[Symbol.asyncDispose]();
  assert.deepEqual(runs, ["run", "last"]);
});

test("a job that fails is logged and runs again at its next scheduled time", async () => {
  const { runs, warnings, pass } = scene({ afterMs: 10, everyMs: 10 }, async () => {
    throw new Error("disk full");
  });
  await pass(10);
  await pass(10);
  assert.deepEqual(
    [runs, warnings],
    [
      ["run", "run"],
      ["job.failed", "job.failed"],
    ],
  );
});

test("disposing one job stops it and keeps the others", async () => {
  const { job, jobs, runs, pass } = scene({ afterMs: 10 });
  await job[Symbol.asyncDispose]();
  await pass(10);
  jobs.start("upkeep");
  assert.deepEqual(runs, []);
});
