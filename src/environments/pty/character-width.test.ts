import assert from "node:assert/strict";
import { test } from "node:test";

import { characterWidth } from "./character-width.ts";

test("characters take as many columns as programs think", () => {
  const widths = (text: string) => Array.from(text, (character) => characterWidth(character.codePointAt(0) ?? 0));
  assert.deepEqual(widths("aé~"), [1, 1, 1]);
  assert.deepEqual(widths("日ｶ가Ａ"), [2, 1, 2, 2]);
  assert.deepEqual(widths("😀🚀✅→©"), [2, 2, 2, 1, 1]);
  assert.deepEqual(widths("\u0301\u200b\ufe0f\u0007"), [0, 0, 0, 0]);
});
