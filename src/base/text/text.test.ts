import assert from "node:assert/strict";
import { test } from "node:test";

import * as fc from "fast-check";

import { anyText } from "../../../test/support/any-text.ts";
import { assertGrowsLinearly } from "../../../test/support/growth.ts";
import { cut, firstSentence, oneLine, plural } from "./text.ts";

test("cut never splits a surrogate pair", () => {
  assert.deepEqual(
    [cut("ab😀", 3), cut("ab😀", 4), cut("😀", 1), cut("abc", 0), cut("abc", -1)],
    ["ab", "ab😀", "", "", ""],
  );
});

test("cut returns a well-formed prefix within the length limit", () => {
  fc.assert(
    fc.property(anyText(), fc.integer({ min: -2, max: 30 }), (text, max) => {
      const short = cut(text, max);
      assert.ok(text.startsWith(short) && short.isWellFormed() && short.length <= Math.max(0, max));
      assert.ok(short.length >= Math.min(text.length, max) - 1);
    }),
  );
});

test("oneLine contains no line break and respects its limit", () => {
  assert.equal(oneLine("  a\n\n b\t c\r\n", 20), "a b c");
  assert.equal(oneLine("one two three", 8), "one two…");
  assert.deepEqual([oneLine("abc", 1), oneLine("abc", 0)], ["…", ""]);
  fc.assert(
    fc.property(anyText(), fc.nat(30), (text, max) => {
      const line = oneLine(text, max);
      assert.ok(line.length <= max && !/[\n\r\u2028\u2029]/u.test(line));
    }),
  );
});

test("firstSentence ends at the first full stop, question or paragraph", () => {
  const cases = [
    ["Reads a file. Then more.", "Reads a file."],
    ["Is it?\nYes", "Is it?"],
    ["No stop here\n\nNext paragraph.", "No stop here"],
    ["Version 1.2 of e.g.this. Next", "Version 1.2 of e.g.this."],
    ["wraps\nover lines. End", "wraps over lines."],
    ["", ""],
  ];
  for (const [text, first] of cases) assert.equal(firstSentence(text!, 100), first);
  assert.equal(firstSentence("A rather long sentence. B", 10), "A rather…");
});

test("plural writes the count with the right form of the noun", () => {
  const shown = [
    plural(1, "file"),
    plural(2, "file"),
    plural(0, "entry"),
    plural(3, "match"),
    plural(2, "key"),
    plural(5, "process"),
  ];
  assert.deepEqual(shown, ["1 file", "2 files", "0 entries", "3 matches", "2 keys", "5 processes"]);
});

test("the time to collapse whitespace is proportional to its length", async () => {
  await assertGrowsLinearly(1_000_000, (size) => oneLine(" ".repeat(size), 10));
  await assertGrowsLinearly(500_000, (size) => firstSentence("\n ".repeat(size), 10));
  for (const blank of [" ", "\n", "\n\t"])
    await assertGrowsLinearly(200_000, (size) => firstSentence(`a${blank.repeat(size)}b`, 10));
});
