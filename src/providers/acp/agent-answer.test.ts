import assert from "node:assert/strict";
import { test } from "node:test";

import type { ModelDelta } from "../../contracts/model/model.ts";
import { findRow } from "../endpoints/find-row.ts";
import { createToolWriter } from "../protocols/wire-tools.ts";
import { createAgentAnswer } from "./agent-answer.ts";

const program = findRow("copilot-acp")?.program;
const tools = await createToolWriter("openai")([]);
const chunk = (text: string) => ({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
const counted = { inputTokens: 100, outputTokens: 20, thoughtTokens: 5, cachedReadTokens: 60, cachedWriteTokens: 0 };

function answer(updates: readonly object[], result: object) {
  assert.ok(program);
  const deltas: ModelDelta[] = [];
  const draft = createAgentAnswer({ providerId: "p", protocol: "acp", program }, tools, (delta) => deltas.push(delta));
  for (const update of updates) draft.take({ ...update });
  const end = draft.end({ ...result }, 0);
  return { end, text: deltas.map((delta) => (delta.type === "text" ? delta.delta : "")).join("") };
}

for (const [words, expected] of [
  ["400 This model's maximum context length is 8192 tokens", { kind: "context_overflow", contextTokens: 8192 }],
  ["Model 'x' not found on provider at http://localhost/v1 (HTTP 404).\n  Check that.", { kind: "not_found" }],
  ["Authentication failed with provider at http://localhost/v1 (HTTP 401).", { kind: "auth" }],
  [
    "Failed to get response from the AI model; retried 5 times. Last error: 429 Rate limit exceeded, try again in 20s",
    { kind: "rate_limited", retryAfterMs: 20_000 },
  ],
  ["You have reached your weekly rate limit.", { kind: "rate_limited" }],
  ["Something odd", { kind: "server" }],
] as const) {
  test(`an error inside the text of an answer is an error: ${words.slice(0, 30)}`, () => {
    const { end, text } = answer([chunk("Begun. "), chunk(`Error: ${words}`)], { stopReason: "end_turn" });
    assert.ok(end.type === "error");
    assert.deepEqual({ ...end.error, ...expected }, end.error);
    assert.match(end.error.message, /^copilot/u);
    assert.equal(text, "Begun. ");
  });
}

test("an answer that only mentions an error is not a failure", () => {
  const result = { stopReason: "end_turn", usage: counted };
  assert.equal(answer([chunk("Error: "), chunk("that is what it prints.")], {}).text, "Error: that is what it prints.");
  const whole = answer([chunk("Error: 404 means that nothing is there.")], result);
  assert.equal(whole.end.type, "finish");
  assert.equal(whole.text, "Error: 404 means that nothing is there.");
});

test("status messages of the program itself are not part of the answer", () => {
  const updates = [
    chunk("Info: Disabled tools: bash, view"),
    chunk('Info: Unknown tool name in the tool allowlist: "none"'),
    chunk("Info"),
    chunk(": Request failed due to a transient API error"),
  ];
  assert.equal(answer(updates, {}).text, "Info: Request failed due to a transient API error");
});

test("the usage that the program reports is limited to its context size, and without a report there is no usage", () => {
  const usage = (result: object, ...updates: object[]) => {
    const { end } = answer([chunk("x"), ...updates], result);
    return end.type === "finish" ? end.usage : end;
  };
  const whole = { input: 100, output: 20, cacheRead: 60, cacheWrite: 0, reasoning: 5 };
  assert.deepEqual(usage({ usage: counted }), whole);
  assert.deepEqual(usage({ usage: counted }, { sessionUpdate: "usage_update", used: 40, size: 128_000 }), {
    ...whole,
    input: 40,
    cacheRead: 40,
  });
  assert.deepEqual([usage({}), usage({ usage: { inputTokens: 0 } })], [undefined, undefined]);
});

test("an invalid update from the program does not throw", () => {
  const odd = [{}, { sessionUpdate: 5 }, { sessionUpdate: "agent_message_chunk", content: [1] }, { content: null }];
  assert.equal(answer([...odd, { sessionUpdate: "usage_update", used: "x" }, { sessionUpdate: "plan" }], {}).text, "");
});
