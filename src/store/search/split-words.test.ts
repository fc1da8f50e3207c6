import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { foldWord } from "./fold-word.ts";
import { createSplitter } from "./split-words.ts";

const splitter = createSplitter();
const anyText = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 60 })
  .map((codes) => String.fromCharCode(...codes));

function tokens(text: string): readonly string[] {
  const result: string[] = [];
  splitter.split(text, (token) => void result.push(token));
  return result;
}

test("an identifier is split into its parts and kept as a whole", () => {
  for (const [text, expected] of [
    ["getUserName", "getusername get user name"],
    ["HTTPServer", "httpserver http server"],
    ["XMLHttpRequest", "xmlhttprequest xml http request"],
    ["foo_bar-baz", "foobarbaz foo bar baz"],
    ["os.path.join", "ospathjoin os path join"],
    ["__init__", "init"],
    ["--dry-run", "dryrun dry run"],
    ["don't", "dont don t"],
    ["sha256 IDs v1.2", "sha256 ids v12 v1 2"],
    ["the end. Next", "the end next"],
    ["src/a/b.ts", "src a bts b ts"],
  ] as const) {
    assert.deepEqual(tokens(text).join(" "), expected, text);
  }
});

test("scripts without spaces are split into pairs of letters, plus the last letter", () => {
  for (const [text, expected] of [
    ["数据库", "数据 据库 库"],
    ["库", "库"],
    ["Python入門だ", "python 入門 門だ だ"],
    ["한국어", "한국 국어 어"],
    ["𠀀𠀁", "𠀀𠀁 𠀁"],
    ["🚀", "🚀"],
    ["ＡＢＣ", "abc"],
  ] as const) {
    assert.deepEqual(tokens(text).join(" "), expected, text);
  }
});

test("words are normalised by case, accents and spelling, but not by marks that make a different letter", () => {
  assert.deepEqual(tokens("ÉCOLE Straße MÜNCHEN Ørsted Łódź ΟΔΟΣ Ёлка"), [
    "ecole",
    "strasse",
    "munchen",
    "orsted",
    "lodz",
    "οδοσ",
    "елка",
  ]);
  assert.deepEqual(tokens("أحمد مُدَرِّسة"), ["احمد", "مدرسه"]);
  assert.notDeepEqual(tokens("が"), tokens("か"));
});

test("every token matches the text at its position, in order, and contains no reserved character", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      let last = -1;
      splitter.split(text, (token, from, to, place, kind) => {
        assert.ok(from >= 0 && from < to && to <= text.length);
        assert.ok(token !== "" && token.length <= 40 && !/[\s"\u{E000}-\u{E0FF}]/u.test(token), token);
        assert.ok(place >= last, "places grow");
        if (kind !== "whole") last = place;
      });
    }),
  );
});

test("splitting the words of a text again returns the same words", () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-z]{1,12}$/u), { maxLength: 30 }), (words) => {
      assert.deepEqual(tokens(words.join(" ")), words);
      assert.deepEqual(tokens(words.join(" ").toUpperCase()), words);
    }),
  );
});

test("normalising letters one by one equals normalising them in a text", () => {
  const letters = Array.from({ length: 0x2_0000 / 8 }, (_, index) => String.fromCharCode(index));
  for (const letter of letters) {
    // Adding a character of another script makes the whole text be normalised together.
    const [alone, beside] = [foldWord(`x${letter}`), foldWord(`x${letter}\u2c00`)];
    assert.equal(`${alone}\u2c30`, beside, letter.charCodeAt(0).toString(16));
  }
});

test("no single letter is normalised to several words", () => {
  const letters = Array.from({ length: 0x1_0000 }, (_, index) => String.fromCharCode(index));
  assert.deepEqual(
    letters.filter((letter) => /[\s!-/:-@[-`{-~]/u.test(foldWord(letter))),
    [],
  );
});
