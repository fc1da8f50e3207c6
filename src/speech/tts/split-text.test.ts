import assert from "node:assert/strict";
import { test } from "node:test";

import { splitText } from "./split-text.ts";

test("a text within the limit stays whole", () => {
  assert.deepEqual(splitText("One. Two.", 100), ["One. Two."]);
});

test("a longer text is split at sentences, and every word stays", () => {
  const text = Array.from({ length: 40 }, (_, index) => `Sentence number ${index} ends here.`).join(" ");
  const pieces = splitText(text, 100);
  assert.ok(pieces.every((piece) => piece.length <= 100 && piece.endsWith(".")));
  assert.equal(pieces.join(" "), text);
});

test("paragraphs stay together where they fit", () => {
  assert.deepEqual(splitText("First one.\n\nSecond one.", 15), ["First one.", "Second one."]);
});

test("a sentence over the limit is split at clauses and words, a word between characters", () => {
  assert.deepEqual(splitText("alpha beta, gamma delta", 12), ["alpha beta,", "gamma delta"]);
  assert.deepEqual(splitText("abcdefghij", 4), ["abcd", "efgh", "ij"]);
  const family = "👨‍👩‍👧";
  assert.deepEqual(splitText(family.repeat(3), family.length), [family, family, family]);
});

test("Chinese sentences need no space between them", () => {
  assert.deepEqual(splitText("你好。再见。", 3), ["你好。", "再见。"]);
});

test("the size of a piece can be counted in bytes", () => {
  const bytes = (part: string) => Buffer.byteLength(part);
  assert.ok(splitText("ä".repeat(100), 50, bytes).every((piece) => bytes(piece) <= 50));
});

test("a megabyte without a space is split quickly", () => {
  const text = "x".repeat(1_000_000);
  assert.equal(splitText(text, 5_000).join(""), text);
});
