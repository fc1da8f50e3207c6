import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { jsonFault } from "./json-fault.ts";

test("the place of the first fault is told", () => {
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
    assert.deepEqual([fault?.line, fault?.column], [line, column], text);
  }
});

test("JSON has no fault, and every text that is not JSON has one within it or at its end", () => {
  fc.assert(fc.property(fc.json(), (text) => assert.equal(jsonFault(text), undefined)));
  fc.assert(
    fc.property(fc.json(), fc.nat(), (text, at) => {
      const fault = jsonFault(text.slice(0, at % (text.length + 1)));
      if (fault) assert.ok(fault.line >= 1 && fault.column >= 1);
    }),
  );
});
