import assert from "node:assert/strict";
import { test } from "node:test";

import type { JsonValue } from "../../base/json.ts";
import { fromJsonSchema } from "./json-input.ts";

test("nullable is enforced only where it is declared", async () => {
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
