import assert from "node:assert/strict";
import { test } from "node:test";

import { characterWidth, clustersOf, textWidth } from "./text-width.ts";

test("wide characters take two columns, combining marks and colours none", () => {
  for (const [text, width] of [
    ["", 0],
    ["plain", 5],
    ["漢字", 4],
    ["🔧 a", 4],
    ["e\u0301té", 3],
    ["\u001b[1mbold\u001b[22m", 4],
    ["\u{1f468}\u200d\u{1f469}\u200d\u{1f467}!", 3],
    ["\u{1f44d}\u{1f3fd}\u{1f1e9}\u{1f1ea}\u{1f1eb}\u{1f1f7}", 6],
    ["\u{1f1e9}a", 3],
  ] as const)
    assert.equal(textWidth(text), width, text);
});

test("character widths match those of common programs", () => {
  const widths = (text: string) => Array.from(text, (character) => characterWidth(character.codePointAt(0) ?? 0));
  assert.deepEqual(widths("aé~"), [1, 1, 1]);
  assert.deepEqual(widths("日ｶ가Ａ"), [2, 1, 2, 2]);
  assert.deepEqual(widths("😀🚀✅→©"), [2, 2, 2, 1, 1]);
  assert.deepEqual(widths("\u0301\u200b\ufe0f\u0007"), [0, 0, 0, 0]);
});

test("a character and everything that joins it form one cluster", () => {
  const family = "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}";
  assert.deepEqual(clustersOf(`a${family}e\u0301\u{1f1e9}\u{1f1ea}\u{1f1eb}`), [
    "a",
    family,
    "e\u0301",
    "\u{1f1e9}\u{1f1ea}",
    "\u{1f1eb}",
  ]);
  assert.equal(clustersOf("\u0301x").join(""), "\u0301x");
});
