import assert from "node:assert/strict";
import { test } from "node:test";

import { fakeClock } from "../../test/support/fake-clock.ts";
import { sleep } from "./async/abort.ts";
import { systemClock } from "./clock.ts";

test("the system clock calls back once, or never if the timer is disposed first", async () => {
  const called: string[] = [];
  using _kept = systemClock.after(1, () => called.push("kept"));
  systemClock.after(1, () => called.push("disposed"))[Symbol.dispose]();
  await sleep(20, new AbortController().signal, systemClock);
  assert.deepEqual(called, ["kept"]);
});

test("the system clock returns epoch milliseconds and a monotonic time", () => {
  assert.ok(systemClock.now() > Date.UTC(2024, 0, 1));
  const first = systemClock.elapsed();
  assert.ok(systemClock.elapsed() >= first);
});

test("a fake clock runs due timers in order, including timers that a timer sets", () => {
  const clock = fakeClock(1_000);
  const called: string[] = [];
  using _late = clock.after(30, () => called.push(`late at ${clock.now()}`));
  using _early = clock.after(10, () => {
    called.push(`early at ${clock.now()}`);
    clock.after(5, () => called.push(`between at ${clock.now()}`));
  });
  clock.after(1, () => called.push("never"))[Symbol.dispose]();
  clock.advance(29);
  assert.deepEqual([called, clock.waiting], [["early at 1010", "between at 1015"], 1]);
  clock.advance(1);
  assert.deepEqual([called.at(-1), clock.now(), clock.elapsed()], ["late at 1030", 1_030, 30]);
});
