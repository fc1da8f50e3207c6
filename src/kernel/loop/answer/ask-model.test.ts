import assert from "node:assert/strict";
import { test } from "node:test";

import { scriptedModel } from "../../../../test/support/scripted-model.ts";
import { type ModelClient, noUsage } from "../../../contracts/model/model.ts";
import type { AgentEventBody } from "../../../contracts/session/event.ts";
import { askModel, type ModelReply } from "./ask-model.ts";

/** A model that consults two other models before it answers. */
function mixture(): ModelClient {
  const answering = scriptedModel([{ text: "final" }]);
  const usage = { ...noUsage, input: 5 };
  return {
    facts: answering.facts,
    async *stream(request, signal) {
      yield { type: "consulted", provider: "p", model: "one", durationMs: 3, text: "hm", usage };
      yield {
        type: "consulted",
        provider: "p",
        model: "two",
        durationMs: 4,
        error: { kind: "server", message: "500" },
      };
      yield* answering.stream(request, signal);
    },
  };
}

async function ask(model: ModelClient, refusalAfter: (name: string) => string | undefined) {
  const events: AgentEventBody[] = [];
  const booked: string[] = [];
  let seconds = 0;
  const reply: ModelReply = await askModel(
    { system: [], messages: [], tools: [] },
    {
      model,
      clock: { elapsed: () => (seconds += 10) * 1_000 },
      emit: (event) => void events.push(event),
      async consulted({ model: name }) {
        booked.push(name);
        return refusalAfter(name);
      },
      onRedirect: () => ({ [Symbol.dispose]() {} }),
    },
    new AbortController().signal,
  );
  return { reply, booked, types: events.map(({ type }) => type) };
}

test("the cost of a consulted model is recorded before its event, and the answer follows", async () => {
  const { reply, booked, types } = await ask(mixture(), () => undefined);
  assert.equal(reply.how, "answered");
  assert.deepEqual(booked, ["one", "two"]);
  assert.deepEqual(types, ["model.consulted", "model.consulted", "model.called", "text.delta"]);
});

test("when consulted models exhaust the budget, the final answer is not requested", async () => {
  const model = mixture();
  const { reply, types } = await ask(model, (name) => (name === "one" ? "used up" : undefined));
  assert.deepEqual(reply, { how: "refused", why: "used up" });
  assert.deepEqual(types, ["model.consulted", "model.consulted"]);
});

test("an answer that repeats itself endlessly is aborted", async () => {
  let isStopped = false;
  const endless: ModelClient = {
    facts: scriptedModel([]).facts,
    async *stream(_request, signal) {
      yield { type: "called", provider: "p", model: "m", attempt: 1 };
      try {
        while (!signal.aborted) yield { type: "text", delta: "Let me check the file again. " };
      } finally {
        isStopped = signal.aborted;
      }
    },
  };
  const { reply, types } = await ask(endless, () => undefined);
  assert.ok(reply.how === "failed" && reply.error.message.includes("the same text over and over"));
  assert.ok(types.length < 5_000);
  await new Promise(setImmediate);
  assert.ok(isStopped);
});
