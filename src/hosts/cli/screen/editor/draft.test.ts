import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { graphemes } from "../../../../base/text/graphemes.ts";
import { offsetAt, cursorPlace } from "./draft-layout.ts";
import { createDraft } from "./draft.ts";
import type { EditorAction } from "./editor-actions.ts";

const anyChar = fc.constantFrom(
  "a",
  "B",
  " ",
  "\n",
  "\t",
  "é",
  "e\u0301",
  "\u0301",
  "日",
  "👩‍👩‍👧",
  "🇩🇪",
  "🇩",
  "א",
  "ب",
  "👍🏽",
  "\u200d",
  "_",
  ".",
  "\u202e",
  "각",
);
const moves: readonly EditorAction[] = [
  "char_left",
  "char_right",
  "word_left",
  "word_right",
  "line_start",
  "line_end",
  "text_start",
  "text_end",
];
const deletions: readonly EditorAction[] = [
  "delete_left",
  "delete_right",
  "delete_word_left",
  "delete_word_right",
  "delete_spaced_word_left",
  "delete_to_line_end",
  "delete_to_line_start",
];
const others: readonly EditorAction[] = ["newline", "yank", "yank_older", "undo", "redo", "transpose", "unfold"];

type Key =
  | { readonly type: string }
  | { readonly paste: string }
  | { readonly action: EditorAction }
  | { readonly row: 1 | -1 };
const anyKey: fc.Arbitrary<Key> = fc.oneof(
  { weight: 5, arbitrary: anyChar.map((type) => ({ type })) },
  { weight: 1, arbitrary: fc.array(anyChar, { maxLength: 6 }).map((chars) => ({ paste: chars.join("") })) },
  { weight: 5, arbitrary: fc.constantFrom(...moves, ...deletions, ...others).map((action) => ({ action })) },
  { weight: 1, arbitrary: fc.constantFrom<1 | -1>(1, -1).map((row) => ({ row })) },
);

function press(draft: ReturnType<typeof createDraft>, key: Key): void {
  if ("type" in key) draft.type(key.type);
  else if ("paste" in key) draft.paste(key.paste);
  else if ("row" in key) draft.moveRow(key.row);
  else draft.run(key.action);
  draft.settle("action" in key ? key.action : undefined);
}

/** Offsets of the boundaries between user-perceived characters, computed from the whole text. */
function boundaries(text: string): ReadonlySet<number> {
  let offset = 0;
  return new Set([0, ...graphemes(text).map((grapheme) => (offset += grapheme.length))]);
}

test("after any keys the cursor is between two characters, the layout fits, and every screen position maps back", () => {
  fc.assert(
    fc.property(fc.array(anyKey, { maxLength: 60 }), fc.integer({ min: 4, max: 30 }), (keys, columns) => {
      const draft = createDraft({ pasteLabel: (lines) => `[${lines} lines]` });
      draft.layout(columns);
      for (const key of keys) press(draft, key);
      const { text, cursor } = draft.state;
      assert.ok(boundaries(text).has(cursor), `cursor ${cursor} in ${JSON.stringify(text)}`);
      const layout = draft.layout(columns);
      for (const { cells } of layout.rows)
        assert.ok(cells.reduce((sum, { width }) => sum + width, 0) <= columns || cells.length === 1);
      assert.equal(
        layout.rows.flatMap(({ cells }) => cells).length + text.split("\n").length - 1,
        graphemes(text).length,
      );
      const place = cursorPlace(layout, cursor);
      assert.equal(offsetAt(layout, place.row, place.column), cursor);
    }),
    { numRuns: 300 },
  );
});

test("undo returns step by step to the empty draft, and redo to the last text", () => {
  fc.assert(
    fc.property(
      fc.array(
        anyKey.filter((key) => !("action" in key && /undo|redo/u.test(key.action))),
        { maxLength: 40 },
      ),
      (keys) => {
        const draft = createDraft({ pasteLabel: () => "[pasted]" });
        const seen = new Set([""]);
        for (const key of keys) {
          press(draft, key);
          seen.add(draft.state.text);
        }
        const last = draft.state.text;
        for (let steps = 0; steps <= keys.length; steps++) {
          draft.undo();
          assert.ok(seen.has(draft.state.text));
        }
        assert.equal(draft.state.text, "");
        for (let steps = 0; steps <= keys.length; steps++) draft.redo();
        assert.equal(draft.state.text, last);
      },
    ),
    { numRuns: 200 },
  );
});

/** The same keys applied to a list of characters. */
function model(keys: readonly Key[]): string {
  let before: string[] = [];
  let after: string[] = [];
  for (const key of keys) {
    if ("type" in key) before.push(key.type);
    else if ("action" in key) {
      if (key.action === "char_left") after.unshift(...before.splice(-1));
      if (key.action === "char_right") before.push(...after.splice(0, 1));
      if (key.action === "text_start") [before, after] = [[], [...before, ...after]];
      if (key.action === "text_end") [before, after] = [[...before, ...after], []];
      if (key.action === "delete_left") before.pop();
      if (key.action === "delete_right") after.shift();
    }
  }
  return [...before, ...after].join("");
}

test("characters, arrows and deletions behave like edits of a list of characters", () => {
  const key: fc.Arbitrary<Key> = fc.oneof(
    fc.constantFrom("a", " ", "\n", "é", "日", "👩‍👩‍👧", "א").map((type) => ({ type })),
    fc
      .constantFrom<EditorAction>("char_left", "char_right", "text_start", "text_end", "delete_left", "delete_right")
      .map((action) => ({ action })),
  );
  fc.assert(
    fc.property(fc.array(key, { maxLength: 80 }), (keys) => {
      const draft = createDraft({ pasteLabel: () => "" });
      for (const each of keys) press(draft, each);
      assert.equal(draft.state.text, model(keys));
    }),
    { numRuns: 300 },
  );
});

test("a pasted line of one megabyte is folded, and keys treat it as one character", () => {
  const draft = createDraft({ pasteLabel: (lines, chars) => `[${lines}, ${chars}]` });
  draft.paste("x".repeat(1_000_000));
  draft.type("!");
  assert.equal(draft.labelled(), "[1, 1000000]!");
  assert.equal(draft.expand().length, 1_000_001);
  draft.run("delete_left");
  draft.run("delete_left");
  assert.equal(draft.state.text, "");
});
