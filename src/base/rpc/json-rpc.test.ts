import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";

import fc from "fast-check";

import { fakeClock } from "../../../test/support/fake-clock.ts";
import type { JsonValue } from "../json.ts";
import { err, ok } from "../result.ts";
import { createRpcConnection, type RpcConnection, type RpcHandlers } from "./json-rpc.ts";

/** A connection whose peer is the test, which reads `sent` and calls `say`. */
function openConnection(handlers: RpcHandlers = {}) {
  const sent: unknown[] = [];
  const clock = fakeClock();
  const send = (line: string) => void sent.push(JSON.parse(line));
  const connection = createRpcConnection(handlers, { send, clock });
  const say = (...messages: unknown[]) =>
    connection.receive(
      Buffer.from(messages.map((one) => `${typeof one === "string" ? one : JSON.stringify(one)}\n`).join("")),
    );
  return { connection, sent, say, clock };
}

/** Two connected connections. */
function openPair(left: RpcHandlers, right: RpcHandlers): { left: RpcConnection; right: RpcConnection } {
  const clock = fakeClock();
  const peers: { left?: RpcConnection; right?: RpcConnection } = {};
  const later = (to: "left" | "right") => (line: string) => queueMicrotask(() => peers[to]?.receive(Buffer.from(line)));
  peers.left = createRpcConnection(left, { send: later("right"), clock });
  peers.right = createRpcConnection(right, { send: later("left"), clock });
  return { left: peers.left, right: peers.right };
}

const flushed = () => new Promise((resolve) => setImmediate(resolve));

test("responses settle their requests in any order", async () => {
  const { connection, sent, say } = openConnection();
  const [first, second] = [connection.request("a", { n: 1 }), connection.request("b", {})];
  assert.deepEqual(sent[0], { jsonrpc: "2.0", id: 1, method: "a", params: { n: 1 } });
  say({ id: 2, result: [2] }, { id: 1, error: { code: -32_000, message: "no", data: { x: 1 } } });
  assert.deepEqual(await first, err({ kind: "refused", code: -32_000, message: "no", data: { x: 1 } }));
  assert.deepEqual(await second, ok([2]));
});

test("both sides send requests at the same time, and a slow handler does not delay other requests", async () => {
  const gate = Promise.withResolvers<void>();
  const order: string[] = [];
  const { left, right } = openPair(
    { onRequest: async ({ method }) => ok(`left ${method}`) },
    {
      async onRequest({ method, params }) {
        if (method === "slow") await gate.promise;
        return ok(params as JsonValue);
      },
    },
  );
  const slow = left.request("slow", { n: 1 }).then((outcome) => (order.push("slow"), outcome));
  const fast = left.request("fast", { n: 2 }).then((outcome) => (order.push("fast"), outcome));
  assert.deepEqual(await right.request("back", {}), ok("left back"));
  assert.deepEqual(await fast, ok({ n: 2 }));
  gate.resolve();
  assert.deepEqual([await slow, order], [ok({ n: 1 }), ["fast", "slow"]]);
});

test("a request is answered under its id, which may be a string; a notification is not answered", async () => {
  const notifications: unknown[] = [];
  const { sent, say } = openConnection({
    onRequest: async ({ method }) =>
      method === "known" ? ok({ yes: true }) : err({ code: 7, message: "no", data: 1 }),
    onNotification: (method, params) => void notifications.push([method, params]),
  });
  say({ id: "x", method: "known" }, { id: 0, method: "other", params: [1] }, { method: "event", params: { a: 1 } });
  await flushed();
  assert.deepEqual(sent, [
    { jsonrpc: "2.0", id: "x", result: { yes: true } },
    { jsonrpc: "2.0", id: 0, error: { code: 7, message: "no", data: 1 } },
  ]);
  assert.deepEqual(notifications, [["event", { a: 1 }]]);
});

test("a request that cannot be handled gets the standard JSON-RPC error", async () => {
  const { sent, say } = openConnection({
    async onRequest({ method }) {
      if (method === "hang") await new Promise(() => {});
      throw new Error("broken");
    },
  });
  say({ id: 1, method: "throws" }, { id: 2, method: "hang" }, { id: 2, method: "hang" }, { id: 3, method: 5 });
  say({ id: {}, method: "x" });
  const bare = openConnection();
  bare.say({ id: 1, method: "x" });
  await flushed();
  const errors = [...sent, ...bare.sent] as { id: unknown; error: { code: number } }[];
  assert.deepEqual(
    errors.map(({ id, error }) => [id, error.code]),
    [
      [3, -32_600],
      [null, -32_600],
      [2, -32_600],
      [1, -32_603],
      [1, -32_601],
    ],
  );
});

test("an aborted request settles immediately, is cancelled at the peer, and leaves no listener", async () => {
  const { connection, sent, say } = openConnection({
    cancellation: (requestId) => ({ method: "cancelled", params: { requestId } }),
  });
  const stop = new AbortController();
  const pending = connection.request("a", {}, { signal: stop.signal });
  stop.abort();
  assert.deepEqual(await pending, err({ kind: "aborted" }));
  assert.deepEqual(sent[1], { jsonrpc: "2.0", method: "cancelled", params: { requestId: 1 } });
  say({ id: 1, result: "late" });
  assert.deepEqual(await connection.request("b", {}, { signal: stop.signal }), err({ kind: "aborted" }));
  assert.deepEqual([sent.length, getEventListeners(stop.signal, "abort").length], [2, 0]);
});

test("a request settles after its timeout, and a response in time stops the timer", async () => {
  const { connection, say, clock } = openConnection();
  const late = connection.request("a", {}, { timeoutMs: 1_000 });
  const prompt = connection.request("b", {}, { timeoutMs: 1_000 });
  say({ id: 2, result: 1 });
  assert.deepEqual([await prompt, clock.waiting], [ok(1), 1]);
  clock.advance(1_000);
  assert.deepEqual([await late, clock.waiting], [err({ kind: "timeout" }), 0]);
});

test("cancelling a handler aborts its signal, and the response is still sent", async () => {
  const { connection, sent, say } = openConnection({
    onRequest: ({ signal }) =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve(err({ code: 1, message: "cancelled" })))),
  });
  say({ id: 9, method: "work" });
  connection.cancelHandler(8);
  connection.cancelHandler(9);
  await flushed();
  assert.deepEqual(sent, [{ jsonrpc: "2.0", id: 9, error: { code: 1, message: "cancelled" } }]);
});

test("lines that are not messages are skipped up to a limit", async () => {
  const violations: string[] = [];
  const { connection, say } = openConnection({ onViolation: (reason) => void violations.push(reason) });
  const pending = connection.request("a", {});
  say("Welcome!", "", "[1, 2]", "{", "null", { id: 99, result: {} }, { id: 1, result: "text" });
  assert.deepEqual(await pending, ok("text"));
  for (let line = 0; line < 300; line++) say("noise");
  assert.deepEqual(violations, ["sent 201 lines that are not JSON-RPC"]);
  assert.ok(connection.isClosed());
});

test("an endless line closes the connection before it exhausts the memory", () => {
  const violations: string[] = [];
  const { connection } = openConnection({ onViolation: (reason) => void violations.push(reason) });
  const piece = Buffer.alloc(2 ** 20, "x");
  for (let count = 0; count < 40; count++) connection.receive(piece);
  assert.deepEqual(violations, ["sent a line of more than 32 MB"]);
});

test("closing settles every pending request, aborts every handler and sends nothing more", async () => {
  const aborted: string[] = [];
  const { connection, sent, say } = openConnection({
    onRequest: ({ method, signal }) =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve(ok(aborted.push(method))))),
  });
  const pending = [connection.request("a", {}), connection.request("b", {}, { timeoutMs: 5 })];
  say({ id: 1, method: "work" });
  connection.close();
  connection.notify("c", {});
  const outcomes = await Promise.all([...pending, connection.request("d", {})]);
  assert.deepEqual(outcomes, Array(3).fill(err({ kind: "closed" })));
  await flushed();
  assert.deepEqual([aborted, sent.length], [["work"], 2]);
});

test("the same messages arrive however the bytes are split", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.jsonValue(), { maxLength: 5 }),
      fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
      async (values, sizes) => {
        const { connection } = openConnection();
        const pending = values.map(() => connection.request("a", {}));
        const bytes = Buffer.from(
          values.map((result, index) => `${JSON.stringify({ id: index + 1, result })}\n`).join(""),
        );
        for (let offset = 0; offset < bytes.length;) {
          const size = sizes.next().value ?? 1;
          connection.receive(bytes.subarray(offset, offset + size));
          offset += size;
        }
        const parsed: unknown = JSON.parse(JSON.stringify(values));
        assert.deepEqual(
          (await Promise.all(pending)).map((one) => one.ok && one.value),
          parsed,
        );
      },
    ),
    { numRuns: 50 },
  );
});
