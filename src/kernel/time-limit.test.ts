import assert from "node:assert/strict";
import { test } from "node:test";

import { fakeClock } from "../../test/support/fake-clock.ts";
import { createTimeLimit } from "./time-limit.ts";

async function isOver({ expired }: { readonly expired: Promise<void> }): Promise<boolean> {
  return Promise.race([expired.then(() => true), new Promise<boolean>((resolve) => setImmediate(resolve, false))]);
}

test("a limit expires after its time, not counting pauses, which may overlap", async () => {
  const clock = fakeClock();
  using limit = createTimeLimit(100, clock);
  clock.advance(40);
  const [first, second] = [limit.pause(), limit.pause()];
  clock.advance(50);
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  // Without pauses the limit would expire now.
  clock.advance(50);
  assert.equal(limit.pausedMs(), 100);
  second[Symbol.dispose]();
  clock.advance(59);
  assert.equal(await isOver(limit), false);
  clock.advance(1);
  assert.deepEqual([await isOver(limit), limit.pausedMs(), clock.waiting], [true, 100, 0]);
});

test("a short pause extends the limit, and a disposed or infinite limit leaves no timer running", async () => {
  const clock = fakeClock();
  const limit = createTimeLimit(100, clock);
  const pause = limit.pause();
  clock.advance(10);
  pause[Symbol.dispose]();
  clock.advance(95);
  assert.deepEqual([await isOver(limit), clock.waiting], [false, 1]);
  const last = limit.pause();
  limit[Symbol.dispose]();
  clock.advance(100);
  last[Symbol.dispose]();
  using endless = createTimeLimit(Infinity, clock);
  endless.pause()[Symbol.dispose]();
  assert.equal(clock.waiting, 0);
});
