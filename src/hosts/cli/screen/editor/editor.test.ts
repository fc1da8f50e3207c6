import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as settled } from "node:timers/promises";

import fc from "fast-check";

import { editorRig } from "../../../../../test/support/editor-rig.ts";
import { ok } from "../../../../base/result.ts";
import { textWidth } from "../../../../base/text/text-width.ts";

test("Enter sends the prompt; Alt-Enter, Ctrl-J, a trailing backslash and an open code fence start a new line", () => {
  const rig = editorRig();
  rig.type("one");
  rig.press("alt+enter");
  rig.type("two\\");
  rig.press("enter");
  rig.type("```js");
  rig.press("enter");
  rig.type("a");
  rig.press("enter");
  rig.type("```");
  rig.press("enter");
  assert.deepEqual(
    rig.sent.map(({ text }) => text),
    ["one\ntwo\n```js\na\n```"],
  );
  assert.equal(rig.editor.isEmpty, true);
  rig.type("path\\\\");
  rig.press("enter");
  assert.equal(rig.sent[1]?.text, "path\\\\");
});

test("keys move by words, deleted text can be yanked, and consecutive deletions are joined", () => {
  const rig = editorRig();
  rig.type("alpha beta gamma");
  rig.press("alt+backspace alt+backspace");
  assert.equal(rig.editor.text, "alpha ");
  rig.press("ctrl+a ctrl+y");
  assert.equal(rig.editor.text, "beta gammaalpha ");
  rig.press("ctrl+e ctrl+u");
  rig.press("ctrl+y alt+y");
  assert.equal(rig.editor.text, "beta gamma");
  rig.press("ctrl+_ ctrl+_ ctrl+_");
  assert.equal(rig.editor.text, "beta gammaalpha ");
});

test("the arrow recalls prompts at the first row and keeps the draft", () => {
  const rig = editorRig({ history: { lines: ["newest", "two\nlines"], add: () => {} } });
  rig.type("draft");
  rig.press("up up");
  assert.equal(rig.editor.text, "two\nlines");
  rig.press("up up up");
  assert.equal(rig.editor.text, "two\nlines");
  rig.press("down");
  assert.equal(rig.editor.text, "two\nlines");
  rig.press("down down");
  assert.equal(rig.editor.text, "draft");
});

test("Ctrl-R searches while a person types; Esc restores the draft", () => {
  const rig = editorRig({ history: { lines: ["run the tests", "fix the tests", "hello"], add: () => {} } });
  rig.type("draft");
  rig.press("ctrl+r");
  rig.type("tests");
  assert.match(rig.screen(), /run the ▏?tests\nsearch: tests/u);
  rig.press("ctrl+r");
  assert.match(rig.screen(), /fix the ▏?tests\nsearch: tests$/u);
  rig.press("ctrl+r");
  assert.match(rig.screen(), /fix the ▏?tests\nsearch: tests {2}\(no other match\)/u);
  rig.press("escape");
  assert.equal(rig.editor.text, "draft");
  rig.press("ctrl+r");
  rig.type("zzz");
  assert.match(rig.screen(), /no match/u);
  rig.press("backspace backspace backspace");
  rig.type("hel");
  rig.press("enter");
  assert.equal(rig.editor.text, "hello");
  assert.deepEqual(rig.sent, []);
});

test("a pasted text of several lines is folded, sent in full, deleted as a unit, and can be unfolded", () => {
  const rig = editorRig();
  rig.type("look: ");
  rig.paste("a\r\nb\r\nc");
  assert.equal(rig.screen(), "❯ look: [pasted: 3 lines, 5 chars]▏");
  rig.press("backspace");
  assert.equal(rig.screen(), "❯ look: ▏");
  rig.press("ctrl+_");
  rig.press("alt+u");
  assert.equal(rig.screen(), "❯ look: a\n  b\n  c▏");
  rig.press("ctrl+_ enter");
  assert.deepEqual(rig.sent, [{ text: "look: a\nb\nc", shown: "look: [pasted: 3 lines, 5 chars]", content: [] }]);
  assert.deepEqual(rig.saved, ["look: a\nb\nc"]);
  rig.paste("a\nb\n");
  assert.equal(rig.screen(), "❯ [pasted: 2 lines, 4 chars]▏");
  rig.type("and more");
  rig.press("alt+u");
  assert.match(rig.screen(), /❯ a\n {2}b\n/u, "the cursor does not have to be beside it");
});

test("long lines wrap between words, and a draft that is higher than its space scrolls", () => {
  const rig = editorRig();
  rig.type("the quick brown fox jumps");
  assert.equal(rig.screen(16), "❯ the quick\n  brown fox\n  jumps▏");
  rig.press("up");
  assert.equal(rig.screen(16), "❯ the quick\n  brown▏ fox\n  jumps");
  rig.press("ctrl+end");
  assert.equal(rig.screen(16, 2), "↑ brown fox\n  jumps▏");
  rig.press("ctrl+home");
  assert.equal(rig.screen(16, 2), "❯ ▏the quick\n↓ brown fox");
});

test("the cursor treats each wide, joined or invisible character as one step, and rows never exceed the width", () => {
  const rig = editorRig();
  rig.paste("日本👩‍👩‍👧é\u202e");
  const { lines, cursor } = rig.editor.draw({ columns: 40, rows: 4 });
  assert.deepEqual(lines, ["❯ 日本👩‍👩‍👧é\\u{202e}"]);
  assert.equal(cursor?.column, "❯ ".length + 2 + 2 + 2 + 1 + "\\u{202e}".length);
  rig.press("backspace backspace backspace");
  assert.equal(rig.editor.text, "日本");
});

test("Ctrl-S puts drafts on a stack; Esc Esc moves the draft to the history", () => {
  const rig = editorRig();
  rig.type("first");
  rig.press("ctrl+s");
  rig.type("second");
  rig.press("ctrl+s ctrl+s");
  assert.equal(rig.editor.text, "second");
  assert.deepEqual(rig.press("escape"), [true]);
  rig.press("escape");
  assert.equal(rig.editor.text, "");
  assert.deepEqual(rig.saved, ["second"]);
  rig.press("ctrl+s");
  assert.equal(rig.editor.text, "first");
  rig.press("escape");
  rig.clock.advance(2_000);
  rig.press("escape");
  assert.equal(rig.editor.text, "first");
});

test("while a turn runs, the editor ignores Esc", () => {
  const rig = editorRig({ isBusy: () => true });
  rig.type("draft");
  assert.deepEqual(rig.press("escape escape"), [false, false]);
  assert.equal(rig.editor.text, "draft");
});

test("Tab, or Right at the end, accepts a suggestion from the history", () => {
  const rig = editorRig({ history: { lines: ["git status now"], add: () => {} } });
  rig.type("git s");
  assert.equal(rig.screen(), "❯ git s▏tatus now");
  rig.press("right");
  assert.equal(rig.editor.text, "git status now");
});

test("an external editor gets the whole text, and an image is part of the draft", async () => {
  const seen: string[] = [];
  const content = { type: "image", mimeType: "image/png", data: "" } as const;
  const rig = editorRig({
    editInProgram: async (text) => {
      seen.push(text);
      return ok("edited");
    },
    readClipboard: async () => ok({ kind: "image", content, label: "PNG, 2 KB" }),
  });
  rig.paste("a\nb");
  rig.press("ctrl+x ctrl+e");
  await settled();
  assert.deepEqual([seen, rig.editor.text], [["a\nb"], "edited"]);
  rig.press("alt+v");
  await settled();
  assert.equal(rig.screen(), "❯ edited[image 1: PNG, 2 KB]▏");
  rig.press("enter");
  assert.deepEqual(rig.sent, [{ text: "edited[image 1]", shown: "edited[image 1: PNG, 2 KB]", content: [content] }]);
});

test("Ctrl-D deletes; on an empty line the editor ignores it", () => {
  const rig = editorRig();
  rig.type("a");
  rig.press("left");
  assert.deepEqual(rig.press("ctrl+d ctrl+d"), [true, false]);
});

test("the menu filters while a person types; a late result never replaces a newer one", async () => {
  const answers = new Map<string, (labels: readonly string[]) => void>();
  const rig = editorRig();
  const offer = (labels: readonly string[]) => ({
    from: 0,
    items: labels.map((label) => ({ label, insert: `${label} ` })),
  });
  rig.editor.useCompleter({
    now: (before) =>
      before.startsWith("/") ? offer(["/help", "/history"].filter((name) => name.startsWith(before))) : undefined,
    later(before) {
      const { promise, resolve } = Promise.withResolvers<ReturnType<typeof offer>>();
      answers.set(before, (labels) => resolve(offer(labels)));
      return promise;
    },
  });
  rig.type("/h");
  assert.equal(rig.screen(), "❯ /h▏\n  /help\n  /history");
  rig.clock.advance(60);
  rig.type("e");
  assert.equal(rig.screen(), "❯ /he▏\n  /help");
  rig.clock.advance(60);
  answers.get("/he")?.(["/help", "/heartbeat"]);
  await settled();
  answers.get("/h")?.(["/old"]);
  await settled();
  assert.equal(rig.screen(), "❯ /he▏\n  /help\n  /heartbeat");
  rig.press("down down");
  assert.match(rig.screen(), /› \/heartbeat/u);
  rig.press("escape");
  assert.equal(rig.screen(), "❯ /he▏");
  rig.press("tab tab");
  assert.equal(rig.editor.text, "/help ");
});

test("for any text and window, rows fit, contain no control characters, and the cursor is inside", () => {
  const word = fc.constantFrom(
    "a",
    "word ",
    "\n",
    "\t",
    "日",
    "👩‍👩‍👧",
    "🇩🇪",
    "e\u0301",
    "\u0301",
    "\u202e",
    "\u200d",
    "\ufeff",
    "\u2028",
    "ﷺ",
    "각",
    "नी",
  );
  fc.assert(
    fc.property(
      fc.array(word, { maxLength: 60 }),
      fc.integer({ min: 12, max: 60 }),
      fc.integer({ min: 1, max: 12 }),
      fc.nat(20),
      (words, columns, rows, left) => {
        const rig = editorRig();
        rig.paste("a\nb");
        rig.type(words.join(""));
        for (let step = 0; step < left; step++) rig.press("left");
        const { lines, cursor } = rig.editor.draw({ columns, rows });
        assert.ok(lines.length <= rows && lines.length > 0);
        for (const line of lines) {
          assert.ok(textWidth(line) <= columns, line);
          assert.doesNotMatch(line, /\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u);
        }
        assert.ok(cursor && cursor.row < lines.length && cursor.column < columns);
      },
    ),
    { numRuns: 300 },
  );
});
