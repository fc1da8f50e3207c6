import assert from "node:assert/strict";
import { test } from "node:test";

import type { JsonObject } from "../../../base/json.ts";
import { createToolWriter } from "../wire-tools.ts";
import { createAnthropicDecoder } from "./decoder.ts";
import { anthropicMessages } from "./messages.ts";

const endpoint = { providerId: "p", protocol: "anthropic-messages", baseUrl: "http://x" } as const;

async function open() {
  const tools = await createToolWriter("anthropic")([]);
  return createAnthropicDecoder({ endpoint, tools, emit() {} });
}

test("a token count at the end of the stream does not discard counts from the start", async () => {
  const decoder = await open();
  const usage = { input_tokens: 100, cache_read_input_tokens: 40, output_tokens: 1 };
  decoder.json({ type: "message_start", message: { usage } }, undefined);
  const last = { input_tokens: 0, output_tokens: 9 };
  decoder.json({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: last }, undefined);
  const { input, output, cacheRead } = decoder.answer().usage ?? {};
  assert.deepEqual([input, output, cacheRead], [140, 9, 40]);
});

test("reasoning keeps its position in the answer, even next to empty texts", async () => {
  const thought = (n: number) => ({ type: "thinking", thinking: `t${n}`, signature: `s${n}` });
  const decoder = await open();
  const content = [
    thought(1),
    { type: "text", text: "" },
    { type: "text", text: "\n\n" },
    thought(2),
    { type: "text", text: "real" },
  ];
  decoder.json({ type: "message", content, stop_reason: "end_turn" }, undefined);
  const { message } = decoder.answer();
  const tools = await createToolWriter("anthropic")([]);
  const [, sent] = anthropicMessages(
    {
      model: "m",
      system: [],
      tools: [],
      messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }, message],
    },
    { endpoint, tools, memo: (one, make) => make(one) },
    undefined,
  );
  assert.deepEqual(sent?.["content"], [thought(1), thought(2), { type: "text", text: "real" }]);
});

test("a second message_start, and a call without an end, are reported as errors", async () => {
  const start = { type: "message_start", message: {} };
  const call = {
    type: "content_block_start",
    index: 0,
    content_block: { type: "tool_use", id: "c", name: "read", input: {} },
  };
  const piece = (partial_json: string) => ({
    type: "content_block_delta",
    index: 0,
    delta: { type: "input_json_delta", partial_json },
  });
  const stop = { type: "content_block_stop", index: 0 };
  const ended = (stop_reason: string) => ({ type: "message_delta", delta: { stop_reason } });
  const end = { type: "message_stop" };
  const stateAfter = async (...events: readonly JsonObject[]) => {
    const decoder = await open();
    for (const event of events) decoder.json(event, undefined);
    decoder.done();
    return decoder.state().is;
  };
  assert.equal(await stateAfter(start, call, stop, ended("tool_use"), end), "ended");
  assert.equal(await stateAfter(start, call, piece('{"path":"a"}'), ended("tool_use"), end), "ended");
  assert.equal(await stateAfter(start, call, start, stop, ended("tool_use"), end), "failed");
  assert.equal(await stateAfter(start, start), "failed");
  assert.equal(await stateAfter(start, call, ended("tool_use"), end), "failed");
  assert.equal(await stateAfter(start, call, piece('{"path":'), ended("tool_use")), "failed");
  assert.equal(await stateAfter(start, call, piece('{"path":'), ended("max_tokens"), end), "ended");
});

test("a paused answer can be continued", async () => {
  const decoder = await open();
  const content = [{ type: "text", text: "so far" }];
  decoder.json({ type: "message", content, stop_reason: "pause_turn" }, undefined);
  assert.equal(decoder.answer().message.stop, "length");
});
