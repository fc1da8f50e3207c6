import assert from "node:assert/strict";
import { test } from "node:test";

import { horizontalBar, sparkline } from "./bars.ts";

test("a bar grows in eighths of a cell, never exceeds its width, and never hides a small value", () => {
  assert.deepEqual(
    [0, 1, 50, 100, 1_000].map((value) => horizontalBar(value, 100, 4)),
    ["", "▏", "██", "████", "████"],
  );
  assert.equal(horizontalBar(5, 0, 10), "");
  assert.equal(horizontalBar(5, 10, 0), "");
});

test("a sparkline has a cell for each value, even when all are zero", () => {
  assert.equal(sparkline([0, 1, 4, 8]), " ▁▄█");
  assert.equal(sparkline([0, 0]), "  ");
  assert.equal(sparkline([]), "");
});
