import assert from "node:assert/strict";
import { test } from "node:test";

import { assertCheaper, assertGrowsLinearly } from "./support/growth.ts";

/** Work of about 0.1 ms for each step. */
function compute(steps: number): number {
  let sum = 0;
  for (let index = 0; index < steps * 40_000; index++) sum += Math.sqrt(index);
  return sum;
}

test("linear work passes, quadratic work fails", async () => {
  await assertGrowsLinearly(80, compute);
  await assert.rejects(
    assertGrowsLinearly(48, (size) => compute(3 * size * size), "squares"),
    /"squares" grows faster than its size \(6, then 48\)/,
  );
});

test("work that is not much cheaper fails", async () => {
  await assertCheaper(
    () => compute(3),
    () => compute(60),
  );
  await assert.rejects(
    assertCheaper(
      () => compute(60),
      () => compute(60),
    ),
    /it is not cheaper/,
  );
});
