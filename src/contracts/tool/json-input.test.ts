import assert from "node:assert/strict";
import { test } from "node:test";

import * as fc from "fast-check";

import type { JsonValue } from "../../base/json.ts";
import { fromJsonSchema } from "./json-input.ts";

test("null is accepted only where the schema declares nullable", async () => {
  const input = fromJsonSchema({
    type: "object",
    properties: {
      age: { type: "integer", nullable: true },
      size: { type: "string", enum: ["s", "m"], nullable: true },
      name: { type: "string" },
    },
  });
  const isValid = async (args: JsonValue) => !(await input["~standard"].validate(args)).issues;
  assert.equal(await isValid({ age: null, size: null, name: "x" }), true);
  assert.equal(await isValid({ age: 1, size: "s" }), true);
  assert.equal(await isValid({ age: "1" }), false);
  assert.equal(await isValid({ size: "l" }), false);
  assert.equal(await isValid({ name: null }), false);
});

test("the check of plain schemas gives the verdict of the validator", async () => {
  const types = fc.constantFrom("string", "number", "integer", "boolean");
  const names = fc.constantFrom("a", "b", "toString");
  const schemas = fc.record({
    properties: fc.dictionary(
      names,
      types.map((type) => ({ type, description: "A part" })),
    ),
    required: fc.uniqueArray(names),
  });
  const values = fc.dictionary(names, fc.oneof(fc.constantFrom("x", 1, 1.5, -0, true, null), fc.constant([1])));
  await fc.assert(
    fc.asyncProperty(schemas, values, async (schema, value) => {
      const { issues = [] } = await fromJsonSchema({ type: "object", ...schema })["~standard"].validate(value);
      // A keyword that the plain check does not have.
      const full = fromJsonSchema({ type: "object", ...schema, minProperties: 0 });
      assert.deepEqual(issues, (await full["~standard"].validate(value)).issues ?? []);
    }),
  );
});
