import assert from "node:assert/strict";
import { test } from "node:test";

import { readDefinitions } from "./definitions.ts";

function reader() {
  const problems: string[] = [];
  return { problems, ...readDefinitions((text) => void problems.push(text)) };
}

test("unknown keys of a tool definition are dropped", () => {
  const { tool, problems } = reader();
  const annotations = { title: "Echo it", readOnlyHint: true, destructiveHint: "no" };
  assert.deepEqual(tool({ name: "echo", description: "Says it", annotations, extra: 1 }), {
    name: "echo",
    title: "Echo it",
    description: "Says it",
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: true },
  });
  assert.deepEqual(problems, []);
});

test("a tool whose name could hide text is dropped, and the report shows the name", () => {
  const { tool, problems } = reader();
  for (const name of ["", "a\u0007b", "a\u202Eb", "zero\u200Bwidth", 7, "x".repeat(300)])
    assert.equal(tool({ name }), undefined);
  assert.equal(problems[1], 'A tool was left out: "a\\u0007b" is not a name that can be used.');
  assert.equal(problems[2], 'A tool was left out: "a\\u{202e}b" is not a name that can be used.');
  assert.equal(problems.length, 6);
});

test("a tool whose schema is too deep, too large or not an object is dropped", () => {
  const { tool, problems } = reader();
  let deep: object = {};
  for (let level = 0; level < 100; level++) deep = { properties: { deep } };
  for (const inputSchema of [deep, { enum: ["x".repeat(300_000)] }, { type: "string" }, 5])
    assert.equal(tool({ name: "t", inputSchema }), undefined);
  assert.equal(tool({ name: "t", outputSchema: 5 }), undefined);
  assert.ok(tool({ name: "t", outputSchema: { type: "array" } }));
  assert.equal(problems.length, 5);
  assert.equal(problems[2], "The tool t was left out: its input schema does not describe an object.");
});

test("a long tool description is cut, and the cut is reported", () => {
  const { tool, problems } = reader();
  assert.equal(tool({ name: "t", description: "x".repeat(20_000) })?.description.length, 16_384);
  assert.deepEqual(problems, ["The description of the tool t was cut after 16384 characters."]);
});

test("the definitions of prompts, resources and templates are read", () => {
  const { prompt, resource, problems } = reader();
  assert.deepEqual(prompt({ name: "p", arguments: [{ name: "a", required: true }, "no"] }), {
    name: "p",
    description: "",
    arguments: [{ name: "a", description: "", isRequired: true }],
  });
  assert.deepEqual(resource({ uri: "file:///a", name: "a", size: 3 }), {
    uri: "file:///a",
    name: "a",
    description: "",
    size: 3,
    isTemplate: false,
  });
  assert.equal(resource({ uriTemplate: "file:///{path}" })?.isTemplate, true);
  assert.equal(resource({ uri: "a\nb" }), undefined);
  assert.equal(problems.length, 2);
});
