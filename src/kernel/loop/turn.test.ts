import assert from "node:assert/strict";
import { test } from "node:test";

import { z } from "zod";

import { scriptedModel } from "../../../test/support/scripted-model.ts";
import { echo, textOf, turnRig, user } from "../../../test/support/turn-rig.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import { fail, text } from "../../contracts/tool/tool-result.ts";

const broken = defineTool({
  name: "broken",
  toolset: "test",
  description: "Fails",
  input: z.object({}),
  traits: { readOnly: true },
  run: async () => fail("it is broken"),
});

const deaf = defineTool({
  name: "deaf",
  toolset: "test",
  description: "Never ends and does not listen",
  input: z.object({}),
  effects: () => [],
  run: () => new Promise(() => {}),
});

const roles = (rig: ReturnType<typeof turnRig>) => rig.log.history.messages.map(({ role }) => role);

test("a turn returns the model's answer to the prompt", async () => {
  const rig = turnRig({ model: scriptedModel([{ text: "Hello." }]) });
  const { outcome, events } = await rig.ask("hi");
  assert.equal(outcome.reason, "answered");
  assert.equal(outcome.text, "Hello.");
  assert.deepEqual(roles(rig), ["user", "assistant"]);
  assert.equal(events[0]?.type, "turn.started");
  assert.equal(events.at(-1)?.type, "turn.finished");
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, index) => index),
  );
});

test("calls run and the model sees their results in the order of the calls", async () => {
  const model = scriptedModel([
    {
      calls: [
        { name: "echo", args: { words: "a" } },
        { name: "echo", args: { words: "b" } },
      ],
    },
    { text: "Both said." },
  ]);
  const rig = turnRig({ model, tools: [echo] });
  const { outcome } = await rig.ask("say a and b");
  assert.equal(outcome.text, "Both said.");
  assert.equal(outcome.toolCalls, 2);
  assert.equal(outcome.usage.input, 200);
  const [, second] = model.requests;
  assert.deepEqual(second?.messages.slice(2).map(textOf), ["echo a", "echo b"]);
});

test("every call is recorded before it runs, after the message that contains it", async () => {
  const rig = turnRig({
    model: scriptedModel([{ calls: [{ name: "echo", args: { words: "a" } }] }, { text: "ok" }]),
    tools: [echo],
  });
  await rig.ask("go");
  assert.deepEqual(
    rig.store.stored.map(({ type }) => type),
    ["message", "message", "usage", "planned", "dispatched", "settled", "message", "usage"],
  );
});

test("an invalid call gets a result, and the valid calls run", async () => {
  const model = scriptedModel([
    {
      calls: [
        { name: "nothing", args: {} },
        { name: "echo", args: "{not json" },
      ],
    },
    { text: "I see." },
  ]);
  const rig = turnRig({ model, tools: [echo] });
  await rig.ask("go");
  assert.deepEqual(roles(rig), ["user", "assistant", "tool", "tool", "assistant"]);
  assert.match(textOf(rig.log.history.messages[2]), /Unknown tool: nothing/u);
  assert.match(textOf(rig.log.history.messages[3]), /JSON/u);
});

test("a misspelled tool name resolves to the tool", async () => {
  const model = scriptedModel([{ calls: [{ name: "functions.Echo", args: { words: "x" } }] }, { text: "ok" }]);
  const rig = turnRig({ model, tools: [echo] });
  await rig.ask("go");
  assert.equal(textOf(rig.log.history.messages[2]), "echo x");
});

test("duplicate call ids are replaced", async () => {
  const model = scriptedModel([
    { calls: [{ name: "echo", args: { words: "a" }, id: "call_0" }] },
    { calls: [{ name: "echo", args: { words: "b" }, id: "call_0" }] },
    { text: "ok" },
  ]);
  const rig = turnRig({ model, tools: [echo] });
  await rig.ask("go");
  const results = rig.log.history.messages.filter(({ role }) => role === "tool");
  assert.deepEqual(results.map(textOf), ["echo a", "echo b"]);
  assert.equal(new Set(results.map((message) => message.role === "tool" && message.callId)).size, 2);
});

test("an abort ends the turn even if a tool ignores it and never returns, and the call gets a result", async () => {
  const rig = turnRig({ model: scriptedModel([{ calls: [{ name: "deaf", args: {} }] }]), tools: [deaf] });
  const turn = rig.conversation.prompt(user("go").content);
  for await (const event of turn.events()) if (event.type === "tool.started") break;
  // The handler starts after the event was emitted.
  await new Promise(setImmediate);
  turn.abort("enough");
  const outcome = await turn.done;
  assert.equal(outcome.reason, "aborted");
  assert.match(textOf(rig.log.history.messages.at(-1)), /(?:effect|outcome) is unknown/u);
  assert.deepEqual(rig.log.history.openCalls(), []);
});

test("the cost of an interrupted answer is estimated and recorded", async () => {
  const price = { input: 1_000, output: 4_000 };
  const rig = turnRig({ model: scriptedModel([{ text: "half an answer", hangs: true }], { price }) });
  const turn = rig.conversation.prompt(user("go").content);
  for await (const event of turn.events()) if (event.type === "text.delta") break;
  turn.abort("enough");
  const { usage } = await turn.done;
  assert.ok(usage.estimated && usage.output === 4 && (usage.costUsd ?? 0) > 0);
  const booked = rig.store.stored.flatMap((entry) => (entry.type === "usage" ? [entry.usage] : []));
  assert.deepEqual(booked, [usage]);
});

test("an abort keeps the part of the answer that has arrived", async () => {
  const rig = turnRig({ model: scriptedModel([{ text: "The first half", hangs: true }]) });
  const turn = rig.conversation.prompt(user("go").content);
  for await (const event of turn.events()) if (event.type === "text.delta") turn.abort("enough");
  assert.equal((await turn.done).text, "The first half");
  assert.equal(textOf(rig.log.history.messages.at(-1)), "The first half");
});

test("a reader that stops reading or leaves does not affect the turn, and a second reader gets all events", async () => {
  const rig = turnRig({ model: scriptedModel([{ text: "Hello." }]) });
  const turn = rig.conversation.prompt(user("hi").content);
  const stalled = turn.events()[Symbol.asyncIterator]();
  await stalled.next();
  for await (const _ of turn.events()) break;
  assert.equal((await turn.done).reason, "answered");
  const types: string[] = [];
  for await (const { type } of turn.events()) types.push(type);
  assert.equal(types.at(-1), "turn.finished");
});

test("a message sent during a turn reaches the model after the current tool results", async () => {
  const model = scriptedModel([{ calls: [{ name: "echo", args: { words: "a" } }] }, { text: "ok" }]);
  const rig = turnRig({ model, tools: [echo] });
  const turn = rig.conversation.prompt(user("go").content);
  for await (const event of turn.events()) if (event.type === "tool.started") break;
  rig.conversation.steer(user("and be quick").content);
  await turn.done;
  assert.deepEqual(model.requests[1]?.messages.slice(-2).map(textOf), ["echo a", "and be quick"]);
});

test("a redirect aborts the running request", async () => {
  const model = scriptedModel((_, index) => (index === 0 ? { text: "Wrong", hangs: true } : { text: "Right." }));
  const rig = turnRig({ model });
  const turn = rig.conversation.prompt(user("go").content);
  for await (const event of turn.events()) if (event.type === "text.delta") break;
  rig.conversation.redirect(user("the other way").content);
  assert.equal((await turn.done).text, "Right.");
  assert.equal(textOf(model.requests[1]?.messages.at(-1)), "the other way");
});

test("a prompt sent during a turn becomes the next turn", async () => {
  const rig = turnRig({ model: scriptedModel([{ text: "one" }, { text: "two" }]) });
  const first = rig.conversation.prompt(user("1").content);
  const second = rig.conversation.prompt(user("2").content);
  assert.equal(rig.conversation.queued.length, 1);
  assert.equal((await first.done).text, "one");
  assert.equal((await second.done).text, "two");
  assert.equal(rig.conversation.turn, undefined);
});

test("a prompt starts before queued prompts; those that a stop holds differ from later ones", async () => {
  const { conversation } = turnRig({ model: scriptedModel([{ text: "one" }, { text: "now" }]) });
  const first = conversation.prompt(user("1").content);
  conversation.queue(user("held").content);
  conversation.stop("by hand");
  conversation.queue(user("later").content);
  const second = conversation.prompt(user("now").content);
  const waiting = conversation.queued.map((content, place) => [
    textOf({ role: "user", content }),
    conversation.isHeld(place),
  ]);
  assert.deepEqual(waiting, [
    ["now", false],
    ["held", true],
    ["later", false],
  ]);
  await first.done;
  assert.deepEqual(conversation.turn, second);
  await second.done;
});

test("a prompt that is removed from the queue has no events, and the running turn goes on", async () => {
  const rig = turnRig({ model: scriptedModel([{ text: "one" }, { text: "three" }]) });
  const first = rig.conversation.prompt(user("1").content);
  const second = rig.conversation.prompt(user("2").content);
  const third = rig.conversation.prompt(user("3").content);
  rig.conversation.editQueue.remove(0);
  assert.deepEqual([(await second.done).reason, (await second.done).why], ["aborted", "removed from the queue"]);
  assert.deepEqual(await Array.fromAsync(second.events()), []);
  const [one, three] = [await first.done, await third.done];
  assert.deepEqual([one.text, three.text], ["one", "three"]);
  const turns = (await Array.fromAsync(third.events(0))).flatMap((event) =>
    event.type === "turn.started" || event.type === "turn.finished" ? [[event.type, event.turnId]] : [],
  );
  assert.deepEqual(turns, [
    ["turn.started", first.id],
    ["turn.finished", first.id],
    ["turn.started", third.id],
    ["turn.finished", third.id],
  ]);
});

test("when no steps are left, the model writes a summary without tools", async () => {
  const model = scriptedModel((_, index) =>
    index < 3 ? { calls: [{ name: "echo", args: { words: `${index}` } }] } : { text: "There are three." },
  );
  const rig = turnRig({ model, tools: [echo], ports: { limits: { modelCalls: 3 } } });
  const { outcome } = await rig.ask("go");
  assert.equal(outcome.reason, "budget");
  assert.equal(outcome.text, "There are three.");
  assert.equal(model.requests[3]?.toolChoice, "none");
});

test("an empty answer is requested again, and the hint in that request is not stored", async () => {
  const model = scriptedModel([{ text: "" }, { text: "Here." }]);
  const rig = turnRig({ model });
  const { outcome } = await rig.ask("go");
  assert.equal(outcome.text, "Here.");
  assert.deepEqual(roles(rig), ["user", "assistant"]);
});

test("a model that only gives empty answers ends the turn with a failure", async () => {
  const rig = turnRig({ model: scriptedModel(() => ({ text: "" })) });
  const { outcome } = await rig.ask("go");
  assert.equal(outcome.reason, "failed");
  assert.match(outcome.why ?? "", /empty/u);
});

test("the model is asked to repeat a call that it wrote as text, and if it does not, the text is the answer", async () => {
  const leaked = '<tool_call>{"name":"read","arguments":{}}</tool_call>';
  const rig = turnRig({ model: scriptedModel([{ text: leaked }, { text: "Here." }]) });
  assert.equal((await rig.ask("go")).outcome.text, "Here.");
  assert.deepEqual(rig.log.history.messages.map(textOf), ["go", "Here."]);
  const { outcome } = await turnRig({ model: scriptedModel(() => ({ text: leaked })) }).ask("go");
  assert.deepEqual([outcome.reason, outcome.text, outcome.modelCalls], ["answered", leaked, 3]);
  assert.match(outcome.why ?? "", /as text/u);
});

test("a truncated answer is continued with another request", async () => {
  const rig = turnRig({ model: scriptedModel([{ text: "one, ", stop: "length" }, { text: "two" }]) });
  assert.equal((await rig.ask("count")).outcome.text, "one, two");
});

const memory = defineTool({
  name: "memory",
  toolset: "test",
  description: "Remembers",
  input: z.object({}),
  traits: { readOnly: true },
  run: async () => text("remembered"),
});

test("text next to a bookkeeping call is the answer if the model sends nothing more", async () => {
  const model = scriptedModel([{ text: "It is 42.", calls: [{ name: "memory", args: {} }] }, { text: "" }]);
  const { outcome } = await turnRig({ model, tools: [memory] }).ask("how much?");
  assert.deepEqual([outcome.reason, outcome.text, outcome.modelCalls], ["answered", "It is 42.", 2]);
});

test("text next to a call with effects is not the answer", async () => {
  const model = scriptedModel([
    { text: "Let me look.", calls: [{ name: "echo", args: { words: "a" } }] },
    { text: "" },
    { text: "It says a." },
  ]);
  const { outcome } = await turnRig({ model, tools: [echo] }).ask("look");
  assert.equal(outcome.text, "It says a.");
});

test("text that precedes calls is not part of the answer after the calls", async () => {
  const model = scriptedModel([
    { text: "First I will", stop: "length" },
    { text: " look.", calls: [{ name: "echo", args: { words: "a" } }] },
    { text: "Done." },
  ]);
  const { outcome } = await turnRig({ model, tools: [echo] }).ask("look");
  assert.equal(outcome.text, "Done.");
});

test("a message that arrives during the last answer gets a separate answer", async () => {
  const model = scriptedModel((_request, index) => {
    if (index === 0) rig.conversation.steer(user("and in French?").content);
    return { text: index === 0 ? "Hello." : "Bonjour." };
  });
  const rig = turnRig({ model });
  const { outcome } = await rig.ask("greet");
  assert.deepEqual([outcome.text, outcome.modelCalls], ["Bonjour.", 2]);
  assert.deepEqual(rig.log.history.messages.map(textOf), ["greet", "Hello.", "and in French?", "Bonjour."]);
});

test("an answer that the model refused to finish is kept, and the outcome says why it is incomplete", async () => {
  const { outcome } = await turnRig({ model: scriptedModel([{ text: "First, ", stop: "refused" }]) }).ask("go");
  assert.deepEqual(
    [outcome.reason, outcome.text, outcome.why],
    ["answered", "First, ", "The model refused to continue."],
  );
});

test("a truncated call does not run, and the answer is requested again with a higher token limit", async () => {
  const model = scriptedModel([
    { calls: [{ name: "echo", args: '{"words":"a' }], stop: "length" },
    { calls: [{ name: "echo", args: { words: "a" } }] },
    { text: "ok" },
  ]);
  const rig = turnRig({ model, tools: [echo] });
  await rig.ask("go");
  assert.equal(model.requests[1]?.maxTokens, 8192);
  assert.deepEqual(roles(rig), ["user", "assistant", "tool", "assistant"]);
});

test("a repeated failing call gets a warning, then is refused, and then ends the turn", async () => {
  const model = scriptedModel(() => ({ calls: [{ name: "broken", args: {} }] }));
  const rig = turnRig({ model, tools: [broken] });
  const { outcome } = await rig.ask("go");
  assert.equal(outcome.reason, "failed");
  const results = rig.log.history.messages.filter(({ role }) => role === "tool").map(textOf);
  assert.match(results[1] ?? "", /Loop warning/u);
  assert.match(results[5] ?? "", /Not run/u);
  assert.ok(results.length < 15);
});

test("if the model fails, the turn ends with the reason", async () => {
  const error = { kind: "auth", message: "The key was refused. Set another: hermes auth add" } as const;
  const rig = turnRig({ model: scriptedModel([{ error }]) });
  const { outcome } = await rig.ask("go");
  assert.deepEqual([outcome.reason, outcome.why], ["failed", error.message]);
});

test("with a budget of 0 no request is sent", async () => {
  const model = scriptedModel([{ text: "never" }]);
  const rig = turnRig({ model, caps: { usd: { day: 0 }, tokens: {} } });
  const { outcome } = await rig.ask("go");
  assert.equal(outcome.reason, "budget");
  assert.equal(model.requests.length, 0);
  assert.match(outcome.why ?? "", /budget\.max_usd_per_day/u);
});

test("the budget is checked before every model call", async () => {
  const usage = { input: 10, output: 1, costUsd: 0.6 };
  const model = scriptedModel(() => ({ calls: [{ name: "echo", args: { words: "a" } }], usage }));
  const rig = turnRig({ model, tools: [echo], caps: { usd: { turn: 1 }, tokens: {} } });
  assert.equal((await rig.ask("go")).outcome.reason, "budget");
  assert.equal(model.requests.length, 2);
});

test("a token limit includes the next request before it is sent", async () => {
  const usage = { input: 400, output: 10 };
  const model = scriptedModel(() => ({ calls: [{ name: "echo", args: { words: "a" } }], usage }));
  const long = turnRig({ model, tools: [echo], caps: { usd: {}, tokens: { turn: 900 } } });
  const refused = (await long.ask("word ".repeat(2_000))).outcome;
  assert.deepEqual([refused.reason, model.requests.length], ["budget", 0]);
  assert.match(refused.why ?? "", /900 tokens, with 0 used and about \d{4} needed for the next request/u);
  // After two answers 820 tokens are used: the limit is not reached yet, but the third request would exceed it.
  const short = turnRig({ model, tools: [echo], caps: { usd: {}, tokens: { turn: 850 } } });
  const stopped = (await short.ask("go")).outcome;
  assert.deepEqual([stopped.reason, model.requests.length], ["budget", 2]);
});

test("a warning that a dollar budget cannot be enforced without a known price appears once", async () => {
  const model = scriptedModel([{ calls: [{ name: "echo", args: { words: "a" } }] }, { text: "ok" }, { text: "again" }]);
  const rig = turnRig({ model, tools: [echo], caps: { usd: { turn: 1 }, tokens: {} } });
  const events = [...(await rig.ask("go")).events, ...(await rig.ask("go")).events];
  const notices = events.flatMap((event) => (event.type === "notice" ? [event.text] : []));
  assert.equal(notices.length, 1);
  assert.match(notices[0] ?? "", /The price of test is unknown/u);
});

test("a call that cannot be recorded does not run", async () => {
  let ran = 0;
  const counted = defineTool({
    name: "counted",
    toolset: "test",
    description: "Counts",
    input: z.object({}),
    effects: () => [],
    run: async () => text(`${++ran}`),
  });
  const model = scriptedModel((_, index) =>
    index === 0 ? { calls: [{ name: "counted", args: {} }] } : { text: "ok" },
  );
  const rig = turnRig({ model, tools: [counted] });
  const turn = rig.conversation.prompt(user("go").content);
  for await (const event of turn.events()) if (event.type === "message.added") rig.store.fail("the disk is full");
  const outcome = await turn.done;
  assert.equal(outcome.reason, "failed");
  assert.match(outcome.why ?? "", /disk is full/u);
  assert.equal(ran, 0);
});
