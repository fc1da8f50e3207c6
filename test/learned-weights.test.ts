import assert from "node:assert/strict";
import { test } from "node:test";

import { type Bag, type Example, learn, weigh } from "../scripts/learned-weights.ts";

const size = 16;
const part = (...groups: number[]): Example => ({ groups: Int32Array.from(groups), unit: 1 });
const bag = (isAttack: boolean, ...parts: Example[]): Bag => ({ isAttack, parts, trust: 1 });

test("an order inside a long text is learned from short ones, and its surroundings stay harmless", () => {
  const bags = [
    ...Array.from({ length: 8 }, () => [bag(true, part(1, 2)), bag(false, part(3, 4)), bag(false, part(1, 5))]).flat(),
    ...Array.from({ length: 8 }, () => bag(true, part(6, 7), part(1, 2, 8), part(6, 9))),
  ];
  const learned = learn(bags, size);
  const weights = [[part(1, 2)], [part(6, 7), part(1, 2, 8)], [part(3, 4)], [part(1, 5)]].map((parts) =>
    weigh(learned, parts),
  );
  assert.deepEqual(
    weights.map((weight) => weight > 0),
    [true, true, false, false],
  );
});

test("the same texts teach the same weights", () => {
  const bags = [bag(true, part(1)), bag(false, part(2)), bag(true, part(1, 3)), bag(false, part(2, 3))];
  assert.deepEqual(learn(bags, size), learn(bags, size));
});
