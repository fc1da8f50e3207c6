import assert from "node:assert/strict";
import { test } from "node:test";

import { fakeClock } from "../../../test/support/fake-clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { err, ok } from "../../base/result.ts";
import type { Form } from "../../contracts/host/form.ts";
import type { Asker } from "../../contracts/host/ports.ts";
import { elicit } from "./elicit.ts";

const { signal } = new AbortController();
const entry = { name: "travel", elicitation: { isEnabled: true, timeoutMs: 1_000 } };
const clock = fakeClock();

type Fill = (form: Form, signal: AbortSignal) => ReturnType<Asker["fillIn"]>;

/** The answer that the server gets and the form that the user saw. */
async function play(request: JsonObject, fillIn: Fill = async () => ok({})) {
  let shown: Form | undefined;
  const asker: Asker = {
    ask: async () => assert.fail("a form is asked"),
    fillIn: async (form, over) => fillIn((shown = form), over),
  };
  const answer = await elicit(entry, request, { asker, clock }, signal);
  return { answer, shown };
}

const form = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  message: "Please",
  requestedSchema: { type: "object", properties, required },
});

test("every field type of an elicitation request becomes a field of the form", async () => {
  const { shown } = await play(
    form(
      {
        name: { type: "string", title: "Name", description: "Yours", minLength: 2, maxLength: 9, default: "Anna" },
        mail: { type: "string", format: "email" },
        age: { type: "integer", minimum: 0, maximum: 150, default: 200 },
        share: { type: "number" },
        agree: { type: "boolean", default: false },
        plain: { type: "string", enum: ["a", "b"], default: "b" },
        named: { type: "string", enum: ["a", "b"], enumNames: ["A", "B"] },
        titled: { type: "string", oneOf: [{ const: "a", title: "A" }, { const: "b" }] },
        several: { type: "array", items: { type: "string", enum: ["x", "y"] }, minItems: 1, default: ["y"] },
        both: { type: "array", items: { anyOf: [{ const: "x", title: "X" }] }, maxItems: 1, default: ["z"] },
      },
      ["name", "several"],
    ),
  );
  const no = { isRequired: false };
  const ab = [
    { value: "a", title: "A" },
    { value: "b", title: "B" },
  ];
  assert.deepEqual(shown, {
    from: "the MCP server travel",
    text: "Please",
    fields: [
      {
        name: "name",
        title: "Name",
        description: "Yours",
        isRequired: true,
        kind: "text",
        minChars: 2,
        maxChars: 9,
        default: "Anna",
      },
      { name: "mail", ...no, kind: "text", format: "email" },
      { name: "age", ...no, kind: "number", isWhole: true, min: 0, max: 150 },
      { name: "share", ...no, kind: "number", isWhole: false },
      { name: "agree", ...no, kind: "yes_no", default: false },
      {
        name: "plain",
        ...no,
        kind: "choice",
        choices: ab.map(({ value }) => ({ value, title: value })),
        hasSeveral: false,
        default: "b",
      },
      { name: "named", ...no, kind: "choice", choices: ab, hasSeveral: false },
      {
        name: "titled",
        ...no,
        kind: "choice",
        choices: [...ab.slice(0, 1), { value: "b", title: "b" }],
        hasSeveral: false,
      },
      {
        name: "several",
        isRequired: true,
        kind: "choice",
        choices: ["x", "y"].map((value) => ({ value, title: value })),
        hasSeveral: true,
        min: 1,
        default: ["y"],
      },
      { name: "both", ...no, kind: "choice", choices: [{ value: "x", title: "X" }], hasSeveral: true, max: 1 },
    ],
  } satisfies Form);
});

test("the server gets the values of the form, without invalid ones", async () => {
  const request = form({ city: { type: "string", minLength: 2 } }, ["city"]);
  const filled = (values: JsonObject) => play(request, async () => ok(values)).then(({ answer }) => answer);
  assert.deepEqual(await filled({ city: "Oslo" }), ok({ action: "accept", content: { city: "Oslo" } }));
  for (const values of [{}, { city: "O" }, { city: "Oslo", more: 1 }])
    assert.deepEqual(await filled(values), ok({ action: "cancel" }));
  for (const [reason, action] of [
    ["declined", "decline"],
    ["cancelled", "cancel"],
    ["timeout", "cancel"],
    ["aborted", "cancel"],
  ] as const)
    assert.deepEqual((await play(request, async () => err({ reason }))).answer, ok({ action }));
});

test("an elicitation form that cannot be shown is refused before the user sees it", async () => {
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`f${index}`, { type: "string" }]));
  for (const request of [
    { message: "m" },
    form({ a: { type: "object", properties: {} } }),
    form({ a: { type: "string", enum: [1] } }),
    form({ a: { type: "array", items: { type: "number" } } }),
    form({ a: "string" }),
    form(many),
    { mode: "other", message: "m" },
    { mode: "url", message: "m", url: "file:///etc/passwd" },
    { mode: "url", message: "m", url: "javascript:alert(1)" },
    { mode: "url", message: "m" },
  ] as readonly JsonObject[]) {
    const { answer, shown } = await play(request);
    assert.equal(shown, undefined);
    assert.equal(answer.ok ? 0 : answer.error.code, -32602, JSON.stringify(request));
  }
});

test("a URL elicitation shows the address, and its answer has no content", async () => {
  const request = { mode: "url", message: "Sign in", url: "https://bank.example/x", elicitationId: "1" };
  const { answer, shown } = await play(request);
  assert.deepEqual(answer, ok({ action: "accept" }));
  assert.deepEqual(shown, {
    from: "the MCP server travel",
    text: "Sign in",
    address: "https://bank.example/x",
    fields: [],
  });
});

test("an elicitation is declined if nobody can answer, and cancelled when it times out", async () => {
  const request = form({ city: { type: "string" } });
  assert.deepEqual(await elicit(entry, request, { asker: undefined, clock }, signal), ok({ action: "decline" }));
  const late = play(request, async (_form, over) => {
    const ended = new Promise((resolve) => over.addEventListener("abort", resolve));
    clock.advance(1_000);
    await ended;
    return err({ reason: "aborted" });
  });
  assert.deepEqual((await late).answer, ok({ action: "cancel" }));
  assert.equal(clock.waiting, 0);
});
