import assert from "node:assert/strict";
import { test } from "node:test";

import { createTypedText } from "./typed-text.ts";

function typed(...lines: readonly string[]): readonly (string | undefined)[] {
  const text = createTypedText();
  return lines.map((line) => text.line(line, false));
}

test("a line is an input; a trailing backslash continues it, an escaped one does not", () => {
  assert.deepEqual(typed("one", "two \\", "three"), ["one", undefined, "two \nthree"]);
  assert.deepEqual(typed("a path\\\\"), ["a path\\\\"]);
});

test("a fence of backticks joins lines until it is closed", () => {
  assert.deepEqual(typed("look:", "```js", "a\\", "", "```"), [
    "look:",
    undefined,
    undefined,
    undefined,
    "```js\na\n\n```",
  ]);
});

test("a newline key continues any line", () => {
  const text = createTypedText();
  assert.equal(text.line("one", true), undefined);
  assert.equal(text.isBegun, true);
  assert.equal(text.line("two", false), "one\ntwo");
  assert.equal(text.isBegun, false);
});

test("pasted lines are shown abbreviated and sent in full; a single line is shown unchanged", () => {
  const text = createTypedText();
  assert.equal(text.paste("short"), "short");
  const shown = text.paste("a\nb\nc");
  assert.equal(shown, "[pasted 1: 3 lines, 5 characters]");
  assert.equal(text.line(`explain ${shown} please`, false), "explain a\nb\nc please");
  assert.equal(text.line("[pasted 7: 3 lines, 5 characters]", false), "[pasted 7: 3 lines, 5 characters]");
});

test("discarded text does not return", () => {
  const text = createTypedText();
  text.line("```", false);
  text.clear();
  assert.equal(text.line("new", false), "new");
});
