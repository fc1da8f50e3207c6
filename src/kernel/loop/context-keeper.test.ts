import assert from "node:assert/strict";
import { test } from "node:test";

import { scriptedModel } from "../../../test/support/scripted-model.ts";
import { textOf, turnRig, user } from "../../../test/support/turn-rig.ts";
import type { ContextEngine, FitRequest } from "../../contracts/model/context.ts";

const words = (count: number) => "word ".repeat(count);

/** A context engine that replaces everything by one message when the request exceeds the threshold. */
function engine(threshold: number, fit?: (request: FitRequest) => ReturnType<ContextEngine["fit"]>): ContextEngine {
  return {
    name: "test",
    threshold: () => threshold,
    fit:
      fit ??
      (async ({ history }) => ({
        compaction: { covers: history.length, messages: [user("summary")], mechanical: false },
      })),
  };
}

test("a request above the threshold is compacted first, and hooks are notified", async () => {
  const model = scriptedModel([{ text: "answer" }]);
  const rig = turnRig({ model, engine: engine(1_000) });
  const notified: string[] = [];
  rig.rig.hooks.add("test", {
    beforeCompression: ({ tokens }) => void notified.push(`before ${tokens > 1_000}`),
    afterCompression: ({ tokensBefore, tokensAfter }) => void notified.push(`after ${tokensAfter < tokensBefore}`),
  });
  await rig.ask(words(2_000));
  assert.deepEqual(model.requests[0]?.messages.map(textOf), ["summary"]);
  assert.deepEqual(notified, ["before true", "after true"]);
});

test("an engine that saves too little, fails, throws or names unknown entries leaves the history unchanged", async () => {
  const outcomes: readonly ((request: FitRequest) => ReturnType<ContextEngine["fit"]>)[] = [
    async ({ history }) => ({
      compaction: { covers: 1, messages: [history[0]?.message ?? user("")], mechanical: false },
    }),
    async () => ({ failed: "no" }),
    () => Promise.reject(new Error("broken")),
    async () => ({ compaction: { covers: 0, messages: [], mechanical: false } }),
  ];
  for (const outcome of outcomes) {
    const model = scriptedModel([{ text: "answer" }]);
    const rig = turnRig({ model, engine: engine(1_000, outcome) });
    const { events } = await rig.ask(words(2_000));
    assert.equal(textOf(model.requests[0]?.messages[0]), words(2_000));
    assert.ok(rig.store.stored.every(({ type }) => type !== "compacted"));
    assert.ok(events.some((event) => event.type === "notice" && /could not be shortened/u.test(event.text)));
  }
});

test("a turn tries to compact at most twice, and the model does not see the attempts", async () => {
  let fits = 0;
  const model = scriptedModel((_, index) =>
    index < 6 ? { calls: [{ name: "nothing", args: {} }] } : { text: "done" },
  );
  const grow = engine(100, async ({ history }) => {
    fits += 1;
    const text = words(Math.max(10, 2_000 - 500 * fits));
    return { compaction: { covers: history.length, messages: [user(text)], mechanical: false } };
  });
  await turnRig({ model, engine: grow }).ask(words(3_000));
  assert.equal(fits, 2);
  for (const { messages } of model.requests) {
    assert.ok(messages.every((message) => !/context|token|window|budget/iu.test(textOf(message))));
  }
});

test("a request that is too large is compacted and retried; with compaction off the error says what to do", async () => {
  const error = { kind: "context_overflow", message: "too many tokens" } as const;
  const model = scriptedModel([{ error }, { text: "now it fits" }]);
  const { outcome } = await turnRig({ model, engine: engine(Infinity) }).ask(words(500));
  assert.equal(outcome.text, "now it fits");
  const off = engine(Infinity, async () => ({ failed: "compression.auto is off; shorten it with /compress" }));
  const refused = await turnRig({ model: scriptedModel([{ error }]), engine: off }).ask(words(500));
  assert.equal(refused.outcome.reason, "failed");
  assert.match(refused.outcome.why ?? "", /too many tokens; compression\.auto is off/u);
});

test("context that a plugin adds to a prompt stays during steering and is removed after the turn", async () => {
  const model = scriptedModel([{ calls: [{ name: "nothing", args: {} }] }, { text: "a" }, { text: "b" }]);
  const rig = turnRig({ model });
  let rain: string | undefined = "[weather: rain]";
  rig.rig.hooks.add("test", { beforeTurn: () => (rain === undefined ? undefined : { context: rain }) });
  const turn = rig.conversation.prompt(user("task").content);
  rig.conversation.steer(user("and this").content);
  await turn.done;
  rain = undefined;
  await rig.ask("next");
  const prompts = model.requests.map(({ messages }) => messages.filter(({ role }) => role === "user").map(textOf));
  assert.deepEqual(prompts.at(-2)?.[0], "task[weather: rain]");
  assert.deepEqual(prompts.at(-2)?.[1], "and this");
  assert.deepEqual(prompts.at(-1), ["task", "and this", "next"]);
});
