import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import { fakeClock } from "../../../test/support/fake-clock.ts";
import { ok } from "../../base/result.ts";
import type { Asker } from "../../contracts/host/ports.ts";
import { boundedAsker } from "./bounded-asker.ts";

const { signal } = new AbortController();
const never = new Promise<never>(() => {});

test("a question times out even if the host ignores the signal, and an answer in time is kept", async () => {
  const clock = fakeClock();
  const seen: (number | undefined)[] = [];
  const deaf: Asker = { ask: (question) => (seen.push(question.timeoutMs), never), fillIn: () => never };
  const bounded = boundedAsker(deaf, 2_000, clock);
  const both = [bounded.ask({ text: "?" }, signal), bounded.fillIn({ from: "x", text: "?", fields: [] }, signal)];
  clock.advance(2_000);
  const timeout = { ok: false, error: { reason: "timeout" } };
  assert.deepEqual(await Promise.all(both), [timeout, timeout]);
  assert.deepEqual(seen, [2_000]);
  const quick = boundedAsker({ ask: async () => ok(["yes"]), fillIn: async () => ok({}) }, 2_000, clock);
  assert.deepEqual(await quick.ask({ text: "?" }, signal), { ok: true, value: ["yes"] });
});

test("an abort is not reported as a timeout, and no timer is left running", async () => {
  const clock = fakeClock();
  const stop = new AbortController();
  const answer = boundedAsker({ ask: () => never, fillIn: () => never }, 2_000, clock).ask({ text: "?" }, stop.signal);
  stop.abort();
  assert.deepEqual(await answer, { ok: false, error: { reason: "aborted" } });
  clock.advance(2_000);
  await pause(0);
});
