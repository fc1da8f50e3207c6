import assert from "node:assert/strict";
import { test } from "node:test";

import type { JsonObject, JsonValue } from "../../base/json.ts";
import { createOutputChecks } from "./output-check.ts";

async function fault(schema: JsonObject, structured: JsonValue | undefined): Promise<string | undefined> {
  return createOutputChecks().fault("t", structured, schema);
}

test("structured content must match the schema of the latest listing, which replaces an older schema", async () => {
  const checks = createOutputChecks();
  const outputSchema = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] };
  checks.remember([{ name: "add", description: "", inputSchema: {}, outputSchema }]);
  assert.equal(await checks.fault("add", { sum: 3 }, { type: "array" }), undefined);
  assert.match((await checks.fault("add", { sum: "3" }, undefined)) ?? "", /does not match its output schema/u);
  assert.match((await checks.fault("add", undefined, undefined)) ?? "", /has no structured content/u);
  assert.equal(await checks.fault("other", undefined, undefined), undefined);
});

test("an output schema that grows exponentially is refused before it is used", async () => {
  const $defs: Record<string, JsonObject> = { d0: { type: "object" } };
  for (let level = 1; level <= 40; level++)
    $defs[`d${level}`] = { allOf: [{ $ref: `#/$defs/d${level - 1}` }, { $ref: `#/$defs/d${level - 1}` }] };
  assert.match((await fault({ $defs, $ref: "#/$defs/d40" }, {})) ?? "", /too complex/u);
});

test("a recursive output schema works for content that is not deep", async () => {
  const schema = { type: "object", properties: { left: { $ref: "#" }, right: { $ref: "#" } } };
  assert.equal(await fault(schema, { left: { right: {} } }), undefined);
  let deep: JsonObject = {};
  for (let level = 0; level < 30; level++) deep = { left: deep };
  assert.match((await fault(schema, deep)) ?? "", /too complex/u);
});

test("patterns in output schemas are not evaluated, and a reference without a target does not crash", async () => {
  const slow = { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } };
  assert.equal(await fault(slow, { a: `${"a".repeat(60)}!` }), undefined);
  assert.match((await fault({ $ref: "#/nowhere" }, {})) ?? "", /cannot be checked|does not match/u);
});
