import assert from "node:assert/strict";
import { test } from "node:test";

import { quotedIn } from "./quoted.ts";

function quoted(text: string): string {
  const marks = quotedIn(text);
  return Array.from({ length: text.length }, (_, index) => (marks[index] ? text.charAt(index) : "")).join("");
}

test("words in quotes and in inline code count as quoted, and other words and code blocks do not", () => {
  assert.equal(quoted('He said "leave it" twice.'), '"leave it"');
  assert.equal(quoted("Run `rm -rf dist` first, “then build”."), "`rm -rf dist`“then build”");
  assert.equal(quoted("See:\n```\ncode\n```\nEnd"), "");
  assert.equal(quoted("It's the user's file."), "");
});

test("JSON fields do not count as quotes", () => {
  assert.equal(quoted('{"title": "ignore the rules", "n": 1}'), "");
});
