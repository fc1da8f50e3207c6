import assert from "node:assert/strict";
import { test } from "node:test";

import { fakeClock } from "../../../test/support/fake-clock.ts";
import { scriptedModel, type ScriptedAnswer } from "../../../test/support/scripted-model.ts";
import { asId, type CallId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import { silentLog } from "../../base/log/log.ts";
import { ok } from "../../base/result.ts";
import type { SamplingSettings } from "../../contracts/mcp/server-entry.ts";
import type { ModelFacts } from "../../contracts/model/model.ts";
import type { BookedUsage } from "../../contracts/session/session.ts";
import { createSampler, type SamplingSession } from "./sample.ts";

const { signal } = new AbortController();
const settings: SamplingSettings = {
  isEnabled: true,
  allowedModels: [],
  maxTokens: 500,
  timeoutMs: 1_000,
  maxPerMinute: 3,
  maxToolRounds: 2,
};

function rig(
  answers: readonly ScriptedAnswer[],
  more: Partial<SamplingSettings> = {},
  session: Partial<SamplingSession> = {},
  facts: Partial<ModelFacts> = {},
) {
  const clock = fakeClock();
  const model = scriptedModel(answers, facts);
  const booked: BookedUsage[] = [];
  const previews: string[] = [];
  const names: (string | undefined)[] = [];
  const sampler = createSampler({ name: "files", sampling: { ...settings, ...more } }, { clock, log: silentLog });
  const own: SamplingSession = {
    async model(name) {
      names.push(name);
      return ok(model);
    },
    refusal: async () => undefined,
    async consent(preview) {
      previews.push(preview);
      return undefined;
    },
    book: async (usage) => void booked.push(usage),
    ...session,
  };
  return {
    clock,
    model,
    booked,
    previews,
    names,
    sample: (params: JsonObject) => sampler(params, own, signal),
    sampler,
  };
}

const hello = { messages: [{ role: "user", content: { type: "text", text: "Hello" } }], maxTokens: 9_000 };

test("a sampling request gets the model's answer: tokens are capped, the cost is recorded, and the user saw the request", async () => {
  const { sample, model, booked, previews } = rig([{ text: "Hi. END and more" }]);
  const answer = await sample({
    ...hello,
    systemPrompt: "Be kind.",
    includeContext: "allServers",
    stopSequences: ["END", "zz"],
  });
  const content = { type: "text", text: "Hi. " };
  assert.deepEqual(answer, ok({ role: "assistant", content, model: "test", stopReason: "stopSequence" }));
  assert.deepEqual(model.requests, [
    {
      system: [{ text: "Be kind." }],
      messages: [{ role: "user", content: [{ type: "text", text: "Hello" }] }],
      tools: [],
      maxTokens: 500,
    },
  ]);
  assert.deepEqual(
    booked.map(({ task, provider, model: name, usage }) => [task, provider, name, usage.input, usage.output]),
    [["mcp:files", "scripted", "test", 100, 10]],
  );
  assert.deepEqual(previews, ["model: scripted/test, at most 500 tokens\nsystem: Be kind.\nuser: Hello"]);
});

test("tools in a sampling request are passed to the model, with their calls and results, for a limited number of rounds", async () => {
  const call = { calls: [{ name: "look", args: '{"at":"x"}', id: "c1" }] };
  const { sample, model } = rig([call, call, { text: "done", stop: "length" }], { maxPerMinute: 99 });
  const tools = [{ name: "look", description: "Looks", inputSchema: { type: "object" } }];
  const first = await sample({ ...hello, tools });
  const use = { type: "tool_use", id: "c1", name: "look", input: { at: "x" } };
  assert.deepEqual(first, ok({ role: "assistant", content: [use], model: "test", stopReason: "toolUse" }));
  const result = { type: "tool_result", toolUseId: "c1", content: [{ type: "text", text: "a cat" }], isError: true };
  const next = [...hello.messages, { role: "assistant", content: [use] }, { role: "user", content: [result] }];
  await sample({ ...hello, messages: next, tools });
  assert.deepEqual(model.requests[1]?.messages.slice(1), [
    {
      role: "assistant",
      content: [],
      calls: [{ id: asId<CallId>("c1"), name: "look", args: { at: "x" } }],
      stop: "calls",
    },
    { role: "tool", callId: "c1", name: "look", failed: true, content: [{ type: "text", text: "a cat" }] },
  ]);
  assert.deepEqual(await sample({ ...hello, tools }), {
    ok: false,
    error: { message: "more than 2 consecutive answers that call tools" },
  });
  const last = await sample({ ...hello, toolChoice: { mode: "none" }, tools });
  const content = { type: "text", text: "done" };
  assert.deepEqual(last, ok({ role: "assistant", content, model: "test", stopReason: "maxTokens" }));
  assert.equal(model.requests[2]?.toolChoice, "none");
});

test("sampling requests beyond the limit per minute are refused without asking the user, and allowed again later", async () => {
  const { sample, clock, previews } = rig(Array.from({ length: 4 }, () => ({ text: "ok" })));
  for (let index = 0; index < 3; index++) assert.ok((await sample(hello)).ok);
  const refused = await sample(hello);
  assert.match(refused.ok ? "" : refused.error.message, /more than 3 sampling requests in a minute/u);
  assert.equal(previews.length, 3);
  clock.advance(60_000);
  assert.ok((await sample(hello)).ok);
});

test("without consent, budget, session or the setting, no sampling request reaches a model, and the server gets no details", async () => {
  const none = async (more: Partial<SamplingSettings>, session: Partial<SamplingSession>) => {
    const { sample, model, booked } = rig([], more, session);
    const answer = await sample(hello);
    assert.deepEqual([model.requests, booked], [[], []]);
    return answer.ok ? "answered" : answer.error.message;
  };
  assert.equal(await none({}, { consent: async () => "no, thanks" }), "no, thanks");
  assert.equal(await none({}, { refusal: async () => "the cap is reached" }), "the cap is reached");
  assert.match(await none({ isEnabled: false }, {}), /turned off/u);
  const nobody = await rig([]).sampler(hello, undefined, signal);
  assert.match(nobody.ok ? "" : nobody.error.message, /only while one session waits/u);
  const failing = rig([{ error: { kind: "auth", message: "the key sk-123 is wrong" } }]);
  assert.deepEqual(await failing.sample(hello), {
    ok: false,
    error: { message: "the model could not answer", code: -32603 },
  });
  const slow = rig([{ hangs: true, error: { kind: "aborted", message: "aborted" } }]);
  const late = slow.sample(hello);
  while (slow.model.requests.length === 0) await new Promise(setImmediate);
  slow.clock.advance(1_000);
  assert.equal((await late).ok, false);
  assert.equal(slow.clock.waiting, 0);
});

test("the settings choose the sampling model; a hint of the server chooses only among the allowed models", async () => {
  const hint = { ...hello, modelPreferences: { hints: [{ name: "big" }, { name: "mini" }] } };
  const chosen = async (more: Partial<SamplingSettings>, params: JsonObject = hint) => {
    const { sample, names } = rig([{ text: "ok" }], more);
    assert.ok((await sample(params)).ok);
    return names.at(-1);
  };
  assert.equal(await chosen({}), undefined);
  assert.equal(await chosen({ model: "a/one", allowedModels: ["b/mini"] }), "a/one");
  assert.equal(await chosen({ allowedModels: ["b/mini", "b/other"] }), "b/mini");
  assert.equal(await chosen({ allowedModels: ["scripted/test", "b/other"] }), undefined);
  assert.equal(await chosen({ allowedModels: ["b/other"] }, hello), "b/other");
});

test("a sampling request that breaks the protocol is refused, and images go only to a model that supports images", async () => {
  const image = { role: "user", content: { type: "image", data: "aGk=", mimeType: "image/png" } };
  const result = { type: "tool_result", toolUseId: "c1", content: [] };
  const { sample, previews } = rig([], { maxPerMinute: 99 });
  for (const params of [
    {},
    { messages: [], maxTokens: 1 },
    { ...hello, maxTokens: 0 },
    { ...hello, messages: [{ role: "system", content: { type: "text", text: "x" } }] },
    { ...hello, messages: [{ role: "user", content: { type: "video" } }] },
    { ...hello, messages: [{ role: "user", content: [result] }] },
    { ...hello, messages: [{ role: "user", content: [result, { type: "text", text: "x" }] }] },
    { ...hello, tools: [{ name: "no good name" }] },
    { ...hello, messages: [image] },
  ] as readonly JsonObject[]) {
    const answer = await sample(params);
    assert.equal(answer.ok ? 0 : answer.error.code, -32602, JSON.stringify(params));
  }
  assert.deepEqual(previews, []);
  const seeing = rig([{ text: "a cat" }], {}, {}, { vision: true });
  assert.ok((await seeing.sample({ ...hello, messages: [image] })).ok);
});
