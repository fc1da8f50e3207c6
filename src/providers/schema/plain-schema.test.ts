import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import type { JsonObject } from "../../base/json.ts";
import { normaliseSchema } from "./normalise.ts";
import { plainSchema } from "./plain-schema.ts";

const { node } = fc.letrec((tie) => {
  const described = { description: fc.constantFrom("", " blank ", "What it is.") };
  const some: { requiredKeys: ["type"] } = { requiredKeys: ["type"] };
  const small = fc.integer({ min: -3, max: 5 });
  const fields = fc.dictionary(
    fc.constantFrom("path", "type", "default", "required", "a_b", "$x", "x y"),
    tie("node"),
    { maxKeys: 4 },
  );
  return {
    node: fc.oneof(
      { depthSize: "small" },
      fc.record(
        {
          type: fc.constant("string"),
          ...described,
          enum: fc.array(fc.constantFrom("a", "b", "", "c/d"), { maxLength: 3 }),
          default: fc.constantFrom("a", "z"),
          minLength: small,
          maxLength: small,
        },
        some,
      ),
      fc.record(
        { type: fc.constantFrom("integer", "number"), ...described, minimum: small, maximum: small, default: small },
        some,
      ),
      fc.record({ type: fc.constant("integer"), exclusiveMinimum: small, maximum: small }, some),
      fc.constant({ type: "object", propertyNames: { type: "string" }, additionalProperties: {} }),
      fc.record(
        {
          anyOf: fc.array(tie("node"), { minLength: 1, maxLength: 3 }),
          ...described,
          default: fc.constantFrom({}, []),
        },
        { requiredKeys: ["anyOf"] },
      ),
      fc.record({ type: fc.constant("boolean"), ...described, default: fc.boolean() }, some),
      fc.record(
        { type: fc.constant("array"), ...described, items: tie("node"), minItems: small, maxItems: small },
        some,
      ),
      fc.record(
        {
          type: fc.constant("object"),
          ...described,
          properties: fields,
          required: fc.array(fc.constantFrom("path", "type", "a_b"), { maxLength: 2 }),
          additionalProperties: fc.boolean(),
        },
        some,
      ),
    ),
  };
});

test("the fast path for plain schemas produces the same bytes as the normaliser", () => {
  let plain = 0;
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom("path", "mode", "deep"), node), (properties) => {
      // Safe cast: the value consists of JSON values.
      const schema = { type: "object", properties } as JsonObject;
      const written = plainSchema(schema);
      if (!written) return;
      plain += 1;
      for (const provider of ["openai", "anthropic"] as const) {
        const normal = normaliseSchema(schema, provider);
        assert.equal(JSON.stringify(written), JSON.stringify(normal.schema));
        assert.deepEqual(normal.renames, {});
      }
    }),
    { numRuns: 500 },
  );
  assert.ok(plain > 50, `${plain} of 500 were plain`);
});

test("a schema that is not plain is rejected by the fast path", () => {
  const object = (properties: JsonObject) => ({ type: "object", properties });
  for (const schema of [
    {},
    { type: "string" },
    { type: "object" },
    object({ a: {} }),
    object({ a: { type: "array" } }),
    object({ a: { type: ["string", "null"] } }),
    object({ "a b": { type: "string" } }),
    object({ a: { type: "string", pattern: "x" } }),
    object({ a: { $ref: "#" } }),
    { ...object({ a: { type: "string" } }), required: ["b"] },
    { ...object({ a: { type: "string" } }), anyOf: [] },
  ])
    assert.equal(plainSchema(schema as JsonObject), undefined, JSON.stringify(schema));
});
