import assert from "node:assert/strict";
import { test } from "node:test";

import { fakeClock } from "../../../test/support/fake-clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { err, ok } from "../../base/result.ts";
import type { PersonAnswer, PersonQuestion } from "../../contracts/host/question.ts";
import type { WideContext } from "../../contracts/tool/tool.ts";
import clarify from "./clarify.tool.ts";

/** Calls the tool with a user who gives this answer. */
async function call(args: JsonObject, answer: PersonAnswer = ok(["yes"])) {
  const questions: PersonQuestion[] = [];
  const prepared = await clarify.prepare(args);
  if (!prepared.ok) return { questions, error: prepared.error.message };
  const asker = {
    ask: async (question: PersonQuestion) => (questions.push(question), answer),
    fillIn: async () => ok({}),
  };
  const { signal } = new AbortController();
  // The tool uses no other part of its context.
  const result = await prepared.value.run({ asker, signal, clock: fakeClock() } as unknown as WideContext);
  return result.ok ? { questions, data: result.value.data } : { questions, error: result.error.message };
}

test("a choice is a string, or an object with its label in any common property", async () => {
  const choices = [
    "a",
    { label: "b", description: "second", recommended: true },
    { title: "c" },
    { text: "d", description: "last" },
  ];
  const { questions, data } = await call({ question: "Which?", choices }, ok(["b"]));
  assert.deepEqual(questions[0]?.choices, [
    { label: "a" },
    { label: "b", description: "second", isRecommended: true },
    { label: "c" },
    { label: "d", description: "last" },
  ]);
  assert.deepEqual(data, { question: "Which?", choices_offered: ["a", "b", "c", "d"], user_response: "b" });
});

test("several answers are returned as a list, and a missing answer as a sentence that the model understands", async () => {
  const question = "Which?";
  const several = await call({ question, choices: ["a", "b"], multi_select: true }, ok(["a", "b"]));
  assert.deepEqual(several.data, { question, choices_offered: ["a", "b"], user_response: ["a", "b"] });
  const late = await call({ question }, err({ reason: "timeout" }));
  assert.match(JSON.stringify(late.data), /did not answer within .* Decide yourself/u);
  assert.match(JSON.stringify((await call({ question }, err({ reason: "declined" }))).data), /declined to answer/u);
  assert.match((await call({ question }, err({ reason: "aborted" }))).error ?? "", /withdrawn/u);
});

test("an invalid question is rejected before the user sees it", async () => {
  const seven = Array.from({ length: 7 }, (_, index) => `choice ${index}`);
  for (const [args, reason] of [
    [{ question: " " }, /empty/u],
    [{ question: "Which?", choices: seven }, /choices/u],
    [{ question: "Which?", choices: ["a", " A "] }, /the same/u],
    [{ question: "Which?", choices: [{ color: "red" }] }, /no label/u],
    [{ question: "Which?", allow_freetext: false }, /Without choices/u],
  ] as const) {
    const { questions, error } = await call(args);
    assert.match(error ?? "", reason);
    assert.deepEqual(questions, []);
  }
});

test("the definition that is sent with every request is small", () => {
  const { name, description, inputSchema } = clarify;
  assert.ok(JSON.stringify({ name, description, parameters: inputSchema }).length <= 400);
});
