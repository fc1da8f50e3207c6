import assert from "node:assert/strict";
import { test } from "node:test";

import { assertCheaper, assertGrowsLinearly } from "./support/growth.ts";

/** The work reports its own cost, so that the outcome does not depend on the machine. */
const reported = async (work: () => unknown) => Number(await work());

test("linear work passes, quadratic work fails", async () => {
  await assertGrowsLinearly(80, (size) => size * 1_000, "lines", reported);
  await assert.rejects(
    assertGrowsLinearly(48, (size) => size * size * 1_000, "squares", reported),
    /"squares" grows faster than its size \(6, then 48\)/,
  );
});

test("a run that is not much cheaper fails the check", async () => {
  await assertCheaper(
    () => 3_000,
    () => 60_000,
    reported,
  );
  await assert.rejects(
    assertCheaper(
      () => 60_000,
      () => 60_000,
      reported,
    ),
    /it is not cheaper/,
  );
});

test("processor time is measured", async () => {
  let sum = 0;
  await assertGrowsLinearly(80, (size) => {
    for (let index = 0; index < size * 40_000; index++) sum += Math.sqrt(index);
  });
  assert.ok(sum > 0);
});
