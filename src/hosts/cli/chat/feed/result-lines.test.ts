import assert from "node:assert/strict";
import { test } from "node:test";

import { createPaint } from "../../paint.ts";
import { paintedOutput, resultLines } from "./result-lines.ts";

const paint = createPaint(false);

test("changed lines have line numbers, and hunks have a mark between them", () => {
  const diff = [
    "--- a/x.ts",
    "+++ b/x.ts",
    "@@ -8,3 +8,4 @@ function f",
    " same",
    "-old",
    "+new",
    "+more",
    " end",
    "@@ -100,1 +101,1 @@",
    "-a",
    "+b",
    "\\ No newline at end of file",
  ].join("\n");
  assert.deepEqual(resultLines({ failed: false, diff }, { paint, isNumbered: true }), [
    "  8   same",
    "  9 - old",
    "  9 + new",
    " 10 + more",
    " 11   end",
    "⋯",
    "100 - a",
    "101 + b",
    "\\ No newline at end of file",
  ]);
  assert.equal(resultLines({ failed: false, diff }, { paint })[0], "@@ -8,3 +8,4 @@ function f");
});

test("a whole diff keeps its + and - signs", () => {
  const diff = ["--- a/x", "+++ b/x", "@@ -1 +1,2 @@", " a", "+++ b"].join("\n");
  assert.equal(paintedOutput(diff, createPaint(false)), diff);
});
