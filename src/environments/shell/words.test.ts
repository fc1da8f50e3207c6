import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { quoteForShell } from "../../base/text/shell-quote.ts";
import { asText, logicalLines, unquoted, unquotedWords } from "./words.ts";

test("quoting and unquoting a text returns the same text", () => {
  fc.assert(fc.property(fc.string(), (text) => assert.equal(unquoted(quoteForShell(text)), text)));
});

test("a quoted word stays on one logical line, whatever it contains", () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1 }), (texts) => {
      assert.deepEqual(
        logicalLines(texts.map((text) => `x=${quoteForShell(text)}`).join("\n")).map((line) => unquoted(line.slice(2))),
        texts,
      );
    }),
  );
});

test("all quoting styles of shells are read", () => {
  assert.equal(unquoted(String.raw`"a\"b\$c\\d\e"`), String.raw`a"b$c\d\e`);
  assert.equal(unquoted(String.raw`$'tab\there\'s \303\251\x41\e'`), "tab\there's \xc3\xa9A\x1b");
  assert.equal(unquoted(`'it'"'"'s'`), "it's");
  assert.equal(unquoted(String.raw`'it'\''s'`), "it's");
  assert.deepEqual(unquotedWords(` /usr/bin '/a b' c\\ d `), ["/usr/bin", "/a b", "c d"]);
});

test("an unterminated quote extends to the end and does not hang", () => {
  assert.deepEqual(logicalLines(`a="${"\\x".repeat(50_000)}\nb=1`).length, 2);
});

test("decoding bytes that are not UTF-8 fails", () => {
  assert.equal(asText("\xc3\xa9"), "é");
  assert.equal(asText("\xff"), undefined);
});
