import assert from "node:assert/strict";
import { test } from "node:test";

import * as fc from "fast-check";

import { createEndlessAnswer } from "./ask-model.ts";

/**
 * Returns the number of characters after which an endless answer is detected, for chunks of this size at 200 chunks per
 * second.
 */
function foundAfter(text: string, size = 7, perSecond = 200): number | undefined {
  let received = 0;
  const answer = createEndlessAnswer({ elapsed: () => (received / perSecond) * 1_000 });
  for (let offset = 0; offset < text.length; offset += size) {
    received = offset + size;
    if (answer.add(text.slice(offset, received))) return received;
  }
  return undefined;
}

test("an answer that repeats itself endlessly is detected", () => {
  for (const unit of ["I will check the file again. ", "Wait, let me think.\n\n", "是的，我会再试一次。", "abc "]) {
    const foundAt = foundAfter(`Some words first.\n${unit.repeat(10_000)}`);
    assert.ok(foundAt !== undefined && foundAt < 30_000, unit);
  }
  assert.ok((foundAfter("!".repeat(100_000)) ?? 0) > 51_000);
});

test("text written by people is never detected as endless", () => {
  const list = Array.from({ length: 2_000 }, (_, offset) => `${offset}. check file ${offset}\n`).join("");
  const table = `${"| a | b | c |\n".repeat(20)}${"-".repeat(3_000)}`;
  const bytes = "0x00, ".repeat(5_000);
  const refrain = "the same line again and again\n".repeat(200);
  for (const text of [list, table, bytes, refrain, `${refrain}and something else. ${refrain}`])
    assert.equal(foundAfter(text), undefined);
});

test("a long repetitive text that arrives quickly is accepted as intended", () => {
  assert.equal(foundAfter("the same line again and again\n".repeat(10_000), 500, 50_000), undefined);
});

test("detection gives the same result for any chunk size, within one search step", () => {
  const text = `Words.${"again and again. ".repeat(4_000)}`;
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3_000 }), (size) => {
      const foundAt = foundAfter(text, size);
      assert.ok(foundAt !== undefined && foundAt >= 20_000 && foundAt <= 20_000 + 5 * 3_000);
    }),
  );
});
