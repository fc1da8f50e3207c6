import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { createWordWrap } from "./word-wrap.ts";

function wrapped(text: string, columns: number, size = 3): string {
  const wrap = createWordWrap(() => columns);
  let out = "";
  for (let at = 0; at < text.length; at += size) out += wrap.push(text.slice(at, at + size));
  return out + wrap.end();
}

test("lines end between words, however the text was cut", () => {
  const text = "the quick brown fox jumps over it";
  for (const size of [1, 2, 3, 7, 100]) {
    assert.equal(wrapped(text, 10, size), "the quick\nbrown fox\njumps over\nit");
  }
});

test("what goes on from an item of a list is indented as it", () => {
  assert.equal(
    wrapped("• one two three\n  12. four five six\nend", 10),
    "• one two\n  three\n  12. four\n      five\n      six\nend",
  );
});

test("code, tables and long words stay as they are", () => {
  const text = "```sh\nnpm install --save-dev something\n```\n| a | table that is wide |\nhttps://example.com/long ab";
  assert.equal(wrapped(text, 10), text.replace("long ab", "long\nab"));
});

test("wide characters and colours count as they are seen", () => {
  assert.equal(wrapped("漢字漢 字漢", 8), "漢字漢\n字漢");
  assert.equal(wrapped("\x1b[1mbold\x1b[22m ab cd", 10), "\x1b[1mbold\x1b[22m ab cd");
});

test("nothing but line breaks, indents and blanks at a line's end is ever changed", () => {
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
