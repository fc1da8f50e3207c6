import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { jsonFault, jsonWithCommentsFault } from "./syntax-check.ts";
import { placeIn } from "./text-fault.ts";

test("the position of the first syntax error in JSON is reported", () => {
  const faults: readonly [text: string, line: number, column: number][] = [
    ['{"a":}', 1, 6],
    ['{\n  "a": 1,\n}', 3, 1],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3],
    ["[1, 2", 1, 6],
    ["", 1, 1],
    ["{} x", 1, 4],
    ["[1,]", 1, 4],
    ["{'a': 1}", 1, 2],
    ['{"a" 1}', 1, 2],
    ["[01]", 1, 3],
    ["]", 1, 1],
    ["// c\n{}", 1, 1],
  ];
  for (const [text, line, column] of faults) {
    const fault = jsonFault(text);
    assert.ok(fault, text);
    const place = placeIn(text, fault.at);
    assert.deepEqual([place.line, place.column], [line, column], text);
  }
});

test("valid JSON has no error, and any other text has one inside it or at its end", () => {
  fc.assert(fc.property(fc.json(), (text) => assert.equal(jsonFault(text), undefined)));
  fc.assert(
    fc.property(fc.json(), fc.nat(), (text, index) => {
      const part = text.slice(0, index % (text.length + 1));
      const fault = jsonFault(part);
      if (fault) assert.ok(fault.at >= 0 && fault.at <= part.length);
      else assert.doesNotThrow(() => JSON.parse(part), part);
    }),
  );
});

test("comments and trailing commas are accepted only where they are allowed", () => {
  const good = [
    "// why\n{}",
    '{"a": 1, /* one\ntwo */ "b": [1, 2, ], }',
    '{"url": "http://x/*y*/", "c": ",]"}',
    "{}\n//",
  ];
  for (const text of good) assert.equal(jsonWithCommentsFault(text), undefined, text);
  assert.ok(jsonFault(good[1] ?? ""));
  const bad: readonly [text: string, at: number][] = [
    ["{,}", 1],
    ["[1,,]", 3],
    ["/* open\n{}", 0],
    ['// a\n{"a" 1}', 6],
    ['{"a": 1}}', 8],
  ];
  for (const [text, index] of bad) assert.equal(jsonWithCommentsFault(text)?.at, index, text);
});
