import assert from "node:assert/strict";
import { test } from "node:test";
import { stripVTControlCharacters } from "node:util";

import { createPaint } from "./paint.ts";
import { table, wrap } from "./table.ts";

test("columns align with any colours, and the last one is cut to the width", () => {
  const paint = createPaint(true);
  const rows = [
    [paint.bold("a"), "first row that is rather long"],
    ["bbb", paint.warn("second row that is rather long")],
  ];
  const plain = stripVTControlCharacters(table(rows, 25));
  assert.equal(plain, "a    first row that is r…\nbbb  second row that is …");
  assert.ok(table(rows, 25).endsWith("\u001b[39m…"), "a colour that was cut ends");
});

test("nothing is cut without a width", () => {
  assert.equal(table([["a", "x".repeat(500)]], Infinity), `a  ${"x".repeat(500)}`);
});

test("paragraphs wrap only between words", () => {
  assert.equal(wrap("one two three\n\nfour", 8), "one two\nthree\n\nfour");
  assert.equal(wrap("  one two three", 9), "  one two\n  three");
  assert.equal(wrap("unbreakable-word and more", 5), "unbreakable-word\nand\nmore");
});
