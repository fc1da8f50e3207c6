import assert from "node:assert/strict";
import { test } from "node:test";

import { fakeClock } from "../../test/support/fake-clock.ts";
import { type AgentId, asId, type CallId, type SessionId } from "../base/ids.ts";
import type { AgentEvent, AgentEventBody } from "../contracts/session/event.ts";
import { watchChild } from "./watch-child.ts";

function watched(isWaiting = () => false) {
  const clock = fakeClock();
  const ends: string[] = [];
  let changes = 0;
  const watch = watchChild({
    clock,
    settings: { idleMs: 450_000, toolMs: 1_200_000 },
    waitsForPerson: async () => isWaiting(),
    changed: () => void changes++,
    stale: (why) => void ends.push(why),
  });
  let seq = 0;
  const emit = (body: AgentEventBody) => {
    const about = { sessionId: asId<SessionId>("s"), agentId: asId<AgentId>("a") };
    watch.event({ seq: seq++, at: clock.now(), ...about, ...body } satisfies AgentEvent);
  };
  const pass = async (seconds: number) => {
    clock.advance(seconds * 1000);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { clock, watch, ends, emit, pass, changes: () => changes };
}

const callId = asId<CallId>("call_1");
const started = { type: "tool.started", callId, name: "terminal", args: { command: "make" } } as const;
const finished = {
  type: "tool.finished",
  callId,
  name: "terminal",
  failed: false,
  durationMs: 1,
  summary: "",
} as const;

test("a child without activity for 450 s counts as stale; time in the queue does not count", async () => {
  const { watch, ends, emit, pass } = watched();
  await pass(10_000);
  watch.begin();
  await pass(449);
  emit({ type: "text.delta", delta: "a" });
  await pass(449);
  assert.deepEqual(ends, []);
  await pass(2);
  assert.deepEqual(ends, ["it did nothing for 450 s"]);
});

test("a child is stale after exactly 1,200 s in one tool call", async () => {
  const { watch, ends, emit, pass } = watched();
  watch.begin();
  emit(started);
  for (let minute = 0; minute < 19; minute++) await pass(60);
  assert.deepEqual(ends, []);
  await pass(450);
  assert.deepEqual(ends, ["it was in one call of terminal for 1200 s"]);
});

test("activity of a child's own children, and waiting for the user's answer, count as activity", async () => {
  let isWaiting = true;
  const { watch, ends, emit, pass } = watched(() => isWaiting);
  watch.begin();
  emit(started);
  for (let hour = 0; hour < 3; hour++) {
    await pass(1_000);
    watch.stir();
  }
  await pass(1_300);
  await pass(1_000);
  assert.deepEqual(ends, []);
  isWaiting = false;
  await pass(1_200);
  await pass(450);
  assert.equal(ends.length, 1);
});

test("a finished child has no timer, and its counts match its events", async () => {
  const { clock, watch, emit, changes } = watched();
  watch.begin();
  emit(started);
  assert.match(watch.counts.doing ?? "", /^terminal .*make/u);
  emit(finished);
  const usage = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, reasoning: 0, costUsd: 0.5 };
  emit({ type: "model.answered", provider: "p", model: "m", usage });
  emit({ type: "context.used", tokens: 15, window: 100, threshold: 50, estimated: false });
  assert.deepEqual(watch.counts, {
    modelCalls: 1,
    toolCalls: 1,
    tokens: 15,
    costUsd: 0.5,
    context: { tokens: 15, window: 100 },
  });
  assert.equal(changes(), 4);
  watch[Symbol.dispose]();
  assert.equal(clock.waiting, 0);
});
