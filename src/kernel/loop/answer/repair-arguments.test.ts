import assert from "node:assert/strict";
import { test } from "node:test";

import * as fc from "fast-check";

import { assertGrowsLinearly } from "../../../../test/support/growth.ts";
import { repairArguments } from "./repair-calls.ts";

test("arguments with an unambiguous syntax error are repaired", () => {
  for (const [text, expected] of [
    ['{"a": 1,}', { a: 1 }],
    ['{"a": [1, 2, ], "b": "x,}"}', { a: [1, 2], b: "x,}" }],
    ['{"command": "echo a\n\techo b"}', { command: "echo a\n\techo b" }],
    ['```json\n{"a": 1}\n```', { a: 1 }],
    ['"{\\"a\\": \\"b\\"}"', { a: "b" }],
    ["null", {}],
    ["None", {}],
    ["{'a': True, 'b': None, 'c': 'it\\'s \"so\"'}", { a: true, b: null, c: `it's "so"` }],
    [String.raw`{"command": "echo \'hi\'"}`, { command: "echo 'hi'" }],
    [String.raw`{"pattern": "\d+\.\w \"x\""}`, { pattern: String.raw`\d+\.\w "x"` }],
    [String.raw`{"path": "C:\Users\me"}`, { path: String.raw`C:\Users\me` }],
    ['{"a": "True, None,}"}', { a: "True, None,}" }],
    ['{"a": {"b": 1}}}', { a: { b: 1 } }],
    ['{"a": 1}]}', { a: 1 }],
    ['{"a": "}{"}{"a": "}{"}', { a: "}{" }],
  ] as const) {
    assert.deepEqual(JSON.parse(repairArguments(text, false)), expected, text);
  }
});

test("missing brackets at the end of a complete answer are added", () => {
  for (const [text, expected] of [
    ['{"path": "a.txt", "content": "b"', { path: "a.txt", content: "b" }],
    ['{"a": [{"b": true', { a: [{ b: true }] }],
  ] as const) {
    assert.deepEqual(JSON.parse(repairArguments(text, true)), expected, text);
    assert.equal(repairArguments(text, false), text);
  }
});

test("truncated and ambiguous arguments stay unchanged", () => {
  for (const text of [
    '{"command":"rm -rf /tmp/a',
    "{'command': 'rm -rf /tmp/a",
    '{"a": 12',
    '{"a": 1, "b":',
    '{"a": 1, "b',
    '{"a": 1,',
    '{"a": [1]]}',
    String.raw`{"path": "C:\new\dir"}`,
    "{a: 1}",
    '["a"]',
    "12",
    "not json",
    '{"a":1}{"b":2}',
    '{"a":1} and so on',
    '"text"',
  ]) {
    assert.equal(repairArguments(text, true), text);
  }
});

test("valid JSON objects are never changed", () => {
  fc.assert(
    fc.property(fc.object(), (value) => {
      const text = JSON.stringify(value, undefined, 2);
      assert.equal(repairArguments(text, true), text);
    }),
  );
});

test("long hostile texts are repaired in linear time", async () => {
  for (const text of [
    `{"a":"${"\\".repeat(500_000)}`,
    `{${", ".repeat(200_000)}`,
    "`".repeat(300_000),
    '"'.repeat(300_001),
    "'".repeat(300_001),
    "{[".repeat(100_000),
    `${'{"a":1}'.repeat(50_000)}x`,
    String.raw`\"`.repeat(100_000),
    String.raw`\'`.repeat(100_000),
    `\`\`\`json\n${" ".repeat(200_000)}x`,
    `\`\`\`${"\n".repeat(200_000)}x`,
  ]) {
    await assertGrowsLinearly(text.length, (size) => repairArguments(text.slice(0, size), true), text.slice(0, 30));
  }
});
