/**
 * Five parents start ten child agents each against a scripted model. All must finish. Measures the memory while all
 * run, and the time compared with the same turns in sessions without a parent.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { asId, type CallId } from "../src/base/ids.ts";
import type { ModelClient } from "../src/contracts/model/model.ts";
import type { AgentTask } from "../src/contracts/session/agents.ts";
import type { Session } from "../src/contracts/session/runtime.ts";
import type { OpenedRuntime } from "../src/runtime/create-runtime.ts";
import { runtimeRig } from "../test/support/runtime-rig.ts";
import { scriptedModel } from "../test/support/scripted-model.ts";
import { interleaved, median, report, rounded } from "./support/measure.ts";

const quick = process.argv.includes("--quick");
const [parents, children] = quick ? [1, 2] : [5, 10];
const total = parents * children;
const rounds = quick ? 1 : 7;
/** How long the scripted model takes for one answer. */
const answerMs = 30;
/** Child agents that wait for an answer while their memory is measured. */
let gate: Promise<void> | undefined;
const requests = { waiting: 0 };

const folder = mkdtempSync(join(tmpdir(), "hermes-delegate-"));
const runtime = await runtimeRig({
  folder,
  model: slowModel(),
  settings: { "delegation.max_concurrent_children": 10 },
});
const never = new AbortController().signal;
const task = "read the notes";
const callId = asId<CallId>("call_bench");

try {
  const open = await Promise.all(Array.from({ length: parents }, () => runtime.openSession({ source: "bench" })));
  if (!quick) {
    await delegated(open);
    await alone(runtime);
  }
  await measureMemory(open);
  await measureAbort(open);
  const times = await interleaved({ delegated: () => delegated(open), alone: () => alone(runtime) }, rounds);
  const [withParent, withoutParent] = [median(times.delegated), median(times.alone)];
  report("delegate", `${total} child agents of ${parents} parents: time`, {
    childrenMs: rounded(withParent, 1),
    sessionsMs: rounded(withoutParent, 1),
    ratio: rounded(withParent / withoutParent, 2),
    limit: 1.3,
    holds: withParent <= 1.3 * withoutParent,
  });
} finally {
  await runtime[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
}

/** Two calls and an answer. */
function slowModel(): ModelClient {
  const scripted = scriptedModel(({ messages }) => {
    const steps = messages.filter(({ role }) => role === "assistant").length % 3;
    const path = `note-${steps}.txt`;
    if (steps === 0) return { calls: [{ name: "write_file", args: { path, content: "some words" } }] };
    return steps === 1 ? { calls: [{ name: "read_file", args: { path: "note-0.txt" } }] } : { text: "Some words." };
  });
  return {
    facts: scripted.facts,
    async *stream(request, signal) {
      await pause(answerMs);
      requests.waiting++;
      await gate;
      yield* scripted.stream(request, signal);
    },
  };
}

function tasks(): readonly AgentTask[] {
  return Array.from({ length: children }, (_, index) => ({ goal: `${task} ${index}`, role: "leaf" }));
}

async function delegated(open: readonly Session[]): Promise<void> {
  const reports = await Promise.all(
    open.map(async ({ agents }) => {
      const tasks = Array.from(
        { length: children },
        (_, index) => ({ goal: `${task} ${index}`, role: "leaf" }) as const,
      );
      const callId = asId<CallId>("call_bench");
      const ids = await agents.spawn(tasks, { callId, isBackground: false, signal: never });
      if (!ids.ok) throw new Error(ids.error);
      return agents.wait(ids.value, { signal: never });
    }),
  );
  const done = reports.flat().filter((each) => each?.status === "completed" && each.toolTrace.length === 2);
  if (done.length !== total)
    throw new Error(`${done.length} of ${total} agents finished: ${JSON.stringify(reports[0])}`);
}

async function alone({ openSession }: OpenedRuntime): Promise<void> {
  const outcomes = await Promise.all(
    Array.from({ length: total }, async (_, index) => {
      await using session = await openSession({ source: "bench", ignoreRules: true });
      const { done } = session.prompt([{ type: "text", text: `${task} ${index}` }]);
      return await done;
    }),
  );
  const done = outcomes.filter(({ reason, toolCalls }) => reason === "answered" && toolCalls === 2);
  if (done.length !== total) throw new Error(`${done.length} of ${total} sessions finished`);
}

/** How much the memory of the program has grown while every child waits for its first answer. */
async function measureMemory(open: readonly Session[]): Promise<void> {
  const held = Promise.withResolvers<void>();
  const before = memory();
  requests.waiting = 0;
  gate = held.promise;
  const work = delegated(open);
  while (requests.waiting < total) await pause(20);
  const now = memory();
  // The program may reuse memory that earlier rounds left, so the larger figure is used.
  const mb = Math.max(now.resident - before.resident, now.used - before.used) / total / 1e6;
  gate = undefined;
  held.resolve();
  await work;
  report("delegate", `${total} running child agents: memory per agent`, {
    mb: rounded(mb, 2),
    limit: 6,
    holds: mb <= 6,
  });
}

/** From the abort of a call until the records of its ten children are stored. */
async function measureAbort([parent]: readonly Session[]): Promise<void> {
  if (!parent) return;
  const ends: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const held = Promise.withResolvers<void>();
    requests.waiting = 0;
    gate = held.promise;
    const stop = new AbortController();
    const ids = await parent.agents.spawn(tasks(), { callId, isBackground: false, signal: stop.signal });
    if (!ids.ok) throw new Error(ids.error);
    while (requests.waiting < children) await pause(20);
    const startedAt = performance.now();
    stop.abort("stopped");
    await parent.agents.wait(ids.value, { signal: never });
    ends.push(performance.now() - startedAt);
    gate = undefined;
    held.resolve();
  }
  const ms = Math.max(...ends);
  report(
    "delegate",
    `${children} child agents: longest time from the abort of their parent to the last stored record`,
    {
      ms: rounded(ms, 1),
      limit: 200,
      holds: ms <= 200,
    },
  );
}

function memory(): { readonly resident: number; readonly used: number } {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  const { rss, heapUsed, external } = process.memoryUsage();
  return { resident: rss, used: heapUsed + external };
}
