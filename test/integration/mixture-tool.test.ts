// covers: src/providers/moa, src/runtime/models, src/tools/agent
import assert from "node:assert/strict";
import { test } from "node:test";

import type { JsonObject } from "../../src/base/json.ts";
import type { Answer, ApprovalQuestion } from "../../src/contracts/safety/approval.ts";
import { type MixtureRig, mixtureRig, requestTexts } from "../support/mixture-rig.ts";
import { seenChat } from "../support/seen-chat.ts";
import type { RecordedRequest, ScriptedTurn } from "../support/wire-servers/turn.ts";

const enabled = { model: "custom:main/a1", toolsets: ["file", "moa"] };
const preset = (more: JsonObject = {}) => ({
  default_preset: "mix",
  presets: {
    mix: {
      reference_models: [
        { provider: "custom:one", model: "r1" },
        { provider: "custom:two", model: "r2" },
      ],
      aggregator: { provider: "custom:main", model: "a1" },
      ...more,
    },
  },
});
const price = { price_input: 1_000, price_output: 1_000 };
const priced = { model_overrides: { "custom:one/r1": price, "custom:two/r2": price, "custom:main/a1": price } };
const isChat = ({ json }: RecordedRequest) => Array.isArray(json["tools"]);

/** The chat model calls the mixture once and then answers; the same server is the aggregator, which gets no tools. */
function chat(aggregated: (index: number) => ScriptedTurn) {
  let chats = 0;
  let answers = 0;
  return (request: RecordedRequest): ScriptedTurn => {
    if (!isChat(request)) return aggregated(answers++);
    const call = { name: "mixture_of_agents", args: { user_prompt: "Is P equal to NP?" } };
    return chats++ === 0 ? { calls: [call], usage: { input: 50_000, output: 0 } } : { text: "Done." };
  };
}

async function runMixture(rig: MixtureRig, answer: Answer = { scope: "once" }) {
  const questions: ApprovalQuestion[] = [];
  await using session = await rig.runtime.openSession({ source: "test" });
  session.approvals.attach({ name: "test", ask: async (question) => (questions.push(question), answer) });
  const { done } = session.prompt([{ type: "text", text: "ask them" }]);
  const { reason } = await done;
  const spent = session.usage();
  const result = requestTexts(rig.main.requests.findLast(isChat)).findLast((text) => text.includes('"tool"')) ?? "";
  return { reason, questions, result, spent };
}

test("reference models answer in parallel, each round sees the previous one, and the aggregator writes the answer", async () => {
  const settings = { ...enabled, ...priced, moa: preset({ rounds: 2, max_tokens: 1_000 }) };
  await using rig = await mixtureRig({ main: chat(() => ({ text: "Nobody knows." })) }, settings);
  const { reason, questions, result } = await runMixture(rig);
  assert.equal(reason, "answered");
  assert.match(result, /\\"success\\":true,\\"response\\":\\"Nobody knows\.\\"/u);
  assert.match(result, /\\"reference_models\\":\[\\"custom:one\/r1\\",\\"custom:two\/r2\\"\]/u);
  assert.match(result, /\\"aggregator_model\\":\\"custom:main\/a1\\"/u);
  assert.deepEqual([rig.one.requests.length, rig.two.requests.length], [2, 2]);
  const [first, second] = rig.one.requests.map((request) => JSON.stringify(request.json));
  assert.doesNotMatch(first ?? "", /two says/u);
  assert.match(second ?? "", /one says[^]*two says/u);
  const last = JSON.stringify(rig.main.requests.find((request) => !isChat(request))?.json);
  assert.match(last, /Is P equal to NP\?[^]*<reference model=[^]*one says[^]*two says/u);
  // The person sees models and cost before anything is sent.
  assert.match(questions[0]?.preview ?? "", /asks custom:one\/r1, custom:two\/r2 in 2 rounds/u);
  assert.match(questions[0]?.preview ?? "", /5 requests, at most about \$\d+\.\d\d/u);
});

test("a denied mixture call sends no request, and it is denied if no user can answer", async () => {
  await using rig = await mixtureRig({ main: chat(() => ({ text: "?" })) }, { ...enabled, moa: preset() });
  const { result } = await runMixture(rig, { scope: "deny" });
  assert.match(result, /denied/iu);
  assert.equal(rig.one.requests.length + rig.two.requests.length, 0);
});

test("a failing reference model is ignored, unless more answers are needed", async () => {
  const broken = () => ({ error: { status: 400, message: "no such model" } });
  for (const needed of [1, 2]) {
    await using rig = await mixtureRig(
      { one: broken, main: chat(() => ({ text: "Joined." })) },
      { ...enabled, moa: preset({ min_answers: needed }) },
    );
    const { result } = await runMixture(rig);
    if (needed === 1) assert.match(result, /Joined\.[^]*\[\\"custom:two\/r2\\"\]/u);
    else assert.match(result, /1 of 2 references answered, 2 needed\.[^]*no such model/u);
  }
});

test("an empty answer of the aggregator is requested once more", async () => {
  const turns = (index: number) => (index === 0 ? {} : { text: "Second try." });
  await using rig = await mixtureRig({ main: chat(turns) }, { ...enabled, moa: preset() });
  assert.match((await runMixture(rig)).result, /Second try\./u);
});

test("the budget is checked before each request, and the usage is recorded", async () => {
  await using rig = await mixtureRig(
    { main: chat(() => ({ text: "Never." })) },
    // The first request of the chat leaves 20 tokens, too few for a reference.
    { ...enabled, moa: preset(), budget: { max_tokens_per_session: 50_020 } },
  );
  const { reason } = await runMixture(rig);
  assert.equal(reason, "budget");
  assert.equal(rig.one.requests.length + rig.two.requests.length, 0);
});

test("without a key for the aggregator or a reference, or without its toolset, the tool is not offered", async () => {
  const unknown = { provider: "openrouter", model: "some/model" };
  for (const settings of [
    { ...enabled, moa: preset({ aggregator: unknown }) },
    { ...enabled, moa: preset({ reference_models: [unknown] }) },
    { model: "custom:main/a1", moa: preset() },
  ]) {
    await using rig = await mixtureRig({ main: () => ({ text: "Hi." }) }, settings);
    await runMixture(rig);
    assert.doesNotMatch(JSON.stringify(rig.main.requests[0]?.json), /mixture_of_agents/u);
  }
});

test("at a terminal the question shows the models and the cost before anything is sent", async () => {
  const model = { provider: "custom", model: "m1" };
  const call = { name: "mixture_of_agents", args: { user_prompt: "Is P equal to NP?" } };
  const turns = (request: RecordedRequest): ScriptedTurn => {
    if (!isChat(request)) return { text: "Nobody knows." };
    return JSON.stringify(request.json["messages"]).includes('"role":"tool"') ? { text: "Done." } : { calls: [call] };
  };
  await using seen = await seenChat(turns, {
    settings: {
      toolsets: ["file", "moa"],
      moa: { presets: { default: { reference_models: [model], aggregator: model } } },
    },
  });
  await seen.until(/❯$/u);
  seen.type("ask them\r");
  const question = await seen.until(/\(Enter denies\):$/u);
  assert.match(question, /Approval needed for mixture_of_agents/u);
  assert.match(question, /asks custom\/m1\n[^]*then custom\/m1 writes the answer\n[^]*2 requests/u);
  assert.match(question, /asks models, at your cost/u);
  assert.equal(seen.server.requests.length, 1);
  seen.type("o\r");
  await seen.until(/Done\.[^]*❯$/u);
  assert.match(JSON.stringify(seen.server.requests.at(-1)?.json), /Nobody knows\./u);
});
