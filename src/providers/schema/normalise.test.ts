import assert from "node:assert/strict";
import { test } from "node:test";

import { testSize } from "../../../test/support/test-size.ts";
import type { JsonObject } from "../../base/json.ts";
import { checkSchemaLine } from "./check-lines.ts";
import { normaliseSchema } from "./normalise.ts";
import { schemaProviders, type SchemaProvider } from "./provider-rules.ts";

function sent(property: unknown, provider: SchemaProvider = "openai"): unknown {
  const { schema } = normaliseSchema({ type: "object", properties: { x: property } }, provider);
  return (schema["properties"] as JsonObject)["x"];
}

test("parameters that are missing or not an object become an empty object", () => {
  for (const schema of [undefined, null, "string", 7, [], true, { type: "string" }]) {
    assert.deepEqual(normaliseSchema(schema, "openai").schema, { type: "object", properties: {} });
  }
});

test("a schema that every provider accepts stays unchanged", () => {
  const schema = {
    type: "object",
    description: "Search",
    properties: {
      query: { description: "Words", type: "string", minLength: 1 },
      limit: { type: "integer", minimum: 1, maximum: 50, default: 10 },
      tags: { type: "array", items: { type: "string" } },
    },
    required: ["query"],
    additionalProperties: false,
  };
  for (const provider of ["openai", "anthropic", "llamacpp"] as const) {
    assert.equal(JSON.stringify(normaliseSchema(schema, provider).schema), JSON.stringify(schema));
  }
});

test("null among the types becomes nullable, and several types become a union", () => {
  assert.deepEqual(sent({ type: ["string", "null"] }), { type: "string", nullable: true });
  assert.deepEqual(sent({ type: ["string", "integer", "null"] }), {
    anyOf: [{ type: "string" }, { type: "integer" }],
    nullable: true,
  });
  assert.deepEqual(
    sent({ anyOf: [{ type: "string" }, { type: "null" }], default: null, title: "T", description: "D" }),
    {
      type: "string",
      default: null,
      title: "T",
      description: "D",
      nullable: true,
    },
  );
});

test("a string in place of a schema is read as a type name, and any other value as an object", () => {
  assert.deepEqual(sent("integer"), { type: "integer" });
  assert.deepEqual(sent("whatever"), { type: "object", properties: {} });
});

test("constants in a union are merged into one enum with descriptions", () => {
  const oneOf = [
    { const: "asc", description: "small first" },
    { const: "desc", description: "large first" },
  ];
  assert.deepEqual(sent({ description: "Order", oneOf }), {
    description: "Order\nasc: small first\ndesc: large first",
    enum: ["asc", "desc"],
    type: "string",
  });
});

test("a union at the top level becomes one object with the parameters of all branches", () => {
  const branch = (name: string) => ({
    type: "object",
    properties: { op: { const: name }, [name]: { type: "string" } },
    required: ["op", name],
  });
  assert.deepEqual(normaliseSchema({ anyOf: [branch("read"), branch("write")] }, "anthropic").schema, {
    type: "object",
    properties: {
      op: { enum: ["read", "write"], type: "string" },
      read: { type: "string" },
      write: { type: "string" },
    },
    required: ["op"],
  });
});

test("branches that differ only in required become one object", () => {
  const properties = { a: { type: "string" }, b: { type: "string" } };
  const schema = { type: "object", properties, anyOf: [{ required: ["a"] }, { required: ["b"] }] };
  for (const provider of ["openai", "gemini"] as const)
    assert.deepEqual(sent(schema, provider), { type: "object", properties });
});

test("definitions of old drafts are resolved, and stay references if the provider allows references", () => {
  const schema = {
    type: "object",
    properties: { tree: { $ref: "#/definitions/Node%20A" } },
    definitions: { "Node A": { type: "object", properties: { next: { $ref: "#/definitions/Node A" } } } },
  };
  assert.deepEqual(normaliseSchema(schema, "openai").schema, {
    type: "object",
    properties: { tree: { $ref: "#/$defs/Node_A" } },
    $defs: { Node_A: { type: "object", properties: { next: { $ref: "#/$defs/Node_A" } } } },
  });
});

test("for a provider without references, a recursive definition is expanded a few levels and then accepts any value", () => {
  const schema = {
    type: "object",
    properties: { tree: { $ref: "#/$defs/T" } },
    $defs: { T: { type: "object", properties: { child: { $ref: "#/$defs/T" } } } },
  };
  const open = { type: "object", properties: {}, description: "Nested deeper than this schema shows." };
  const once = (child: object) => ({ type: "object", properties: { child } });
  assert.deepEqual(normaliseSchema(schema, "gemini").schema, {
    type: "object",
    properties: { tree: once(once(open)) },
  });
});

test("gemini gets a number type instead of an enum of numbers, and no keyword next to anyOf", () => {
  assert.deepEqual(sent({ type: "integer", enum: [0, 1, 2] }, "gemini"), {
    type: "integer",
    minimum: 0,
    maximum: 2,
    description: "One of 0, 1, 2",
  });
  assert.deepEqual(sent({ type: "number", enum: [0.5, 1], description: "Speed" }, "gemini"), {
    type: "number",
    minimum: 0.5,
    maximum: 1,
    description: "Speed\nOne of 0.5, 1",
  });
  assert.deepEqual(sent({ description: "Size", type: ["string", "number", "null"] }, "gemini"), {
    anyOf: [
      { type: "string", nullable: true, description: "Size" },
      { type: "number", nullable: true },
    ],
  });
});

test("moonshot gets types inside anyOf, a required list and no null", () => {
  const schema = { type: "string", anyOf: [{ enum: ["a", ""] }, { minLength: 3 }], nullable: true };
  assert.deepEqual(sent(schema, "moonshot"), {
    anyOf: [
      { type: "string", enum: ["a"] },
      { type: "string", minLength: 3 },
    ],
  });
  assert.deepEqual(sent({ type: "object" }, "moonshot"), { type: "object", properties: {}, required: [] });
});

test("providers that compile a grammar get no pattern that the grammar cannot express", () => {
  assert.deepEqual(sent({ type: "string", pattern: "\\d", format: "uri", maxLength: 5000 }, "llamacpp"), {
    type: "string",
  });
  assert.deepEqual(sent({ description: "Model", enum: ["a/b", "c"] }, "xai"), {
    description: 'Model\nOne of "a/b", "c"',
    type: "string",
  });
});

test("hostile schemas quickly produce a small result", () => {
  let deep: object = { type: "string" };
  const levels = testSize({ quick: 1_500, full: 5_000 });
  for (let level = 0; level < levels; level++) deep = { type: "object", properties: { a: deep } };
  const fan = (level: number) =>
    Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`p${index}`, { $ref: `#/$defs/d${level + 1}` }]));
  const laughs = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [`d${index}`, { type: "object", properties: fan(index) }]),
  );
  const cyclic: Record<string, unknown> = { type: "object" };
  cyclic["properties"] = { again: cyclic, list: { anyOf: [cyclic, { type: "array", items: cyclic }] } };
  const throwing = new Proxy({}, { get: () => assert.fail("read") });
  for (const schema of [deep, { properties: { x: { $ref: "#/$defs/d0" } }, $defs: laughs }, cyclic, throwing]) {
    for (const provider of schemaProviders) {
      assert.ok(JSON.stringify(normaliseSchema(schema, provider).schema).length < 300_000);
    }
  }
});

test("a line of check schemas returns the schema, or an error with the id of the line", () => {
  const line = (value: unknown): unknown => JSON.parse(checkedLine(JSON.stringify(value)));
  assert.deepEqual(line({ id: 1, schema: null, provider: "xai" }), {
    id: 1,
    schema: { type: "object", properties: {} },
  });
  assert.deepEqual(line({ id: "b", schema: { properties: { "a b": {} } }, provider: "openai" }), {
    id: "b",
    schema: { type: "object", properties: { a_b: {} } },
    renames: { names: { a_b: "a b" } },
  });
  const names = schemaProviders.join(", ");
  assert.deepEqual(line({ id: "c", schema: {}, provider: "gemni" }), {
    id: "c",
    error: `unknown provider "gemni"; did you mean gemini? Use one of ${names}`,
  });
  assert.deepEqual(line({ id: "d", schema: {} }), { id: "d", error: `provider is missing; use one of ${names}` });
  assert.deepEqual(line([]), { error: "a line is an object with id, schema and provider" });
  assert.match(checkedLine("{"), /^\{"error":"not JSON: /);
  assert.doesNotThrow(() => checkSchemaLine(`{"id":${"[".repeat(20_000)}${"]".repeat(20_000)},"provider":"xai"}`));
});

function checkedLine(line: string): string {
  return checkSchemaLine(line).line;
}
