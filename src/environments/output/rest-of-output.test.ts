import assert from "node:assert/strict";
import { test } from "node:test";

import { fakeClock } from "../../../test/support/fake-clock.ts";
import { waitForRest } from "./rest-of-output.ts";

/** Fake output whose arrival the test controls. */
function slowOutput() {
  const clock = fakeClock();
  const end = Promise.withResolvers<string>();
  const state = { bytes: 0, isPaused: false };
  const wait = (options: { readonly signal?: AbortSignal; readonly maxRounds?: number } = {}) =>
    waitForRest(
      end.promise,
      { bytes: () => state.bytes, isPaused: () => state.isPaused },
      { quietMs: 1_000, clock, ...options },
    );
  const waits = async () => {
    while (clock.waiting === 0) await new Promise(setImmediate);
  };
  /** Advances the clock by one quiet period. */
  const passed = async () => {
    await waits();
    clock.advance(1_000);
  };
  return { clock, end, state, wait, waits, passed };
}

test("the wait continues while output arrives slowly, and ends after a silent period", async () => {
  const { end, state, wait, passed } = slowOutput();
  const slow = wait();
  for (let round = 0; round < 20; round++) {
    state.bytes += 1;
    await passed();
  }
  end.resolve("whole");
  assert.deepEqual(await slow, { how: "done", value: "whole" });

  const { wait: waitForNothing, passed: passedInSilence } = slowOutput();
  const silent = waitForNothing();
  await passedInSilence();
  assert.deepEqual(await silent, { how: "timeout" });
});

test("while the disk accepts no more output, the wait does not count that as silence", async () => {
  const { end, state, wait, passed } = slowOutput();
  state.isPaused = true;
  const slow = wait({ maxRounds: 2 });
  for (let round = 0; round < 10; round++) await passed();
  state.isPaused = false;
  end.resolve("whole");
  assert.deepEqual(await slow, { how: "done", value: "whole" });
});

test("output that arrived while the process was stalled is read before the wait gives up", async () => {
  const { clock, end, wait, waits } = slowOutput();
  const waiting = wait();
  await waits();
  // Timers run first, then descriptors are read.
  clock.advance(5_000);
  setImmediate(() => end.resolve("late"));
  assert.deepEqual(await waiting, { how: "done", value: "late" });
});

test("the wait for a process that never stops writing ends after a few periods, and an abort ends it at once", async () => {
  const { state, wait, passed } = slowOutput();
  const endless = wait({ maxRounds: 3 });
  for (let round = 0; round < 3; round++) {
    state.bytes += 1;
    await passed();
  }
  assert.deepEqual(await endless, { how: "timeout" });

  const { wait: waitAgain } = slowOutput();
  const stopping = new AbortController();
  const aborted = waitAgain({ signal: stopping.signal });
  stopping.abort();
  assert.deepEqual(await aborted, { how: "aborted" });
});
