import assert from "node:assert/strict";
import { test } from "node:test";

import { scriptedModel } from "../../../../test/support/scripted-model.ts";
import { echo, textOf, turnRig } from "../../../../test/support/turn-rig.ts";
import type { ModelClient } from "../../../contracts/model/model.ts";

test("a truncated answer is complete if the model adds nothing when asked to continue", async () => {
  const model = scriptedModel([{ text: "all of it", stop: "length" }, { text: "" }]);
  const rig = turnRig({ model });
  const { reason, text: answer, why } = (await rig.ask("count")).outcome;
  assert.deepEqual([reason, answer, why], ["answered", "all of it", undefined]);
  assert.deepEqual(rig.log.history.messages.map(textOf), ["count", "all of it"]);
});

test("if an interrupted answer used up the budget, no further attempt is made", async () => {
  const price = { input: 0, output: 4_000_000 };
  const answering = scriptedModel([], { price });
  const attempts: string[] = [];
  const model: ModelClient = {
    facts: answering.facts,
    async *stream() {
      const by = { provider: "scripted", model: "test" };
      for (const attempt of [1, 2]) {
        yield { type: "called", ...by, attempt };
        attempts.push(`attempt ${attempt}`);
        yield { type: "text", delta: "half an answer" };
        yield { type: "failed", error: { kind: "network", message: "cut" }, next: "retry", how: "again" };
      }
      yield { type: "called", provider: "other", model: "other", attempt: 3 };
      attempts.push("attempt 3");
    },
  };
  const rig = turnRig({ model, caps: { usd: { turn: 20 }, tokens: {} } });
  const { reason, usage, why } = (await rig.ask("go")).outcome;
  assert.deepEqual([reason, usage.costUsd, attempts], ["budget", 32, ["attempt 1", "attempt 2"]]);
  assert.match(why ?? "", /max_usd_per_turn/u);
  const booked = rig.store.stored.flatMap((entry) =>
    entry.type === "usage" ? [[entry.model, entry.usage.costUsd]] : [],
  );
  assert.deepEqual(booked, [
    ["test", 16],
    ["test", 16],
  ]);
});

test("a retried request does not count as a step of the turn", async () => {
  const model = scriptedModel([
    { text: "" },
    { text: "half, ", stop: "length" },
    { text: "whole" },
    { calls: [{ name: "echo", args: { words: "a" } }] },
    { text: "" },
    { text: "summing up" },
  ]);
  const rig = turnRig({ model, tools: [echo], ports: { limits: { modelCalls: 1 } } });
  assert.equal((await rig.ask("go")).outcome.text, "half, whole");
  const { reason, modelCalls } = (await rig.ask("work")).outcome;
  assert.deepEqual([reason, modelCalls], ["budget", 2]);
});
