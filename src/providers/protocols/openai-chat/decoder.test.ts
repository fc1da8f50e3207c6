import assert from "node:assert/strict";
import { test } from "node:test";

import type { JsonObject } from "../../../base/json.ts";
import type { ModelDelta } from "../../../contracts/model/model.ts";
import { createToolWriter } from "../wire-tools.ts";
import { createChatDecoder } from "./decoder.ts";

const endpoint = { providerId: "p", protocol: "openai-chat", baseUrl: "http://x" } as const;
const tools = await createToolWriter("openai")([
  { name: "read", description: "", inputSchema: { type: "object", properties: { path: { type: "string" } } } },
  { name: "mcp.server/tool with blanks", description: "", inputSchema: { type: "object", properties: {} } },
]);

function decode(...events: readonly JsonObject[]) {
  const deltas: ModelDelta[] = [];
  const decoder = createChatDecoder({ endpoint, tools, emit: (delta) => deltas.push(delta) });
  for (const event of events) decoder.json(event, undefined);
  return { state: decoder.state(), ...decoder.answer(), deltas };
}

function piece(delta: JsonObject, finish_reason: string | null = null): JsonObject {
  return { choices: [{ index: 0, delta, finish_reason }] };
}

function calls(...list: readonly JsonObject[]): JsonObject {
  return piece({ tool_calls: list });
}

const end = piece({}, "tool_calls");

function called(...events: readonly JsonObject[]) {
  return decode(...events, end).message.calls.map(({ id, name, args }) => [id, name, args]);
}

test("parallel calls are separated by index", () => {
  assert.deepEqual(
    called(
      calls({ index: 0, id: "a", function: { name: "read", arguments: "" } }),
      calls({ index: 1, id: "b", function: { name: "read", arguments: '{"p' } }),
      calls({ index: 0, function: { arguments: "{}" } }, { index: 1, function: { arguments: '":1}' } }),
    ),
    [
      ["a", "read", "{}"],
      ["b", "read", '{"p":1}'],
    ],
  );
});

test("an empty object that precedes the arguments is ignored", () => {
  assert.deepEqual(
    called(
      calls({ index: 0, id: "a", function: { name: "read", arguments: "{}" } }),
      calls({ index: 0, function: { arguments: '{"path"' } }),
      calls({ index: 0, function: { arguments: ':"x"}' } }),
    ),
    [["a", "read", '{"path":"x"}']],
  );
});

test("calls that all have index 0 are separated by id", () => {
  assert.deepEqual(
    called(
      calls({ index: 0, id: "a", function: { name: "read", arguments: '{"n":1}' } }),
      calls({ index: 0, id: "b", function: { name: "read", arguments: '{"n":2}' } }),
    ),
    [
      ["a", "read", '{"n":1}'],
      ["b", "read", '{"n":2}'],
    ],
  );
});

test("calls that all have the same id are separated by index or by the start of their arguments", () => {
  for (const numbers of [
    [{ index: 0 }, { index: 1 }, { index: 2 }],
    [{}, {}, {}],
    [{ index: 0 }, { index: 0 }, { index: 0 }],
  ]) {
    const matches = called(
      ...numbers.map((number, n) => calls({ ...number, id: "a", function: { name: "read", arguments: `{"n":${n}}` } })),
    );
    assert.deepEqual(
      matches.map(([, , args]) => args),
      ['{"n":0}', '{"n":1}', '{"n":2}'],
    );
    assert.equal(new Set(matches.map(([id]) => id)).size, 3);
  }
  assert.deepEqual(
    called(
      calls({ index: 0, id: "a", function: { name: "read", arguments: "{" } }),
      calls({ index: 1, id: "a", function: { name: "read", arguments: "{" } }),
      calls({ index: 0, id: "a", function: { arguments: '"n":1}' } }),
      calls({ index: 1, id: "a", function: { arguments: '"n":2}' } }),
    ).map(([, , args]) => args),
    ['{"n":1}', '{"n":2}'],
  );
});

test("calls without indexes and without ids are treated as complete calls", () => {
  const result = called(
    calls({ function: { name: "read", arguments: { n: 1 } } }),
    calls({ function: { name: "read", arguments: '{"n":2}' } }),
  );
  assert.deepEqual(
    result.map(([, name, args]) => [name, args]),
    [
      ["read", '{"n":1}'],
      ["read", '{"n":2}'],
    ],
  );
  assert.equal(new Set(result.map(([id]) => id)).size, 2);
});

test("deltas of one call may repeat its name, or have different ids", () => {
  assert.deepEqual(
    called(
      calls({ index: 0, id: "a", function: { name: "read", arguments: "{" } }),
      calls({ index: 0, id: "a", function: { name: "read", arguments: '"n":' } }),
      calls({ index: 0, id: "zz", function: { name: null, arguments: "1}" } }),
    ),
    [["a", "read", '{"n":1}']],
  );
});

test("an answer that ends with an error is discarded", () => {
  for (const reason of ["error", "network_error", "insufficient_system_resource", "abort"]) {
    const { state } = decode(piece({ content: "so f" }), piece({}, reason));
    assert.deepEqual(state, { is: "failed", error: { error: { message: `it stopped: ${reason}`, code: 502 } } });
  }
  assert.equal(decode(piece({ content: "so f" }), piece({}, "model_context_window_exceeded")).message.stop, "length");
});

test("an empty reasoning field does not hide the other reasoning field", () => {
  const { message } = decode(piece({ reasoning_content: "", reasoning: "hm" }), piece({ content: "yes" }, "stop"));
  assert.deepEqual([message.reasoning, message.provider?.data], ["hm", { reasoning: "hm" }]);
});

test("encrypted reasoning is kept with its signature, and dropped without it", () => {
  const sealed = decode(
    piece({ reasoning_text: "hm, " }),
    piece({ reasoning_text: "so" }),
    piece({ content: "yes", reasoning_opaque: "seal" }, "stop"),
  ).message;
  assert.equal(sealed.reasoning, "hm, so");
  assert.deepEqual(sealed.provider?.data, { reasoning_text: "hm, so", reasoning_opaque: "seal" });
  const open = decode(piece({ reasoning_text: "hm" }), piece({ content: "yes" }, "stop")).message;
  assert.deepEqual([open.reasoning, open.provider], ["hm", undefined]);
});

test("an error without an error field is recognised", () => {
  const { state } = decode(piece({ content: "so f" }), { object: "error", message: "CUDA out of memory", code: 500 });
  assert.equal(state.is, "failed");
});

test("cached tokens are counted under every field name that servers use", () => {
  const usage = (of: JsonObject) =>
    decode(piece({ content: "x" }, "stop"), { choices: [], usage: of }).usage?.cacheRead;
  assert.equal(usage({ prompt_tokens: 9, prompt_tokens_details: { cached_tokens: 4 } }), 4);
  assert.equal(usage({ prompt_tokens: 9, prompt_cache_hit_tokens: 4 }), 4);
  assert.equal(usage({ prompt_tokens: 9, cache_read_input_tokens: 4 }), 4);
});

test("the name of a call may arrive last, with white space around it", () => {
  assert.deepEqual(
    called(
      calls({ index: 0, id: "a", function: { arguments: '{"n":1}' } }),
      calls({ index: 0, function: { name: " read " } }),
      calls({ index: 0, function: { name: "read", arguments: "" } }),
    ),
    [["a", "read", '{"n":1}']],
  );
});

test("an empty entry in the list of calls is not a call", () => {
  for (const entry of [
    {},
    { index: 0 },
    { index: 0, id: null, type: null, function: { name: null, arguments: null } },
    { index: 0, id: "", type: "function", function: { name: "", arguments: "" } },
  ]) {
    const { message } = decode(piece({ content: "yes", tool_calls: [entry] }), piece({}, "stop"));
    assert.deepEqual([message.calls, message.stop], [[], "end"]);
  }
});

test("a name that arrives in pieces is joined, and duplicate ids become unique", () => {
  assert.deepEqual(
    called(
      calls({ index: 0, id: "a", function: { name: "re" } }),
      calls({ index: 0, function: { name: "ad", arguments: "{}" } }),
      calls({ index: 1, id: "", function: { name: "read", arguments: "{}" } }),
    ).map(([, name]) => name),
    ["read", "read"],
  );
  const whole = {
    choices: [
      {
        message: {
          content: null,
          tool_calls: [
            { id: "a", function: { name: "read", arguments: "{}" } },
            { id: "a", function: { name: "read", arguments: "{}" } },
          ],
        },
        finish_reason: "tool_calls",
      },
    ],
  };
  assert.deepEqual(
    decode(whole).message.calls.map(({ id }) => id),
    ["a", "a_2"],
  );
});

test("a tool whose name was changed for the provider is called by its real name", () => {
  const sent = tools.list[1]?.name ?? "";
  assert.match(sent, /^[A-Za-z0-9_-]{1,64}$/u);
  assert.equal(
    called(calls({ index: 0, id: "a", function: { name: sent, arguments: "{}" } }))[0]?.[1],
    "mcp.server/tool with blanks",
  );
});

test("reasoning is read from every field, emitted once and kept to be sent back", () => {
  const plain = decode(
    piece({ reasoning_content: "a" }),
    piece({ reasoning_content: "b" }),
    piece({ content: "x" }, "stop"),
  );
  assert.equal(plain.message.reasoning, "ab");
  assert.deepEqual(plain.message.provider, { id: "p", data: { reasoning_content: "ab" } });
  const detailed = decode(
    piece({ reasoning: "a", reasoning_details: [{ type: "reasoning.text", index: 0, text: "a", signature: null }] }),
    piece({ reasoning: "b", reasoning_details: [{ type: "reasoning.text", index: 0, text: "b", signature: "s" }] }),
    piece({ content: "x" }, "stop"),
  );
  assert.equal(detailed.message.reasoning, "ab");
  assert.deepEqual(detailed.message.provider?.data, {
    reasoning_details: [{ type: "reasoning.text", index: 0, text: "ab", signature: "s" }],
  });
  const mistral = decode(
    piece({ content: [{ type: "thinking", thinking: [{ type: "text", text: "hm" }] }] }),
    piece({ content: [{ type: "text", text: "yes" }] }, "stop"),
  );
  assert.deepEqual([mistral.message.reasoning, mistral.message.content], ["hm", [{ type: "text", text: "yes" }]]);
  assert.equal(decode(piece({ content: "<think>hm</think>yes" }, "stop")).message.reasoning, "hm");
});

test("provider-specific fields of a call are kept", () => {
  const extra_content = { google: { thought_signature: "s" } };
  const { message } = decode(
    calls({ index: 0, id: "a", type: "function", function: { name: "read", arguments: "{}" }, extra_content }),
    end,
  );
  assert.deepEqual(message.provider?.data, { calls: [{ extra_content }] });
});

test("the stop reason depends on the reported reason and on the content", () => {
  const stop = (reason: string, delta: JsonObject = { content: "x" }) => decode(piece(delta, reason)).message.stop;
  assert.deepEqual(
    [
      stop("stop"),
      stop("length"),
      stop("content_filter"),
      stop("tool_calls"),
      stop("strange"),
      stop("stop", { refusal: "no" }),
    ],
    ["end", "length", "refused", "end", "end", "refused"],
  );
  assert.equal(
    stop("stop", { tool_calls: [{ index: 0, id: "a", function: { name: "read", arguments: "{}" } }] }),
    "calls",
  );
  assert.equal(
    stop("length", { tool_calls: [{ index: 0, id: "a", function: { name: "read", arguments: "{" } }] }),
    "length",
  );
});

test("usage is parsed in every format, and is undefined if missing", () => {
  const usage = (sent: JsonObject) => decode(piece({ content: "x" }, "stop"), { choices: [], usage: sent }).usage;
  assert.deepEqual(
    usage({
      prompt_tokens: 10,
      completion_tokens: 4,
      prompt_cache_hit_tokens: 6,
      completion_tokens_details: { reasoning_tokens: 3 },
    }),
    {
      input: 10,
      output: 4,
      cacheRead: 6,
      cacheWrite: 0,
      reasoning: 3,
    },
  );
  assert.deepEqual(
    usage({
      prompt_tokens: 10,
      completion_tokens: 4,
      prompt_tokens_details: { cached_tokens: 2, cache_write_tokens: 5 },
      cost: 0.5,
    }),
    {
      input: 10,
      output: 4,
      cacheRead: 2,
      cacheWrite: 5,
      reasoning: 0,
      costUsd: 0.5,
    },
  );
  assert.deepEqual(usage({ prompt_tokens: -1, completion_tokens: "x" }), {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    reasoning: 0,
  });
  assert.equal(decode(piece({ content: "x" }, "stop")).usage, undefined);
});

test("an error in a chunk fails the answer, and a chunk that only resembles an error does not", () => {
  assert.equal(decode({ error: { message: "x" } }).state.is, "failed");
  assert.equal(decode({ choices: [{ delta: {}, finish_reason: "error", error: { code: 502 } }] }).state.is, "failed");
  assert.equal(decode({ error: null, choices: [] }).state.is, "open");
});

test("a full copy of the message next to each delta is ignored", () => {
  const both = (delta: string, whole: string, reason: string | null) => ({
    choices: [{ delta: { content: delta }, message: { content: whole }, finish_reason: reason }],
  });
  assert.deepEqual(decode(both("a", "a", null), both("b", "ab", "stop")).message.content, [
    { type: "text", text: "ab" },
  ]);
});

test("a chunk with unexpected data does not throw", () => {
  const odd: JsonObject[] = [
    { choices: null },
    { choices: [null] },
    { choices: [{ delta: null }] },
    piece({ tool_calls: [null, 1, "x", {}, { index: "0", function: 5 }] }),
    piece({ content: { a: 1 }, reasoning_details: [1, null], reasoning: 5 }),
    { choices: [{ message: { content: [] } }] },
  ];
  for (const event of odd) {
    const { message, deltas } = decode(event);
    assert.deepEqual([message.content, deltas], [[], []], JSON.stringify(event));
  }
});
