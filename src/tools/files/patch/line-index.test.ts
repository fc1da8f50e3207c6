import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { createWorkBudget, indexLines } from "./line-index.ts";

test("all positions of lines are returned, even if nearly all lines are equal", () => {
  const line = fc.constantFrom("a", "a", "a", "b");
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), fc.array(line, { minLength: 1, maxLength: 6 }), (file, lines) => {
      const expected = [...file.keys()].filter((start) => lines.every((each, offset) => each === file[start + offset]));
      assert.deepEqual(indexLines(file, createWorkBudget(10_000)).find(lines, "exact"), expected);
    }),
    { numRuns: 1_000 },
  );
});
