import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { readable } from "./folded-text.ts";
import { createLexicon } from "./meanings.ts";
import { windowsOf } from "./parts.ts";
import { tokensOf } from "./tokens.ts";

const lexicon = createLexicon();
const tokens = (text: string) => tokensOf(readable(text), lexicon);

test("each sentence forms a window alone and together with the next ones, and an empty text has no window", () => {
  assert.deepEqual(windowsOf(tokens("Roses need sun. And water.")), [
    { first: 0, ends: [3, 5] },
    { first: 3, ends: [5] },
  ]);
  assert.deepEqual(windowsOf(tokens("")), []);
});

test("every word of a long text is in some window, and no window is too long, whatever the sentences", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 150 }), { minLength: 1, maxLength: 12 }), (lengths) => {
      const read = tokens(lengths.map((length) => `${"word ".repeat(length)}end.`).join(" "));
      let reached = 0;
      for (const { first, ends } of windowsOf(read)) {
        for (const end of ends) assert.ok(first <= reached && end > first && end - first <= 64);
        reached = Math.max(reached, ends.at(-1) ?? 0);
      }
      assert.equal(reached, read.words.length);
    }),
  );
});
