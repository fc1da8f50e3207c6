import assert from "node:assert/strict";
import { test } from "node:test";

import * as fc from "fast-check";

import { mendedArguments } from "./mend-arguments.ts";

test("what can only mean one thing is mended", () => {
  for (const [said, meant] of [
    ['{"a": 1,}', { a: 1 }],
    ['{"a": [1, 2, ], "b": "x,}"}', { a: [1, 2], b: "x,}" }],
    ['{"command": "echo a\n\techo b"}', { command: "echo a\n\techo b" }],
    ['```json\n{"a": 1}\n```', { a: 1 }],
    ['"{\\"a\\": \\"b\\"}"', { a: "b" }],
  ] as const) {
    assert.deepEqual(JSON.parse(mendedArguments(said)), meant, said);
  }
});

test("what was cut off, and what could mean something else, stays as it is", () => {
  for (const said of ['{"command":"rm -rf /tmp/a', "{'a': 1}", '["a"]', "12", "not json", '{"a":1}{"b":2}', '"text"']) {
    assert.equal(mendedArguments(said), said);
  }
});

test("JSON objects are never changed", () => {
  fc.assert(
    fc.property(fc.object(), (value) => {
      const text = JSON.stringify(value, undefined, 2);
      assert.equal(mendedArguments(text), text);
    }),
  );
});

test("long hostile texts take no time", () => {
  const began = performance.now();
  for (const text of [
    `{"a":"${"\\".repeat(500_000)}`,
    `{${", ".repeat(200_000)}`,
    "`".repeat(300_000),
    '"'.repeat(300_001),
  ])
    mendedArguments(text);
  assert.ok(performance.now() - began < 1_000);
});
