import assert from "node:assert/strict";
import { test } from "node:test";

import { fakeClock } from "../../../test/support/fake-clock.ts";
import { malformedAnswerCode } from "./fault.ts";
import { createInbound } from "./inbound.ts";

test("a response that is not an object becomes an error for its request", () => {
  const inbound = createInbound(fakeClock(), () => {});
  const error = { code: malformedAnswerCode, message: "the server's response is not an object" };
  for (const wrong of [{ result: null }, { result: [] }, { error: "x" }, { error: { code: "x" } }, {}])
    // The cast is intentional: a server may send anything.
    assert.deepEqual(inbound({ jsonrpc: "2.0", id: 5, ...wrong } as never), { jsonrpc: "2.0", id: 5, error });
  const right = { jsonrpc: "2.0", id: 5, result: {} } as const;
  assert.equal(inbound(right), right);
});

test("a flood of notifications is dropped and reported once a second, while responses pass", () => {
  const clock = fakeClock();
  let floods = 0;
  const inbound = createInbound(clock, () => void floods++);
  const note = { jsonrpc: "2.0", method: "notifications/message" } as const;
  const passed = () => Array.from({ length: 5_000 }, () => inbound(note)).filter(Boolean).length;
  assert.deepEqual([passed(), floods], [1_000, 1]);
  assert.ok(inbound({ jsonrpc: "2.0", id: 1, result: {} }));
  clock.advance(1_001);
  assert.deepEqual([passed(), floods], [1_000, 2]);
});
