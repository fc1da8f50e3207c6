import assert from "node:assert/strict";
import { test } from "node:test";

import { fakeClock } from "../../test/support/fake-clock.ts";
import { type AgentId, asId, type CallId } from "../base/ids.ts";
import type { AgentStatus } from "../contracts/session/agents.ts";
import { createEventPace } from "./event-pace.ts";

function status(state: AgentStatus["state"], toolCalls: number): AgentStatus {
  return {
    agentId: asId<AgentId>("a"),
    callId: asId<CallId>("c"),
    depth: 1,
    goal: "count",
    role: "leaf",
    isBackground: false,
    state,
    startedAt: 0,
    ...(state === "completed" && { endedAt: 1 }),
    modelCalls: 0,
    toolCalls,
    tokens: 0,
  };
}

test("a state change passes immediately; progress updates are throttled, and only the last one passes", () => {
  const clock = fakeClock();
  const passed: string[] = [];
  using pace = createEventPace(clock, ({ state, toolCalls }) => void passed.push(`${state} ${toolCalls}`));
  pace.change(status("waiting", 0));
  pace.change(status("running", 0));
  for (let calls = 1; calls <= 100; calls++) pace.change(status("running", calls));
  assert.deepEqual(passed, ["waiting 0", "running 0"]);
  clock.advance(250);
  assert.deepEqual(passed.slice(2), ["running 100"]);
  pace.change(status("running", 101));
  pace.change(status("completed", 101));
  assert.deepEqual(passed.slice(3), ["completed 101"]);
  clock.advance(1_000);
  assert.equal(clock.waiting, 0);
});
