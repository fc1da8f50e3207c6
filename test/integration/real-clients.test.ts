// covers: test/support
// The official clients of the protocols work with the scripted servers, so results of our tests against these servers
// also apply to the real ones.
import assert from "node:assert/strict";
import { test } from "node:test";

import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";

import { startModelServer } from "../support/wire-servers/model-server.ts";

const weather = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const ask = [{ role: "user", content: "weather?" }] as const;

function openAi(url: string, apiKey = "sk-right") {
  return new OpenAI({ apiKey, baseURL: url, maxRetries: 0 });
}

function anthropic(url: string, apiKey = "sk-right") {
  return new Anthropic({ apiKey, baseURL: url, maxRetries: 0 });
}

test("OpenAI's own client reads streamed text, calls and usage of the chat server", async () => {
  await using server = await startModelServer({
    protocol: "openai-chat",
    keys: ["sk-right"],
    turns: [
      { text: ["Grüße, ", "Welt 🌍"], usage: { input: 12, output: 7, cacheRead: 4 }, fault: { chunkBytes: 3 } },
      { text: "I look.", calls: [{ id: "call_1", name: "weather", args: { city: "Köln" } }, { name: "time" }] },
      { text: "cut", stop: "length" },
    ],
  });
  const client = openAi(server.url);
  const stream = () =>
    client.chat.completions.stream({
      model: "m",
      messages: [...ask],
      stream_options: { include_usage: true },
      tools: [{ type: "function", function: { name: "weather", parameters: weather } }],
    });
  const first = await stream().finalChatCompletion();
  assert.equal(first.choices[0]?.message.content, "Grüße, Welt 🌍");
  assert.equal(first.choices[0]?.finish_reason, "stop");
  assert.equal(first.usage?.prompt_tokens, 12);
  assert.equal(first.usage?.prompt_tokens_details?.cached_tokens, 4);
  const second = await stream().finalChatCompletion();
  assert.equal(second.choices[0]?.finish_reason, "tool_calls");
  assert.deepEqual(
    second.choices[0]?.message.tool_calls?.map((call) => (call.type === "function" ? call.function.arguments : "")),
    ['{"city":"Köln"}', "{}"],
  );
  const cut = await client.chat.completions.create({ model: "m", messages: [...ask] });
  assert.equal(cut.choices[0]?.finish_reason, "length");
  assert.equal(cut.choices[0]?.message.content, "cut");
});

test("OpenAI's own client reads streamed text, reasoning, calls and usage of the responses server", async () => {
  await using server = await startModelServer({
    protocol: "openai-responses",
    turns: [
      {
        reasoning: "Hmm.",
        text: ["Good ", "day"],
        calls: [{ id: "call_7", name: "weather", args: { city: "Rome" } }],
        usage: { input: 20, output: 9, reasoning: 3 },
      },
      { text: "whole" },
    ],
  });
  const client = openAi(server.url);
  const stream = client.responses.stream({ model: "m", input: "weather?" });
  let reply = "";
  stream.on("response.output_text.delta", ({ delta }) => (reply += delta));
  const answer = await stream.finalResponse();
  assert.equal(reply, "Good day");
  assert.deepEqual(
    answer.output.map((item) => item.type),
    ["reasoning", "message", "function_call"],
  );
  const call = answer.output.find((item) => item.type === "function_call");
  assert.deepEqual([call?.call_id, call?.arguments], ["call_7", '{"city":"Rome"}']);
  assert.equal(answer.usage?.output_tokens_details.reasoning_tokens, 3);
  const whole = await client.responses.create({ model: "m", input: "again" });
  assert.equal(whole.output_text, "whole");
});

test("Anthropic's own client reads streamed text, thinking, calls and usage of the messages server", async () => {
  await using server = await startModelServer({
    protocol: "anthropic-messages",
    keys: ["sk-right"],
    turns: [
      {
        reasoning: ["Let me ", "think."],
        text: ["Good ", "day 🌞"],
        calls: [{ id: "toolu_1", name: "weather", args: { city: "Oslo" } }],
        usage: { input: 30, output: 11, cacheRead: 10, cacheWrite: 5 },
        fault: { chunkBytes: 5 },
      },
      { text: "whole" },
    ],
  });
  const client = anthropic(server.url);
  const about = {
    model: "m",
    max_tokens: 100,
    messages: [...ask],
    tools: [{ name: "weather", input_schema: { ...weather, type: "object" as const } }],
  };
  const answer = await client.messages.stream(about).finalMessage();
  assert.deepEqual(
    answer.content.map((block) => (block.type === "tool_use" ? block.input : block.type)),
    ["thinking", "text", { city: "Oslo" }],
  );
  assert.equal(answer.content.find((block) => block.type === "text")?.text, "Good day 🌞");
  assert.equal(answer.stop_reason, "tool_use");
  assert.deepEqual(
    [answer.usage.input_tokens, answer.usage.output_tokens, answer.usage.cache_read_input_tokens],
    [15, 11, 10],
  );
  const whole = await client.messages.create(about);
  assert.deepEqual(whole.content, [{ type: "text", text: "whole" }]);
});

test("error responses of the scripted servers become the errors that the clients define", async () => {
  const limited = { error: { status: 429, message: "slow down", type: "rate_limit_error" } } as const;
  await using chat = await startModelServer({ protocol: "openai-chat", keys: ["sk-right"], turns: [limited] });
  const openAiAsks = (key?: string) =>
    openAi(chat.url, key).chat.completions.create({ model: "m", messages: [...ask], stream: true });
  await assert.rejects(
    openAiAsks(),
    (thrown) => thrown instanceof OpenAI.RateLimitError && /slow/u.test(thrown.message),
  );
  await assert.rejects(openAiAsks("sk-wrong"), OpenAI.AuthenticationError);

  const overloaded = { message: "Overloaded", type: "overloaded_error" };
  await using messages = await startModelServer({
    protocol: "anthropic-messages",
    keys: ["sk-right"],
    turns: [{ error: { status: 529, ...overloaded } }, { text: "begun", errorInStream: overloaded }],
  });
  const claudeAsks = (key?: string) =>
    anthropic(messages.url, key)
      .messages.stream({ model: "m", max_tokens: 10, messages: [...ask] })
      .finalMessage();
  await assert.rejects(claudeAsks(), (thrown) => thrown instanceof Anthropic.APIError && thrown.status === 529);
  await assert.rejects(
    claudeAsks(),
    (thrown) => thrown instanceof Anthropic.APIError && /Overloaded/u.test(thrown.message),
  );
  await assert.rejects(claudeAsks("sk-wrong"), Anthropic.AuthenticationError);
});

test("an error inside a stream reaches OpenAI's own client as an error", async () => {
  const broken = { text: "begun", errorInStream: { message: "the server broke", type: "server_error" } } as const;
  await using chat = await startModelServer({ protocol: "openai-chat", turns: [broken] });
  const answer = openAi(chat.url).chat.completions.stream({ model: "m", messages: [...ask] });
  await assert.rejects(answer.finalChatCompletion(), /the server broke/u);
});
