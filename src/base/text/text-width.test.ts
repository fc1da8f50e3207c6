import assert from "node:assert/strict";
import { test } from "node:test";

import { textWidth } from "./text-width.ts";

test("wide characters take two columns, marks and colours none", () => {
  for (const [text, width] of [
    ["", 0],
    ["plain", 5],
    ["漢字", 4],
    ["🔧 a", 4],
    ["e\u0301té", 3],
    ["\u001b[1mbold\u001b[22m", 4],
  ] as const)
    assert.equal(textWidth(text), width, text);
});
