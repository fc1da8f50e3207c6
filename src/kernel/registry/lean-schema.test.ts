import assert from "node:assert/strict";
import { test } from "node:test";

import { leanSchema } from "./shown-tool.ts";

test("schema keywords that do not help a model are removed at every depth", () => {
  const schema = {
    type: "object",
    properties: {
      path: { type: "string", minLength: 1 },
      count: { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 5 },
      all: { type: "boolean", default: false, description: "Every one" },
      list: { type: "array", items: { type: "string", minLength: 1, maxLength: 9 } },
      any: {
        anyOf: [{ type: "object", propertyNames: { type: "string" }, additionalProperties: {} }, { type: "null" }],
      },
    },
    required: ["path"],
  };
  assert.deepEqual(leanSchema(schema), {
    type: "object",
    properties: {
      path: { type: "string" },
      count: { type: "integer", minimum: 1, default: 5 },
      all: { type: "boolean", description: "Every one" },
      list: { type: "array", items: { type: "string", maxLength: 9 } },
      any: { anyOf: [{ type: "object" }, { type: "null" }] },
    },
    required: ["path"],
  });
});

test("properties whose names equal JSON Schema keywords are kept", () => {
  const schema = {
    type: "object",
    properties: {
      default: { type: "boolean", default: false },
      minLength: { type: "integer" },
      propertyNames: { type: "string" },
    },
    additionalProperties: false,
  };
  assert.deepEqual(leanSchema(schema), {
    type: "object",
    properties: { default: { type: "boolean" }, minLength: { type: "integer" }, propertyNames: { type: "string" } },
    additionalProperties: false,
  });
});
