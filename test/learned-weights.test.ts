import assert from "node:assert/strict";
import { test } from "node:test";

import { type Bag, type Example, learn, type Learned } from "../scripts/learned-weights.ts";

const size = 16;
const part = (...groups: number[]): Example => ({ groups: Int32Array.from(groups), unit: 1 });
const bag = (isAttack: boolean, ...parts: Example[]): Bag => ({
  isAttack,
  trust: 1,
  groups: Int32Array.from(parts.flatMap(({ groups }) => [...groups])),
  choose: (weights) => {
    if (!weights) return isAttack && parts.length > 1 ? [] : parts;
    const heaviest = parts.toSorted((a, b) => sum(weights, b) - sum(weights, a));
    return isAttack ? heaviest.slice(0, 1) : heaviest;
  },
});
const sum = (weights: Float32Array, { groups }: Example) =>
  groups.reduce((total, group) => total + (weights[group] ?? 0), 0);
const weigh = ({ weights, bias }: Learned, parts: readonly Example[]) =>
  Math.max(...parts.map((each) => sum(weights, each))) + bias;

test("an instruction inside a long text is learned from short texts, and the text around it stays harmless", () => {
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

test("the same texts give the same weights", () => {
  const bags = [bag(true, part(1)), bag(false, part(2)), bag(true, part(1, 3)), bag(false, part(2, 3))];
  assert.deepEqual(learn(bags, size), learn(bags, size));
});
