import assert from "node:assert/strict";
import { test } from "node:test";

import { fakeClock } from "../../../test/support/fake-clock.ts";
import { createHostQueue } from "./host-queue.ts";

const never = new AbortController().signal;
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("a host gets at most two requests at a time, other hosts are independent, and a finished request starts the next", async () => {
  const queue = createHostQueue(fakeClock(), { pauseMs: 0 });
  const first = await queue.enter("a", never);
  await queue.enter("a", never);
  let isIn = false;
  void queue.enter("a", never).then(() => (isIn = true));
  await queue.enter("b", never);
  await settled();
  assert.equal(isIn, false);
  first[Symbol.dispose]();
  await settled();
  assert.equal(isIn, true);
});

test("a request that is aborted while it waits takes no slot", async () => {
  const queue = createHostQueue(fakeClock(), { maxAtOnce: 1, pauseMs: 0 });
  const first = await queue.enter("a", never);
  const stop = new AbortController();
  const second = queue.enter("a", stop.signal);
  const third = queue.enter("a", never);
  stop.abort(new Error("stopped"));
  await assert.rejects(second, /stopped/u);
  first[Symbol.dispose]();
  (await third)[Symbol.dispose]();
});

test("requests to a host start with a pause between them, and after the delay that the host requested", async () => {
  const clock = fakeClock();
  const queue = createHostQueue(clock, { pauseMs: 200 });
  await queue.enter("a", never);
  queue.rest("a", 3_000);
  assert.equal(queue.restMs("a"), 3_000);
  let isIn = false;
  void queue.enter("a", never).then(() => (isIn = true));
  await settled();
  assert.equal(isIn, false);
  clock.advance(3_000);
  await settled();
  await settled();
  assert.equal(isIn, true);
});
