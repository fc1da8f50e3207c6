import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { editorRig } from "../../../../../test/support/editor-rig.ts";
import { graphemes } from "../../../../base/text/graphemes.ts";

/** Types a text, then the keys of vi after Esc; `⎋` is Esc. */
function after(text: string, keys: string) {
  const rig = editorRig();
  rig.editor.useVi(true);
  rig.paste(text.replaceAll("\n", " "));
  rig.editor.set(text);
  rig.press("escape");
  for (const key of keys) {
    if (key === "⎋") rig.press("escape");
    else rig.editor.press({ chord: key, text: key });
  }
  return rig;
}

const cases: readonly (readonly [text: string, keys: string, expected: string])[] = [
  ["one two three", "0dw", "two three"],
  ["one two three", "02dw", "three"],
  ["one two three", "0d2w", "three"],
  ["one two three", "0wcwX⎋", "one X three"],
  ["one two three", "bD", "one two "],
  ["one two three", "0x$x", "ne two thre"],
  ["one two three", "0wdiw", "one  three"],
  ["one two three", "0wdaw", "one three"],
  ["one two three", "0dt ", " two three"],
  ["one two three", "0ft~rX", "one Xwo three"],
  ["a\nb\nc", "ggdd", "b\nc"],
  ["a\nb\nc", "gg2dd", "c"],
  ["a\nb\nc", "Gdd", "a\nb"],
  ["a\nb", "ggyyGp", "a\nb\na"],
  ["a\nb", "ggyyP", "a\na\nb"],
  ["a", "oB⎋OC⎋", "a\nC\nB"],
  ["abc", "0ixy⎋", "xyabc"],
  ["abc", "0a-⎋", "a-bc"],
  ["abc", "Ix⎋Ay⎋", "xabcy"],
  ["abc", "0xxu", "bc"],
  ["abcdef", "0vlld", "def"],
  ["abcdef", "0vly$p", "abcdefab"],
  ["one two", "0ylp", "oone two"],
  ["日本👩‍👩‍👧x", "0lx", "日👩‍👩‍👧x"],
  ["日本👩‍👩‍👧x", "0llx", "日本x"],
  ["one two", "0cwnew⎋u", "one two"],
];

test("keys in normal mode change the draft as they do in vi", () => {
  for (const [text, keys, expected] of cases) assert.equal(after(text, keys).editor.text, expected, `${text}: ${keys}`);
});

test("the mode is shown; Enter sends from both modes and a new draft starts in insert mode", () => {
  const rig = editorRig();
  rig.editor.useVi(true);
  assert.equal(rig.editor.mode, "insert");
  rig.type("hi");
  rig.press("escape");
  assert.equal(rig.editor.mode, "normal");
  rig.type("v");
  assert.equal(rig.editor.mode, "visual");
  rig.press("escape enter");
  assert.deepEqual([rig.sent[0]?.text, rig.editor.mode], ["hi", "insert"]);
  rig.press("ctrl+r");
  rig.press("escape");
  rig.type("one");
  rig.press("escape");
  rig.type("dd");
  rig.press("ctrl+r");
  rig.type("u");
  assert.equal(rig.editor.text, "one");
  rig.press("ctrl+r");
  assert.equal(rig.editor.text, "");
});

test("after any keys, deleting characters one by one empties the draft without splitting a character", () => {
  const key = fc.constantFrom(...Array.from("hjklwbe0^$gGiaIAoOxXdcyvpPurfDCsS2 3éa日⎋"));
  const family = "👩‍👩‍👧";
  fc.assert(
    fc.property(fc.array(key, { maxLength: 40 }), (keys) => {
      const rig = after(`one 日本 ${family}\ntwo ${family}`, keys.join(""));
      const families = () => rig.editor.text.split("👩").length - 1;
      rig.editor.useVi(false);
      rig.press("ctrl+home");
      for (let left = graphemes(rig.editor.text).length; left > 0; left--) {
        assert.equal(families(), 2 * (rig.editor.text.split(family).length - 1));
        rig.press("delete");
      }
      assert.equal(rig.editor.text, "");
    }),
    { numRuns: 200 },
  );
});
