import assert from "node:assert/strict";
import { test } from "node:test";

import { err, ok } from "../../base/result.ts";
import { createRpcClient } from "./json-rpc.ts";

function desk() {
  const sent: unknown[] = [];
  const notified: unknown[] = [];
  const broken: string[] = [];
  const client = createRpcClient({
    write: (line) => void sent.push(JSON.parse(line)),
    notified: (method, params) => void notified.push([method, params]),
    asked: (method) => (method === "known" ? ok({ yes: true }) : err({ code: -32_601, message: "no" })),
    heard: () => {},
    broken: (why) => void broken.push(why),
  });
  const say = (...messages: unknown[]) =>
    client.push(
      Buffer.from(messages.map((one) => `${typeof one === "string" ? one : JSON.stringify(one)}\n`).join("")),
    );
  return { client, sent, notified, broken, say };
}

test("answers find their requests, in any order", async () => {
  const { client, sent, say } = desk();
  const [first, second] = [client.request("a", { n: 1 }), client.request("b", {})];
  assert.deepEqual(sent[0], { jsonrpc: "2.0", id: 1, method: "a", params: { n: 1 } });
  say({ id: 2, result: { n: 2 } }, { id: 1, error: { code: -32_000, message: "no", data: { x: 1 } } });
  assert.deepEqual(await first, err({ is: "refused", code: -32_000, message: "no", data: { x: 1 } }));
  assert.deepEqual(await second, ok({ n: 2 }));
});

test("what the program asks is answered under its id, which may be a text", () => {
  const { sent, notified, say } = desk();
  say({ id: "x", method: "known", params: {} }, { id: 7, method: "other" }, { method: "told", params: { a: 1 } });
  assert.deepEqual(sent, [
    { jsonrpc: "2.0", id: "x", result: { yes: true } },
    { jsonrpc: "2.0", id: 7, error: { code: -32_601, message: "no" } },
  ]);
  assert.deepEqual(notified, [["told", { a: 1 }]]);
});

test("lines that are no messages are passed over, up to a bound", async () => {
  const { client, broken, say } = desk();
  const answer = client.request("a", {});
  say("Welcome!", "", "[1, 2]", "{", "null", { id: 99, result: {} }, { id: 1, result: "text" });
  assert.deepEqual(await answer, ok({}));
  for (let line = 0; line < 300; line++) say("noise");
  assert.match(broken[0] ?? "", /no JSON-RPC/u);
});

test("a line without an end is not kept for ever", () => {
  const { client, broken } = desk();
  const piece = Buffer.alloc(2 ** 20, "x");
  for (let count = 0; count < 40 && broken.length === 0; count++) client.push(piece);
  assert.deepEqual(broken, ["a line of more than 32 MB"]);
});

test("closing answers all that is open, and later requests at once", async () => {
  const { client, sent } = desk();
  const open = client.request("a", {});
  client.close();
  assert.deepEqual([await open, await client.request("b", {})], [err({ is: "closed" }), err({ is: "closed" })]);
  client.notify("c", {});
  assert.equal(sent.length, 1);
});
