import assert from "node:assert/strict";
import { PassThrough, Writable } from "node:stream";
import { test } from "node:test";

import { fakeClock } from "../../../test/support/fake-clock.ts";
import { err, ok } from "../result.ts";
import { connectStreams } from "./connect-streams.ts";

test("two connections talk over streams in both directions", async () => {
  const [there, back] = [new PassThrough(), new PassThrough()];
  const left = connectStreams({ input: back, output: there }, { onRequest: async () => ok("left") }, fakeClock());
  const right = connectStreams({ input: there, output: back }, { onRequest: async () => ok("right") }, fakeClock());
  assert.deepEqual(await Promise.all([left.request("a", {}), right.request("b", {})]), [ok("right"), ok("left")]);
});

test("when the peer dies, pending requests settle and all listeners are removed", async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const connection = connectStreams({ input, output }, {}, fakeClock());
  const pending = [connection.request("a", {}), connection.request("b", {})];
  input.end();
  assert.deepEqual(await Promise.all(pending), Array(2).fill(err({ kind: "closed" })));
  const counts = [input.listenerCount("data"), input.listenerCount("end"), output.listenerCount("close")];
  assert.deepEqual(
    counts,
    [0, 0, 0].map((_, index) => new PassThrough().listenerCount(["data", "end", "close"][index] ?? "")),
  );
  output.destroy(new Error("EPIPE"));
  input.destroy(new Error("late"));
  await new Promise((resolve) => setImmediate(resolve));
});

test("a failing output stream closes the connection", async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const connection = connectStreams({ input, output }, {}, fakeClock());
  const pending = connection.request("a", {});
  output.destroy(new Error("EPIPE"));
  assert.deepEqual(await pending, err({ kind: "closed" }));
});

test("a peer that sends requests but does not read is disconnected before its responses fill the memory", async () => {
  const violations: string[] = [];
  const input = new PassThrough();
  const output = new Writable({ write() {} });
  const handlers = {
    onRequest: async () => ok("x".repeat(2 ** 22)),
    onViolation: (reason: string) => void violations.push(reason),
  };
  const connection = connectStreams({ input, output }, handlers, fakeClock());
  for (let id = 0; id < 100; id++) input.write(`${JSON.stringify({ id, method: "a" })}\n`);
  while (!connection.isClosed()) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(violations, ["does not read its input: 64 MB are waiting"]);
});
