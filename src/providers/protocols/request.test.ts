import assert from "node:assert/strict";
import { test } from "node:test";

import { asId, type CallId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import type { AssistantMessage, Message, ToolMessage } from "../../contracts/model/message.ts";
import type { ModelRequest } from "../../contracts/model/model.ts";
import type { Endpoint, Protocol, Quirks } from "../endpoint.ts";
import { loadAdapter } from "./load-adapter.ts";
import { createToolWriter } from "./wire-tools.ts";

const image = { type: "image", mimeType: "image/png", data: "AAAA" } as const;
const read = {
  name: "read",
  description: "Reads.",
  inputSchema: { type: "object", properties: { path: { type: "string" } } },
};

const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const says = (text: string, more: Partial<AssistantMessage> = {}): AssistantMessage => ({
  role: "assistant",
  content: text === "" ? [] : [{ type: "text", text }],
  calls: [],
  stop: "end",
  ...more,
});
const calling = (...ids: readonly string[]): AssistantMessage =>
  says("", { calls: ids.map((id) => ({ id: asId<CallId>(id), name: "read", args: '{"path":"x"}' })), stop: "calls" });
const result = (id: string, text: string, more: Partial<ToolMessage> = {}): ToolMessage => ({
  role: "tool",
  callId: asId<CallId>(id),
  name: "read",
  failed: false,
  content: [{ type: "text", text }],
  ...more,
});

async function body(protocol: Protocol, request: Partial<ModelRequest>, quirks: Quirks = {}): Promise<JsonObject> {
  const endpoint: Endpoint = { providerId: "p", protocol, baseUrl: "http://x/v1", quirks };
  const whole: ModelRequest = { model: "m", system: [], messages: [user("hi")], tools: [], ...request };
  const speaker = await loadAdapter(protocol);
  const schema = protocol === "gemini" ? "gemini" : protocol === "anthropic-messages" ? "anthropic" : "openai";
  const tools = await createToolWriter(schema)(whole.tools);
  return speaker.body(whole, { endpoint, tools, memo: (message, make) => make(message) });
}

async function messages(protocol: Protocol, list: readonly Message[], quirks: Quirks = {}): Promise<unknown> {
  const json = await body(protocol, { messages: list }, quirks);
  return json["messages"] ?? json["input"] ?? json["contents"];
}

const callJson = (id: string) => ({ id, type: "function", function: { name: "read", arguments: '{"path":"x"}' } });

// ── calls and results ───────────────────────────────────────────────────────────────────────────────────────────────

test("every call has one result, even if the history lacks or repeats one", async () => {
  const history = [
    user("a"),
    calling("1", "2"),
    result("2", "two"),
    result("9", "orphan"),
    user("b"),
    result("1", "late"),
  ];
  assert.deepEqual(await messages("openai-chat", history), [
    { role: "user", content: "a" },
    { role: "assistant", content: null, tool_calls: [callJson("1"), callJson("2")] },
    { role: "tool", tool_call_id: "2", content: "two" },
    { role: "tool", tool_call_id: "1", content: "No result of this call was recorded." },
    { role: "user", content: "b" },
  ]);
});

test("empty answers are omitted", async () => {
  assert.deepEqual(await messages("openai-chat", [user("a"), says(" "), user("b")], { strictTurns: true }), [
    { role: "user", content: "a\n\nb" },
  ]);
});

// ── images ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const withImage = [
  user("look"),
  calling("1", "2"),
  result("1", "one", { content: [image] }),
  result("2", "two"),
  user("so?"),
];

test("chat: images of tool results follow all results, in a user message", async () => {
  const url = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
  assert.deepEqual(await messages("openai-chat", withImage), [
    { role: "user", content: "look" },
    { role: "assistant", content: null, tool_calls: [callJson("1"), callJson("2")] },
    { role: "tool", tool_call_id: "1", content: "(the image follows)" },
    { role: "tool", tool_call_id: "2", content: "two" },
    { role: "user", content: [{ type: "text", text: "From the result of read:" }, url] },
    { role: "user", content: "so?" },
  ]);
});

test("anthropic: images are part of the tool result, and user text follows all results", async () => {
  assert.deepEqual(await messages("anthropic-messages", withImage), [
    { role: "user", content: [{ type: "text", text: "look" }] },
    {
      role: "assistant",
      content: ["1", "2"].map((id) => ({ type: "tool_use", id, name: "read", input: { path: "x" } })),
    },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "1",
          content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } }],
        },
        { type: "tool_result", tool_use_id: "2", content: "two" },
        { type: "text", text: "so?" },
      ],
    },
  ]);
});

test("gemini: images follow the tool results of the same turn", async () => {
  const functionCall = { name: "read", args: { path: "x" } };
  assert.deepEqual(await messages("gemini", withImage), [
    { role: "user", parts: [{ text: "look" }] },
    { role: "model", parts: [{ functionCall }, { functionCall }] },
    {
      role: "user",
      parts: [
        { functionResponse: { name: "read", response: { output: "(the image follows)" } } },
        { functionResponse: { name: "read", response: { output: "two" } } },
        { inlineData: { mimeType: "image/png", data: "AAAA" } },
        { text: "so?" },
      ],
    },
  ]);
});

test("gemini accepts whole videos, and other protocols get a note that mentions the video", async () => {
  const video = { type: "video", mimeType: "video/mp4", data: "BBBB" } as const;
  const list = [user("look"), calling("1"), result("1", "", { content: [{ type: "text", text: "film" }, video] })];
  const sent = JSON.stringify(await messages("gemini", list));
  assert.ok(sent.includes('{"inlineData":{"mimeType":"video/mp4","data":"BBBB"}}') && !sent.includes("cannot process"));
  for (const protocol of ["openai-chat", "openai-responses", "anthropic-messages"] as const) {
    const text = JSON.stringify(await messages(protocol, list));
    assert.ok(text.includes("video that this model cannot process") && !text.includes("BBBB"), protocol);
  }
});

test("chat: a provider that documents support for whole videos gets them in a user message", async () => {
  const video = { type: "video", mimeType: "video/mp4", data: "BBBB" } as const;
  const list = [user("look"), calling("1"), result("1", "", { content: [{ type: "text", text: "film" }, video] })];
  const video_url = { type: "video_url", video_url: { url: "data:video/mp4;base64,BBBB" } };
  assert.deepEqual(await messages("openai-chat", list, { videos: true }), [
    { role: "user", content: "look" },
    { role: "assistant", content: null, tool_calls: [callJson("1")] },
    { role: "tool", tool_call_id: "1", content: "film" },
    { role: "user", content: [{ type: "text", text: "From the result of read:" }, video_url] },
  ]);
});

test("responses: images are part of the call's output, unless the provider does not support it", async () => {
  const list = [user("look"), calling("1"), result("1", "", { content: [image] })];
  const input_image = { type: "input_image", image_url: "data:image/png;base64,AAAA" };
  const call = { type: "function_call", call_id: "1", name: "read", arguments: '{"path":"x"}' };
  const start = [{ role: "user", content: [{ type: "input_text", text: "look" }] }, call];
  assert.deepEqual(await messages("openai-responses", list), [
    ...start,
    { type: "function_call_output", call_id: "1", output: [input_image] },
  ]);
  assert.deepEqual(await messages("openai-responses", list, { imagesInToolResults: false }), [
    ...start,
    { type: "function_call_output", call_id: "1", output: "(no output)" },
    { role: "user", content: [{ type: "input_text", text: "From the result of read:" }, input_image] },
  ]);
});

test("a model without image input gets a note instead of an image", async () => {
  for (const protocol of ["openai-chat", "openai-responses", "anthropic-messages", "gemini"] as const) {
    const text = JSON.stringify(await messages(protocol, [{ role: "user", content: [image] }], { images: false }));
    assert.match(text, /an image that this model cannot see/u);
    assert.ok(!text.includes("AAAA"));
  }
});

// ── reasoning ───────────────────────────────────────────────────────────────────────────────────────────────────────

test("reasoning is sent only to the provider that wrote it, in its own form", async () => {
  const thinking = { type: "thinking", thinking: "hm", signature: "s" };
  const sealed = { type: "reasoning", encrypted_content: "e", summary: [] };
  const cases: readonly (readonly [Protocol, JsonObject, unknown])[] = [
    ["openai-chat", { reasoning_content: "hm" }, { role: "assistant", content: "yes", reasoning_content: "hm" }],
    [
      "anthropic-messages",
      { blocks: [thinking, null] },
      { role: "assistant", content: [thinking, { type: "text", text: "yes" }] },
    ],
    ["gemini", { text: "s" }, { role: "model", parts: [{ text: "yes", thoughtSignature: "s" }] }],
    ["openai-responses", { items: [sealed, { type: "message" }] }, sealed],
  ];
  for (const [protocol, data, expected] of cases) {
    const of = (id: string, quirks: Quirks = {}) =>
      messages(protocol, [user("a"), says("yes", { reasoning: "hm", provider: { id, data } }), user("b")], quirks);
    const mine = await of("p");
    assert.deepEqual((mine as unknown[])[1], expected, protocol);
    for (const foreign of [await of("other"), await of("p", { replayReasoning: false })])
      assert.doesNotMatch(JSON.stringify(foreign), /hm|signature|Signature|encrypted/u, protocol);
  }
});

test("anthropic: thinking, texts and calls keep their order", async () => {
  const first = { type: "thinking", thinking: "1", signature: "a" };
  const second = { type: "redacted_thinking", data: "zz" };
  const message: AssistantMessage = {
    ...calling("c"),
    content: [
      { type: "text", text: "one" },
      { type: "text", text: "two" },
    ],
    provider: { id: "p", data: { blocks: [first, null, second, null] } },
  };
  const sent = (await messages("anthropic-messages", [user("a"), message, result("c", "ok")])) as readonly JsonObject[];
  assert.deepEqual(sent[1]?.["content"], [
    first,
    { type: "text", text: "one" },
    second,
    { type: "text", text: "two" },
    { type: "tool_use", id: "c", name: "read", input: { path: "x" } },
  ]);
});

test("anthropic: thinking is not requested while calls are pending that were made without it", async () => {
  const open = [user("a"), calling("1"), result("1", "x")];
  assert.equal((await body("anthropic-messages", { messages: open, reasoning: "high" }))["thinking"], undefined);
  assert.deepEqual((await body("anthropic-messages", { reasoning: "high" }))["thinking"], {
    type: "enabled",
    budget_tokens: 16_384,
  });
  assert.equal((await body("anthropic-messages", { reasoning: "high", maxTokens: 1500 }))["thinking"], undefined);
});

test("anthropic: models with adaptive thinking get an effort, and other models get a budget", async () => {
  const style = async (model: string) => {
    const sent = await body("anthropic-messages", { reasoning: "xhigh", model, maxTokens: 50_000 });
    return [sent["thinking"], sent["output_config"]];
  };
  const budget = [{ type: "enabled", budget_tokens: 32_000 }, undefined];
  const summarised = [{ type: "adaptive", display: "summarized" }, { effort: "xhigh" }];
  assert.deepEqual(await style("claude-opus-4-8"), summarised);
  assert.deepEqual(await style("claude-opus-5"), summarised);
  assert.deepEqual(await style("claude-sonnet-4.6"), [{ type: "adaptive" }, { effort: "high" }]);
  assert.deepEqual(await style("claude-sonnet-4-5-20250929"), budget);
  assert.deepEqual(await style("claude-sonnet-4-20250514"), budget);
  assert.deepEqual(await style("MiniMax-M2"), budget);
});

test("the effort is sent in the format of the provider", async () => {
  const chat = async (quirks: Quirks, reasoning: ModelRequest["reasoning"] = "high", model = "m") => {
    const {
      messages: _messages,
      model: _model,
      stream: _stream,
      stream_options: _options,
      ...rest
    } = await body("openai-chat", { reasoning: reasoning ?? "high", model }, quirks);
    return rest;
  };
  assert.deepEqual(await chat({}), { reasoning_effort: "high" });
  assert.deepEqual(await chat({}, "off"), {});
  assert.deepEqual(await chat({ efforts: ["none", "low", "high"] }, "off"), { reasoning_effort: "none" });
  assert.deepEqual(await chat({ efforts: ["low", "high"] }, "xhigh"), { reasoning_effort: "high" });
  assert.deepEqual(await chat({ reasoning: "object" }), { reasoning: { enabled: true, effort: "high" } });
  assert.deepEqual(await chat({ reasoning: "thinking" }, "off"), { thinking: { type: "disabled" } });
  assert.deepEqual(await chat({ reasoning: "none" }), {});
  assert.deepEqual(await chat({}, "high", "gpt-4o"), {});
});

// ── turns ───────────────────────────────────────────────────────────────────────────────────────────────────────────

test("anthropic and gemini: turns alternate, and the first and last are from the user", async () => {
  const history = [says("before"), user("a"), user("b"), says("c")];
  const roles = async (protocol: Protocol) =>
    ((await messages(protocol, history)) as readonly JsonObject[]).map(({ role }) => role);
  assert.deepEqual(await roles("anthropic-messages"), ["user", "assistant", "user", "assistant", "user"]);
  assert.deepEqual(await roles("gemini"), ["user", "model", "user", "model", "user"]);
});

test("the system prompt has the role that the provider expects", async () => {
  const system = [{ text: "one", cache: true }, { text: "two" }];
  const chat = async (quirks: Quirks) => (await body("openai-chat", { system }, quirks))["messages"];
  assert.deepEqual(await chat({}), [
    { role: "system", content: "one\n\ntwo" },
    { role: "user", content: "hi" },
  ]);
  assert.deepEqual(await chat({ systemRole: "user" }), [{ role: "user", content: "one\n\ntwo\n\nhi" }]);
  assert.deepEqual(((await chat({ systemRole: "developer" })) as readonly JsonObject[])[0]?.["role"], "developer");
  assert.equal((await body("openai-responses", { system }))["instructions"], "one\n\ntwo");
});

test("requests contain nothing that a provider rejects: lone surrogates, empty texts, unusual ids and names", async () => {
  const odd: readonly Message[] = [
    { role: "user", content: [{ type: "text", text: "a\ud83d" }] },
    { ...calling("call id/äöü"), calls: [{ id: asId<CallId>("call id/äöü"), name: "a b", args: "not json" }] },
    result("call id/äöü", "", { content: [] }),
    { role: "user", content: [{ type: "text", text: "" }] },
  ];
  for (const protocol of ["openai-chat", "openai-responses", "anthropic-messages", "gemini"] as const) {
    const sent = JSON.stringify(await messages(protocol, odd));
    assert.doesNotMatch(sent, /\\ud83d|call id|"a b"|not json/u, protocol);
  }
  const [first, second] = [await messages("anthropic-messages", odd), await messages("anthropic-messages", odd)];
  assert.equal(JSON.stringify(first), JSON.stringify(second));
  const short = JSON.stringify(await messages("openai-chat", odd, { shortCallIds: true }));
  assert.match(short, /"tool_call_id":"[A-Za-z0-9]{9}"/u);
});

// ── other rules ─────────────────────────────────────────────────────────────────────────────────────────────────────

test("anthropic: only the last four cache marks are sent, and none on thinking", async () => {
  const many = Array.from({ length: 6 }, (_, index) => (index % 2 === 0 ? user(`u${index}`) : says(`a${index}`)));
  const request = {
    system: [{ text: "s", cache: true }, { text: "t" }],
    messages: [...many, user("last")],
    cacheMarks: [0, 1, 2, 3, 6],
    cacheTtl: "1h" as const,
  };
  const sent = await body("anthropic-messages", request);
  const text = JSON.stringify(sent);
  assert.equal(text.match(/"cache_control":\{"type":"ephemeral","ttl":"1h"\}/gu)?.length, 4);
  assert.ok(text.indexOf("u2") < text.indexOf("cache_control", text.indexOf("u2")));
  assert.ok(
    !JSON.stringify(await body("anthropic-messages", request, { cacheControl: false })).includes("cache_control"),
  );
  assert.ok(!JSON.stringify(await body("openai-chat", request)).includes("cache_control"));
  const chat = await body("openai-chat", request, { cacheControl: true, cacheTtl: false });
  assert.deepEqual((chat["messages"] as readonly JsonObject[])[0], {
    role: "system",
    content: [
      { type: "text", text: "s\n\n", cache_control: { type: "ephemeral" } },
      { type: "text", text: "t" },
    ],
  });
});

test("the tools stay in the request even if no call is allowed", async () => {
  const request = { tools: [read], toolChoice: "none" as const };
  assert.equal((await body("openai-chat", request))["tool_choice"], "none");
  assert.equal((await body("openai-responses", request))["tool_choice"], "none");
  assert.deepEqual((await body("anthropic-messages", request))["tool_choice"], { type: "none" });
  assert.deepEqual((await body("gemini", request))["toolConfig"], { functionCallingConfig: { mode: "NONE" } });
  for (const protocol of ["openai-chat", "openai-responses", "anthropic-messages", "gemini"] as const)
    assert.ok(JSON.stringify(await body(protocol, request)).includes('"read"'));
});

test("provider quirks change the request", async () => {
  const request = { maxTokens: 100, tools: [read], conversation: "c1" };
  const sent = await body("openai-chat", request, {
    maxTokensField: "max_completion_tokens",
    temperature: 1,
    parallelToolCalls: false,
    streamUsage: false,
    conversationField: "prompt_cache_key",
  });
  assert.deepEqual(
    [
      sent["max_completion_tokens"],
      sent["max_tokens"],
      sent["temperature"],
      sent["parallel_tool_calls"],
      sent["stream_options"],
      sent["prompt_cache_key"],
    ],
    [100, undefined, 1, false, undefined, "c1"],
  );
  assert.equal((await body("openai-chat", request, { maxTokensField: "omit" }))["max_tokens"], undefined);
  const needing = await messages("openai-chat", [user("a"), calling("1"), result("1", "x")], {
    needsReasoningContent: true,
  });
  assert.equal((needing as readonly JsonObject[])[1]?.["reasoning_content"], " ");
});

test("a longer conversation starts with the bytes of the shorter one", async () => {
  const short = [user("a"), calling("1"), result("1", "x")];
  for (const protocol of ["openai-chat", "openai-responses", "anthropic-messages", "gemini"] as const) {
    const one = JSON.stringify(await messages(protocol, short));
    const other = JSON.stringify(await messages(protocol, [...short, says("done"), user("more")]));
    assert.ok(other.startsWith(one.slice(0, -1)), protocol);
  }
});

test("a fast request has the extra fields only for providers that support them", async () => {
  const fast = { service_tier: "priority" };
  for (const protocol of ["openai-chat", "openai-responses"] as const) {
    assert.equal((await body(protocol, { isFast: true }, { fast }))["service_tier"], "priority");
    assert.equal((await body(protocol, {}, { fast }))["service_tier"], undefined);
    assert.equal((await body(protocol, { isFast: true }))["service_tier"], undefined);
  }
});
