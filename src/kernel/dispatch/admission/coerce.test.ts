import assert from "node:assert/strict";
import { test } from "node:test";

import { Validator } from "@cfworker/json-schema";
import * as fc from "fast-check";

import type { JsonObject, JsonValue } from "../../../base/json.ts";
import { coerceArguments } from "./coerce.ts";

function coerced(value: JsonValue, schema: JsonValue, more: JsonObject = {}): JsonValue | undefined {
  return coerceArguments({ x: value }, { type: "object", properties: { x: schema }, ...more }).x;
}

test("text is converted to the type in the schema, and stays text if that fails", () => {
  const rows: readonly (readonly [JsonValue, JsonValue, JsonValue])[] = [
    ["5", { type: "integer" }, 5],
    ["5.0", { type: "integer" }, 5],
    ["1e3", { type: "integer" }, 1000],
    ["5.5", { type: "integer" }, "5.5"],
    ["5.5", { type: "number" }, 5.5],
    [" -2 ", { type: "number" }, -2],
    ["NaN", { type: "number" }, "NaN"],
    ["Infinity", { type: "number" }, "Infinity"],
    ["1e999", { type: "number" }, "1e999"],
    ["0x10", { type: "integer" }, "0x10"],
    ["", { type: "number" }, ""],
    ["12345678901234567890", { type: "integer" }, "12345678901234567890"],
    ["TRUE", { type: "boolean" }, true],
    ["false", { type: "boolean" }, false],
    ["yes", { type: "boolean" }, "yes"],
    [1, { type: "boolean" }, 1],
    ["[1, 2]", { type: "array" }, [1, 2]],
    ['["1","2"]', { type: "array", items: { type: "integer" } }, [1, 2]],
    ["a", { type: "array", items: { type: "string" } }, ["a"]],
    ["7", { type: "array", items: { type: "integer" } }, [7]],
    [7, { type: "array", items: { type: "integer" } }, [7]],
    [null, { type: "array" }, null],
    ['{"a":"1"}', { type: "object", properties: { a: { type: "integer" } } }, { a: 1 }],
    ["{broken", { type: "object" }, "{broken"],
    ['{"__proto__":{"a":1}}', { type: "object" }, '{"__proto__":{"a":1}}'],
    ["null", { type: ["integer", "null"] }, null],
    ["null", { type: "integer", nullable: true }, null],
    ["null", { anyOf: [{ type: "integer" }, { type: "null" }] }, null],
    ["null", { type: ["string", "null"] }, null],
    ["null", { type: "string", nullable: true }, null],
    ["null", { anyOf: [{ type: "string" }, { type: "null" }] }, null],
    ["null", { type: ["string", "null"], enum: ["null", "zero", null] }, "null"],
    ["null", { type: "string" }, "null"],
    ["Null", { type: ["string", "null"] }, "Null"],
    ["3", { type: ["boolean", "integer"] }, 3],
    ["3", { oneOf: [{ type: "boolean" }, { type: "integer" }] }, 3],
    ["3", { type: ["integer", "string"] }, "3"],
    ["3", { allOf: [{ type: "integer" }, { minimum: 1 }] }, 3],
    ['{"a":1}', { type: ["array", "object"] }, { a: 1 }],
    [5, { type: "string" }, 5],
  ];
  for (const [value, schema, expected] of rows) {
    assert.deepEqual(coerced(value, schema), expected, JSON.stringify({ value, schema }));
  }
});

test("references to local definitions in a schema are resolved, even recursive ones", () => {
  const $defs = { tree: { type: "object", properties: { size: { type: "integer" }, next: { $ref: "#/$defs/tree" } } } };
  assert.deepEqual(coerced('{"size":"1","next":{"size":"2"}}', { $ref: "#/$defs/tree" }, { $defs }), {
    size: 1,
    next: { size: 2 },
  });
  assert.equal(coerced("1", { $ref: "#/$defs/missing" }, { $defs }), "1");
});

test("a value that is valid in one branch of anyOf is not converted for another branch", () => {
  const schema = {
    anyOf: [
      { type: "object", properties: { a: { type: "integer" } } },
      { type: "object", properties: { a: { type: "string" } } },
    ],
  };
  assert.deepEqual(coerced({ a: "5" }, schema), { a: "5" });
});

test("coercion by an endlessly recursive schema stops quickly", () => {
  const endless: JsonObject = { anyOf: [{ $ref: "#" }, { $ref: "#" }], type: "integer" };
  const args = { a: "1" };
  assert.equal(coerceArguments(args, endless), args);
  const lists: JsonObject = {
    type: "object",
    properties: { x: { $ref: "#/$defs/l" } },
    $defs: { l: { type: "array", items: { $ref: "#/$defs/l" } } },
  };
  assert.ok(Array.isArray(coerceArguments({ x: "1" }, lists).x));
});

test("property names of Object.prototype are treated like other names", () => {
  const args = JSON.parse('{"constructor":"1","toString":"2"}') as JsonObject;
  assert.equal(coerceArguments(args, { type: "object", properties: {} }), args);
  assert.deepEqual(
    coerceArguments(args, {
      type: "object",
      properties: JSON.parse('{"constructor":{"type":"integer"}}') as JsonObject,
    }),
    JSON.parse('{"constructor":1,"toString":"2"}'),
  );
});

const { schema: anySchema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.record({
      type: fc.constantFrom("string", "integer", "number", "boolean", "null", "array", "object"),
      nullable: fc.boolean(),
    }),
    fc.record({ type: fc.subarray(["string", "integer", "number", "boolean", "null", "array", "object"]) }),
    fc.record({ enum: fc.array(fc.constantFrom<JsonValue>("1", 1, true, "true", null), { minLength: 1 }) }),
    fc.record({ type: fc.constant("array"), items: tie("schema") }),
    fc.record({
      type: fc.constantFrom<JsonValue>("object", ["object", "null"]),
      properties: fc.dictionary(fc.constantFrom("a", "b"), tie("schema")),
      required: fc.subarray(["a", "b"]),
    }),
    fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ oneOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ allOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
    fc.constant({ $ref: "#/$defs/d" }),
  ),
}));

const anyText = fc.constantFrom(
  "5",
  "5.5",
  "true",
  "null",
  "[]",
  '["1"]',
  '{"a":"1"}',
  "[1",
  "x",
  "",
  '{"a":"[2]","b":"null"}',
);
const { value: anyValue } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    anyText,
    fc.constantFrom<JsonValue>(1, 1.5, true, null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "c"), tie("value")),
  ),
}));
const anyCase = fc.record({ x: anyValue, schema: anySchema, d: anySchema }).map(({ x, schema, d }) => ({
  args: { x } as JsonObject,
  schema: { type: "object", properties: { x: schema }, $defs: { d } } as JsonObject,
}));

test("coercing arguments twice gives the same result as once", () => {
  fc.assert(
    fc.property(anyCase, ({ args, schema }) => {
      const first = coerceArguments(args, schema);
      assert.deepEqual(coerceArguments(first, schema), first);
    }),
  );
});

test("a valid value never changes, except the word null where the schema allows null", () => {
  fc.assert(
    fc.property(anyCase, ({ args, schema }) => {
      // A schema that refers to itself has no meaning, and the validator would recurse forever.
      fc.pre(!JSON.stringify(schema.$defs).includes("$ref"));
      fc.pre(!JSON.stringify(args).includes('"null'));
      if (new Validator(schema, "2020-12").validate(args).valid) assert.deepEqual(coerceArguments(args, schema), args);
    }),
  );
});

test("coercion never throws, whatever the schema and the value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (value, schema) => {
      coerceArguments({ x: value } as JsonObject, { type: "object", properties: { x: schema } } as JsonObject);
      coerceArguments({ x: value } as JsonObject, { ...(schema as JsonObject) });
    }),
  );
});
