import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { createWordWrap } from "./word-wrap.ts";

function wrapped(text: string, columns: number, size = 3): string {
  const wrap = createWordWrap(() => columns);
  let out = "";
  for (let offset = 0; offset < text.length; offset += size) out += wrap.push(text.slice(offset, offset + size));
  return out + wrap.end();
}

test("lines wrap between words, however the text was split", () => {
  const text = "the quick brown fox jumps over it";
  for (const size of [1, 2, 3, 7, 100]) {
    assert.equal(wrapped(text, 10, size), "the quick\nbrown fox\njumps over\nit");
  }
});

test("a continued list item is indented like the item", () => {
  assert.equal(
    wrapped("• one two three\n  12. four five six\nend", 10),
    "• one two\n  three\n  12. four\n      five\n      six\nend",
  );
});

test("code, tables and long words are not wrapped", () => {
  const text = "```sh\nnpm install --save-dev something\n```\n| a | table that is wide |\nhttps://example.com/long ab";
  assert.equal(wrapped(text, 10), text.replace("long ab", "long\nab"));
});

test("a fence is closed only by a fence of the same length; a fence inside a line or another block is ignored", () => {
  const code = "````md\n```sh\nnpm install --save-dev it\n```\n~~~\nand more of it here\n````\n";
  assert.equal(wrapped(`${code}one two three`, 10), `${code}one two\nthree`);
  assert.equal(wrapped("```x``` is one two three", 10), "```x``` is\none two\nthree");
});

test("indented code is not wrapped, but continued list items are", () => {
  assert.equal(wrapped("So:\n\n    npm install --save it\n\tmake all the things", 10).split("\n").length, 4);
  assert.equal(wrapped("- a\n    one two three", 10), "- a\n    one\n    two\n    three");
});

test("even on a very narrow terminal a line has a minimum width", () => {
  assert.equal(wrapped("      - one two", 6), "      - one\n    two");
  for (let columns = 1; columns <= 40; columns++) {
    const lines = wrapped("one two three four five six", columns, 1).split("\n");
    assert.ok(lines.every((line) => line.length <= Math.max(columns, 5)));
  }
});

test("text without spaces is shown immediately", () => {
  const wrap = createWordWrap(() => 80);
  assert.deepEqual(["我", "们", "Nod", "e", "。", "ไทย"].map(wrap.push), ["我", "们", "", "", "Node。", "ไทย"]);
  assert.equal(wrapped("漢字漢字漢字 a b c", 8, 1), "漢字漢字漢字 a b\nc");
});

test("a fence that arrives in pieces is recognised, even after a pause", () => {
  const wrap = createWordWrap(() => 10);
  const out = [wrap.push("``"), wrap.rest(), wrap.push("`\none two three\n"), wrap.end()];
  assert.equal(out.join(""), "```\none two three\n");
});

test("wide characters and colour codes are measured as the terminal shows them", () => {
  assert.equal(wrapped("漢字漢 字漢", 8), "漢字漢\n字漢");
  assert.equal(wrapped("\x1b[1mbold\x1b[22m ab cd", 10), "\x1b[1mbold\x1b[22m ab cd");
});

test("wrapping changes only line breaks, indents and trailing blanks", () => {
  const word = fc.constantFrom("a", "bcd", "•", "```", "|", " ", "  ", "\n", "1.", "漢", "\x1b[1mx\x1b[22m");
  fc.assert(
    fc.property(fc.array(word, { maxLength: 40 }), fc.integer({ min: 1, max: 30 }), (words, columns) => {
      const text = words.join("");
      const letters = (of: string) => of.replaceAll(/[ \n]/gu, "");
      assert.equal(letters(wrapped(text, columns)), letters(text));
    }),
    { numRuns: 200 },
  );
});
