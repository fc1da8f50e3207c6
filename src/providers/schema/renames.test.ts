import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import type { JsonObject, JsonValue } from "../../base/json.ts";
import { normaliseSchema } from "./normalise.ts";
import { schemaProviders } from "./provider-rules.ts";
import { restoreArguments } from "./renames.ts";

test("invalid property names are cleaned, collisions are numbered, and arguments are mapped back", () => {
  const long = "é".repeat(70);
  const properties = { "a b": {}, "a@b": {}, a_b: {}, [long]: {}, "": {} };
  const { schema, renames } = normaliseSchema({ type: "object", properties, required: ["a@b"] }, "anthropic");
  assert.deepEqual(Object.keys(schema["properties"] as object), ["a_b_2", "a_b_3", "a_b", "_".repeat(64), "_"]);
  assert.deepEqual(schema["required"], ["a_b_3"]);
  const args = { a_b_2: 1, a_b_3: 2, a_b: 3, ["_".repeat(64)]: 4, _: 5, other: 6 };
  assert.deepEqual(restoreArguments(args, renames), { "a b": 1, "a@b": 2, a_b: 3, [long]: 4, "": 5, other: 6 });
});

test("names are mapped back inside objects, items, maps, unions and recursive schemas", () => {
  const node = { type: "object", properties: { "next node": { $ref: "#/$defs/N" }, "the value": { type: "string" } } };
  const schema = {
    type: "object",
    properties: {
      list: { type: "array", items: { $ref: "#/$defs/N" } },
      map: { type: "object", additionalProperties: { $ref: "#/$defs/N" } },
      either: { anyOf: [{ type: "string" }, { $ref: "#/$defs/N" }, { type: "array", items: node }] },
    },
    $defs: { N: node },
  };
  const real = { "next node": { "the value": "x" }, "the value": "y" };
  const short = { next_node: { the_value: "x" }, the_value: "y" };
  for (const provider of schemaProviders) {
    const { renames } = normaliseSchema(schema, provider);
    const args = { list: [short], either: short };
    assert.deepEqual(restoreArguments(args, renames), { list: [real], either: real }, provider);
    // Gemini does not get the value schema of a map, so its properties are not renamed.
    const map = { map: { k: provider === "gemini" ? real : short } };
    assert.deepEqual(restoreArguments(map, renames), { map: { k: real } }, provider);
    assert.deepEqual(
      restoreArguments({ either: [short], list: "x" }, renames),
      { either: [real], list: "x" },
      provider,
    );
  }
});

test("a map with arbitrary keys keeps its keys", () => {
  const properties = { "a b": { type: "string" }, free: { type: "object" } };
  const { renames } = normaliseSchema({ type: "object", properties }, "openai");
  assert.deepEqual(restoreArguments({ a_b: "x", free: { a_b: 1 } }, renames), { "a b": "x", free: { a_b: 1 } });
});

test("a property named __proto__ is sent under another name and changes no prototype", () => {
  const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"object","properties":{"a b":{}}}}}');
  const { renames } = normaliseSchema(schema, "openai");
  const restored = restoreArguments({ __proto___2: { a_b: 1 } }, renames);
  assert.equal(Object.getPrototypeOf(restored), Object.prototype);
  assert.deepEqual(Object.entries(restored), [["__proto__", { "a b": 1 }]]);
  assert.equal(JSON.stringify(restoreArguments(JSON.parse('{"__proto__":{"x":1}}'), renames)), '{"__proto__":{"x":1}}');
});

test("renaming properties and mapping them back gives the original value", () => {
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.constant("leaf"),
      fc.dictionary(
        fc.oneof(fc.string({ maxLength: 70 }), fc.constantFrom("a b", "a_b", "a.b", "required", "anyOf")),
        tie("tree"),
        { maxKeys: 4 },
      ),
      fc.array(tie("tree"), { minLength: 1, maxLength: 1 }),
    ),
  }));
  const describe = (value: unknown): JsonObject => {
    if (Array.isArray(value)) return { type: "array", items: describe(value[0]) };
    if (typeof value !== "object" || value === null) return { type: "string" };
    return {
      type: "object",
      properties: Object.fromEntries(Object.entries(value).map(([key, part]) => [key, describe(part)])),
    };
  };
  /** Converts a value to the form that a model would send: the same structure with the names in the schema. */
  const send = (value: unknown, schema: JsonObject): JsonValue => {
    if (Array.isArray(value)) return [send(value[0], schema["items"] as JsonObject)];
    if (typeof value !== "object" || value === null) return "leaf";
    const properties = Object.entries(schema["properties"] as JsonObject);
    return Object.fromEntries(
      Object.values(value).map((part, index) => [
        properties[index]![0],
        send(part, properties[index]![1] as JsonObject),
      ]),
    );
  };
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ maxLength: 70 }), tree, { maxKeys: 4 }),
      fc.constantFrom(...schemaProviders),
      (args, provider) => {
        const { schema, renames } = normaliseSchema(describe(args), provider);
        const restored = restoreArguments(send(args, schema) as JsonObject, renames);
        assert.equal(JSON.stringify(restored), JSON.stringify(args));
      },
    ),
    { numRuns: 500 },
  );
});
