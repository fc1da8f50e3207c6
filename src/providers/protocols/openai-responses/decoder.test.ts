import assert from "node:assert/strict";
import { test } from "node:test";

import type { JsonObject } from "../../../base/json.ts";
import { loadAdapter } from "../load-adapter.ts";
import { createToolWriter } from "../wire-tools.ts";

async function decoded(...events: readonly JsonObject[]) {
  const { decoder } = await loadAdapter("openai-responses");
  const endpoint = { providerId: "p", protocol: "openai-responses", baseUrl: "http://x" } as const;
  const result = decoder({ endpoint, tools: await createToolWriter("openai")([]), emit: () => {} });
  for (const event of events) result.json(event, undefined);
  const { message } = result.answer();
  return { state: result.state(), stop: message.stop, message };
}

const delta = { type: "response.output_text.delta", output_index: 0, delta: "so far" };

test("a failed response is detected by its status, its error or the event name", async () => {
  const error = { code: "server_error", message: "boom" };
  for (const event of [
    { type: "response.failed", response: { status: "failed", error } },
    { type: "response.failed", response: { error } },
    { type: "response.failed", response: {} },
    { type: "response.completed", response: { status: "failed" } },
    { type: "response.done", response: { error } },
  ])
    assert.equal((await decoded(delta, event)).state.is, "failed");
});

test("an event with a list of outputs does not end the answer", async () => {
  const outputs = {
    type: "response.code_interpreter_call.completed",
    output_index: 1,
    output: [{ type: "logs", logs: "7" }],
  };
  const more = { type: "response.output_text.delta", output_index: 2, delta: " and more" };
  const open = await decoded(delta, outputs, more);
  assert.equal(open.state.is, "open");
  const completed = { type: "response.completed", response: { status: "completed", output: [] } };
  const { state, message } = await decoded(delta, outputs, more, completed);
  assert.equal(state.is, "ended");
  assert.deepEqual(message.content, [{ type: "text", text: "so far and more" }]);
});

test("a whole response is read, with or without an event name", async () => {
  const output = [{ type: "message", content: [{ type: "output_text", text: "yes" }] }];
  for (const body of [
    { object: "response", status: "completed", output },
    { status: "completed", output },
    { type: "response.completed", object: "response", status: "completed", output },
  ]) {
    const { state, message } = await decoded(body);
    assert.deepEqual([state.is, message.content], ["ended", [{ type: "text", text: "yes" }]]);
  }
});

test("an item that arrives only in its complete form is used once, even if it is repeated", async () => {
  const call = { type: "function_call", call_id: "c", name: "read", arguments: '{"a":1}' };
  const text = { type: "message", content: [{ type: "output_text", text: "yes" }] };
  const { message } = await decoded(
    { type: "response.output_text.done", output_index: 0, text: "yes" },
    { type: "response.output_item.done", output_index: 0, item: text },
    { type: "response.output_item.added", output_index: 1, item: { ...call, arguments: "" } },
    { type: "response.function_call_arguments.done", output_index: 1, arguments: '{"a":1}' },
    { type: "response.output_item.done", output_index: 1, item: call },
    { type: "response.completed", response: { output: [text, call] } },
  );
  assert.deepEqual(message.content, [{ type: "text", text: "yes" }]);
  assert.deepEqual(message.calls, [{ id: "c", name: "read", args: '{"a":1}' }]);
});

test("calls without an output index are separated by id", async () => {
  const call = (call_id: string, args: string) => ({
    type: "response.output_item.done",
    item: { type: "function_call", call_id, name: "read", arguments: args },
  });
  const { message } = await decoded(call("a", '{"n":1}'), call("b", '{"n":2}'), {
    type: "response.completed",
    response: {},
  });
  assert.deepEqual(
    message.calls.map(({ id, args }) => [id, args]),
    [
      ["a", '{"n":1}'],
      ["b", '{"n":2}'],
    ],
  );
});

test("an incomplete answer counts as too long, unless a content filter stopped it", async () => {
  assert.equal((await decoded(delta, { type: "response.incomplete", response: {} })).stop, "length");
  assert.equal(
    (await decoded(delta, { type: "response.completed", response: { status: "incomplete" } })).stop,
    "length",
  );
  const filtered = { status: "incomplete", incomplete_details: { reason: "content_filter" } };
  assert.equal((await decoded(delta, { type: "response.incomplete", response: filtered })).stop, "refused");
  assert.equal((await decoded(delta, { type: "response.completed", response: { error: null } })).stop, "end");
});
