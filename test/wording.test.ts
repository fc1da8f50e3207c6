// covers: src, test, bench, scripts, docs
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";

import { quotations } from "./support/forbidden-words.ts";
import { checkedFiles, hitsOfFile, wordingHits } from "./support/wording.ts";

const root = join(import.meta.dirname, "..");
const files = checkedFiles(root);
const hits = files.flatMap((file) => hitsOfFile(root, file));

test("no file has a forbidden name or phrase", () => {
  assert.ok(files.length > 0);
  assert.deepEqual(
    hits.map(({ file, line, words, instead }) => `${file}:${line}: "${words}" → ${instead}`),
    [],
  );
});

test("every quotation still matches a forbidden phrase", () => {
  const stale = quotations.filter(
    ({ file, text }) =>
      !files.includes(file) ||
      hitsOfFile(root, file, []).length === hitsOfFile(root, file, [{ file, text, reason: "" }]).length,
  );
  assert.deepEqual(stale, []);
});

function words(code: string, file = "src/kernel/a.ts"): readonly string[] {
  return wordingHits(file, code).map((hit) => `${hit.line}: ${hit.words}`);
}

test("a declared name is checked in every form of declaration", () => {
  for (const code of [
    "const found = 1;",
    "let found: number;",
    "function found() {}",
    "type Found = string;",
    "f((found) => 1);",
    "f(found => 1);",
    "f((a, found) => 1);",
    "f((found = 1) => 1);",
    "function f(a: number, found: number) {}",
    "function f(found?: number) {}",
    "function f(...found: number[]) {}",
    "const { found } = value;",
    "const { key: found, other } = value;",
    "const [a, found] = value;",
    "f(({ found }) => 1);",
    "function f({ found }: Options) {}",
    "for (const found of list) {}",
  ])
    assert.equal(words(code).length, 1, code);
});

test("the use of a name, a key, a method and a longer name are not hits", () => {
  for (const code of ["list.at(0);", "f(found);", "({ found: 1 });", "const foundIn = 1;", "x = cond ? at : 1;"])
    assert.deepEqual(words(code), [], code);
});

test("a phrase is checked in comments, in strings of several words and in documents", () => {
  assert.deepEqual(words("// the model is told\nconst a = 1;"), ["1: told"]);
  assert.deepEqual(words("/**\n * One line.\n * It counts no\n * more, any\n * more. */"), ["4: any more"]);
  assert.deepEqual(words("// first line stands\n// in for the second"), ["1: stands in"]);
  assert.deepEqual(words('const a = "a model is told";'), ["1: told"]);
  assert.deepEqual(words("const a = `x ${b} is told`;"), ["1: told"]);
  assert.deepEqual(words("One line.\nNobody is told.", "docs/a.md"), ["2: told", "2: Nobody is told"]);
});

test("a value, a regular expression and code are not prose", () => {
  for (const code of [
    'const a = "told";',
    "const a = /is told now/;",
    "told();",
    "// there is no file",
    "// no longer",
  ])
    assert.deepEqual(words(code), [], code);
});

test("a comment does not start with What", () => {
  assert.deepEqual(words("/** What the model sees. */"), ["1: What"]);
  assert.deepEqual(words("// A line.\n// What the model sees."), []);
});
