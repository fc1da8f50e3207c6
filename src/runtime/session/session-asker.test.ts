import assert from "node:assert/strict";
import { test } from "node:test";

import { fakeClock } from "../../../test/support/fake-clock.ts";
import type { Asker } from "../../contracts/host/ports.ts";
import { sessionAsker } from "./session-asker.ts";

test("a question waits as long as clarify.timeout at a terminal, and agent.clarify_timeout in a chat platform", async () => {
  const settings = { clarify: { timeout: 120 }, agent: { clarify_timeout: 600 } };
  const never: Asker = { ask: () => new Promise(() => {}), fillIn: () => new Promise(() => {}) };
  const { signal } = new AbortController();
  for (const [source, seconds] of [
    ["cli", 120],
    ["oneshot", 120],
    ["telegram", 600],
  ] as const) {
    const clock = fakeClock();
    const answer = sessionAsker(never, source, settings, clock).ask({ text: "?" }, signal);
    const early = Symbol("early");
    clock.advance(seconds * 1_000 - 1);
    assert.equal(await Promise.race([answer, Promise.resolve(early)]), early, source);
    clock.advance(1);
    assert.deepEqual(await answer, { ok: false, error: { reason: "timeout" } }, source);
  }
});
