import assert from "node:assert/strict";
import { test } from "node:test";

import type { JsonObject } from "../../base/json.ts";
import { ok } from "../../base/result.ts";
import type { PersonQuestion } from "../../contracts/host/question.ts";
import { clientAsker } from "./client-asker.ts";

const { signal } = new AbortController();
const question: PersonQuestion = {
  from: "the agent",
  text: "Which database?",
  choices: [{ label: "PostgreSQL", description: "Runs already", isRecommended: true }, { label: "SQLite" }],
};

/**
 * Asks a question through a client that answers with these values. Returns the answer and the schema that the client
 * got.
 */
async function answered(asks: PersonQuestion, content: JsonObject) {
  let schema: unknown;
  const asker = clientAsker({
    elicit: async (form) => {
      schema = form.schema;
      return ok({ action: "accept", content });
    },
  });
  return { answer: await asker?.ask(asks, signal), schema };
}

test("a client's form shows the choices with their descriptions, and a field for free text", async () => {
  const { answer, schema } = await answered(question, { answer: "SQLite" });
  assert.deepEqual(answer, { ok: true, value: ["SQLite"] });
  assert.deepEqual(schema, {
    type: "object",
    properties: {
      answer: {
        type: "string",
        oneOf: [
          { const: "PostgreSQL", title: "PostgreSQL (recommended): Runs already" },
          { const: "SQLite", title: "SQLite" },
        ],
      },
      other: { type: "string", title: "Your own answer" },
    },
  });
});

test("free text replaces a single choice, is added to several choices, and is refused where only choices are allowed", async () => {
  const words = { answer: "SQLite", other: " MySQL " };
  assert.deepEqual((await answered(question, words)).answer, { ok: true, value: ["MySQL"] });
  const several = { ...question, hasSeveral: true };
  const both = await answered(several, { answer: ["SQLite"], other: "a cache" });
  assert.deepEqual(both.answer, { ok: true, value: ["SQLite", "a cache"] });
  const declined = { ok: false, error: { reason: "declined" } };
  assert.deepEqual((await answered({ ...question, allowsText: false }, words)).answer, declined);
  assert.deepEqual((await answered(question, {})).answer, declined);
  assert.deepEqual((await answered({ ...question, isOptional: true }, words)).answer, declined);
});
