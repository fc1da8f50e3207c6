import assert from "node:assert/strict";
import { test } from "node:test";

import { fittedLines } from "./fitted-lines.ts";

test("a row of two columns continues below its second column; other lines wrap between words", () => {
  const row = "  /steer <text>  Tell the running turn something, without stopping it";
  assert.equal(
    fittedLines(row, 50),
    "  /steer <text>  Tell the running turn something,\n                 without stopping it",
  );
  assert.equal(
    fittedLines(row, 30),
    "  /steer <text>\n    Tell the running turn\n    something, without\n    stopping it",
  );
  assert.equal(fittedLines("one two three", 8), "one two\nthree");
  assert.equal(fittedLines("short\nlines", 80), "short\nlines");
});
