import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextRound } from "node:timers/promises";

import { fakeClock } from "../../../test/support/fake-clock.ts";
import { waitFor } from "./bounded-wait.ts";

/** Counts the waits that did not end at once. */
function patience(signal = new AbortController().signal) {
  const clock = fakeClock();
  const waits = { started: 0, ended: 0 };
  const whileWaiting = () => {
    waits.started += 1;
    return { [Symbol.dispose]: () => void (waits.ended += 1) };
  };
  return { clock, waits, options: { signal, ms: 100, clock, whileWaiting } };
}

test("work that needs no input or output starts no timer, however many steps it takes", async () => {
  const { waits, options } = patience();
  const work = async () => {
    for (let step = 0; step < 100; step++) await Promise.resolve();
    return 7;
  };
  assert.deepEqual(await waitFor(work(), options), { how: "done", value: 7 });
  assert.deepEqual(waits, { started: 0, ended: 0 });
});

test("a wait ends with the work, after its time, or with the signal, and releases what it started", async () => {
  const { waits, options, clock } = patience();
  assert.deepEqual(await waitFor(nextRound("x"), options), { how: "done", value: "x" });
  const late = waitFor(new Promise(() => {}), options);
  await nextRound();
  clock.advance(100);
  assert.deepEqual(await late, { how: "timeout" });
  await assert.rejects(
    waitFor(
      nextRound().then(() => Promise.reject(new Error("broken"))),
      options,
    ),
    /broken/u,
  );
  assert.deepEqual(waits, { started: 3, ended: 3 });
});

test("an abort ends a wait before, just after and long after its start", async () => {
  const before = patience(AbortSignal.abort());
  assert.deepEqual(await waitFor(Promise.resolve(1), before.options), { how: "aborted" });
  for (const isLater of [false, true]) {
    const controller = new AbortController();
    const { options } = patience(controller.signal);
    const wait = waitFor(new Promise(() => {}), options);
    if (isLater) await nextRound();
    controller.abort();
    assert.deepEqual(await wait, { how: "aborted" });
  }
});
