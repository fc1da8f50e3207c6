import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { replaceText } from "./replace-text.ts";

const line = fc
  .array(
    fc.constantFrom(
      "a",
      "b",
      "x = 1",
      " ",
      "  ",
      "\t",
      '"',
      "'",
      "\\n",
      '\\"',
      "<",
      ">",
      "&",
      "&lt;",
      "(",
      ")",
      ";",
      "7|",
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => parts.join(""));
const lines = fc.array(line, { minLength: 1, maxLength: 4 });

const wrappings: Readonly<Record<string, (text: string) => string>> = {
  quotes: (text) => text.replaceAll(/["']/gu, String.raw`\$&`),
  json: (text) => JSON.stringify(text).slice(1, -1),
  entities: (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
  numbers: (text) =>
    text
      .split("\n")
      .map((each, index) => `${index + 1}|${each}`)
      .join("\n"),
};

function bare(text: string): string {
  return text.replaceAll(/\s+/gu, "");
}

test("an edit that was escaped as a whole is applied as it was meant, or not at all", () => {
  let appliedCount = 0;
  fc.assert(
    fc.property(
      lines,
      lines,
      lines,
      lines,
      fc.constantFrom(...Object.keys(wrappings)),
      (head, old, next, tail, kind) => {
        const wrap = wrappings[kind] ?? String;
        const join = (...parts: string[][]) => parts.flat().join("\n");
        const original = join(head, old, tail);
        const [oldText, newText] = [join(old), join(next)];
        // The meaning is clear only if the edit has one place, and its escaped form none.
        if (
          original.split(oldText).length !== 2 ||
          bare(original).includes(bare(wrap(oldText))) ||
          oldText.trim() === ""
        )
          return;
        const edited = replaceText(original, { old: wrap(oldText), new: wrap(newText), replaceAll: false });
        if (edited.outcome !== "applied") return;
        appliedCount += 1;
        const [before = "", after = ""] = original.split(oldText);
        assert.equal(edited.result, before + newText + after);
      },
    ),
    { numRuns: 5_000, seed: 20_261_117 },
  );
  assert.ok(appliedCount > 100, `${appliedCount} edits were applied`);
});
