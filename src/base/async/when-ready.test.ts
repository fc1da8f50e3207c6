import assert from "node:assert/strict";
import { test } from "node:test";

import { whenReady } from "./when-ready.ts";

test("a value continues at once, and a promise when it resolves", async () => {
  assert.equal(
    whenReady(1, (value) => value + 1),
    2,
  );
  const later = whenReady(Promise.resolve(1), (value) => value + 1);
  assert.ok(later instanceof Promise);
  assert.equal(await later, 2);
});

test("a step that waits makes the rest of the chain wait, and its failure is the failure of the chain", async () => {
  const steps: string[] = [];
  const chained = whenReady("a", (first) =>
    whenReady(Promise.resolve("b"), (second) => {
      steps.push(first, second);
      return Promise.reject(new Error("broken"));
    }),
  );
  assert.deepEqual(steps, []);
  await assert.rejects(Promise.resolve(chained), /broken/u);
  assert.deepEqual(steps, ["a", "b"]);
});
