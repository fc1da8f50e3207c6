import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { readable } from "./folded-text.ts";
import { createLexicon } from "./meanings.ts";
import { partsOf } from "./parts.ts";
import { tokensOf } from "./tokens.ts";

const lexicon = createLexicon();
const tokens = (text: string) => tokensOf(readable(text), lexicon);

test("a short text is one part, an empty one has none", () => {
  assert.deepEqual(partsOf(tokens("Roses need sun. And water.")), [{ first: 0, end: 5 }]);
  assert.deepEqual(partsOf(tokens("")), []);
});

test("parts cover every word of a long text, and no part is long, for any sentences", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 150 }), { minLength: 1, maxLength: 12 }), (lengths) => {
      const read = tokens(lengths.map((length) => `${"word ".repeat(length)}end.`).join(" "));
      const parts = partsOf(read);
      let reached = 0;
      for (const { first, end } of parts) {
        assert.ok(first <= reached && end > first && end - first <= 64);
        reached = Math.max(reached, end);
      }
      assert.equal(reached, read.words.length);
    }),
  );
});
