import assert from "node:assert/strict";
import { test } from "node:test";

import { fakeClock } from "../../test/support/fake-clock.ts";
import { asId, type CallId } from "../base/ids.ts";
import type { AgentEvent } from "../contracts/session/event.ts";
import { watchChild } from "./watch-child.ts";

function watched(isWaiting = false) {
  const clock = fakeClock();
  const stale: string[] = [];
  const watch = watchChild({
    clock,
    settings: { idleMs: 450_000, toolMs: 1_200_000 },
    waitsForPerson: async () => isWaiting,
    changed() {},
    stale: (why) => void stale.push(why),
  });
  watch.begin();
  return {
    watch,
    stale,
    /** In steps, because the watch asks whether a person is waited for. */
    async advance(seconds: number) {
      for (let second = 0; second < seconds; second += 10) {
        clock.advance(10_000);
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

const callId = asId<CallId>("call_1");
// Only these fields are read.
const started = { type: "tool.started", callId, name: "terminal", args: {} } as unknown as AgentEvent;
const finished = { type: "tool.finished", callId } as unknown as AgentEvent;

test("a child that does nothing for 450 s is stale, once", async () => {
  const child = watched();
  await child.advance(440);
  assert.deepEqual(child.stale, []);
  await child.advance(2_000);
  assert.deepEqual(child.stale, ["it did nothing for 450 s"]);
});

test("a child in one call is stale after 1,200 s, and its own children keep it busy", async () => {
  const child = watched();
  child.watch.event(started);
  await child.advance(1_100);
  child.watch.stir();
  await child.advance(1_100);
  assert.deepEqual(child.stale, []);
  await child.advance(200);
  assert.deepEqual(child.stale, ["it was in one call of terminal for 1200 s"]);
});

test("calls that end keep a child busy, and an ended watch says nothing", async () => {
  const child = watched();
  for (let round = 0; round < 5; round++) {
    child.watch.event(started);
    await child.advance(400);
    child.watch.event(finished);
    await child.advance(400);
  }
  assert.deepEqual(child.stale, []);
  child.watch[Symbol.dispose]();
  await child.advance(2_000);
  assert.deepEqual(child.stale, []);
});

test("a child that waits for a person is not stale", async () => {
  const child = watched(true);
  child.watch.event(started);
  await child.advance(5_000);
  assert.deepEqual(child.stale, []);
});
