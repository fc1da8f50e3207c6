import assert from "node:assert/strict";
import { test } from "node:test";

import { editDistance, nearWords } from "./near-words.ts";

const vocabularyWords = ["deployment", "department", "docker", "kubernetes", "volume", "сервер", "сервис"];
const vocabulary = {
  count: (word: string) => Number(vocabularyWords.includes(word)),
  among: (words: readonly string[]) =>
    words.filter((word) => vocabularyWords.includes(word)).map((word) => ({ word, texts: 1 })),
  beginningWith: (start: string) =>
    vocabularyWords.filter((word) => word.startsWith(start)).map((word) => ({ word, texts: 1 })),
};

test("a typo is near the intended word, at any position", () => {
  for (const [written, intended] of [
    ["dokcer", "docker"],
    ["odcker", "docker"],
    ["ocker", "docker"],
    ["docer", "docker"],
    ["dockerr", "docker"],
    ["deploiment", "deployment"],
    ["deplyometn", "deployment"],
    ["volumee", "volume"],
    ["сревер", "сервер"],
  ] as const) {
    assert.ok(nearWords(written, vocabulary).includes(intended), written);
  }
});

test("short words, numbers and distant words have no near words", () => {
  for (const written of ["doc", "1234", "blockerrrr", "数据库", "kubectl"]) {
    assert.deepEqual(nearWords(written, vocabulary), [], written);
  }
});

test("a changed, added, missing or swapped letter counts as one edit each", () => {
  assert.equal(editDistance("abcd", "abcd", 2), 0);
  assert.equal(editDistance("abcd", "abdc", 2), 1);
  assert.equal(editDistance("abcd", "abd", 2), 1);
  assert.equal(editDistance("abcd", "xbcd", 2), 1);
  assert.equal(editDistance("abcd", "wxyz", 2), 3);
});
