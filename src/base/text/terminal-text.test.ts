import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { assertGrowsLinearly } from "../../../test/support/growth.ts";
import { terminalText } from "./terminal-text.ts";

const size = { columns: 20, rows: 5 };

for (const [what, text, shown] of [
  ["a progress bar", "start\r\n 10%\r 50%\r100%\r\ndone\r\n", "start\n100%\ndone\n"],
  ["a shorter text over a longer one", "loading…\rok\x1b[K\r\n", "ok\n"],
  ["a line blotted out with blanks", "loading\r       \rok\r\n", "ok\n"],
  ["backspaces", "passwrod\b\b\bord\r\n", "password\n"],
  ["colours and titles", "\x1b]0;title\x07\x1b[1;31mred\x1b[0m\r\n", "red\n"],
  ["several lines redrawn", "a 1\r\nb 1\r\n\x1b[2Aa 2\x1b[K\r\nb 2\x1b[K\r\n", "a 2\nb 2\n"],
  ["wrapped lines", `${"x".repeat(45)}\r\nend\r\n`, `${"x".repeat(45)}\nend\n`],
  ["a screen that was cleared", "before\r\n\x1b[H\x1b[2Jafter\r\n", "after\n"],
  ["a program that had the screen", "$ vim\r\n\x1b[?1049h\x1b[2J\x1b[1;1Htext\x1b[?1049l$ \r\n", "$ vim\n$\n"],
  ["a program that still has the screen", "$ vim\r\n\x1b[?1049h\x1b[H\x1b[2Jtext", "text"],
  ["text at a place", "\x1b[2;4Hhere\x1b[1;1Hfirst", "first\n   here"],
  ["wide characters overwritten", "漢字\rab\r\n", "ab字\n"],
  ["marks that join", "e\u0301 \u{1f468}\u200d\u{1f469}\rE\r\n", "E \u{1f468}\u200d\u{1f469}\n"],
  ["a tab", "a\tb\r\n\b", "a       b\n"],
  ["a place that was kept", "a\x1b7bc\x1b8X\r\n", "aXc\n"],
  ["characters taken out and put in", "abcdef\x1b[4D\x1b[2P\x1b[1@_\r\n", "ab_ef\n"],
  ["a line feed alone", "a\nb\x1b[K", "a\n b"],
] as const) {
  test(`a terminal shows ${what} correctly`, () => assert.equal(terminalText(text, size), shown));
}

test("piped output returns to the first column at every line end and never wraps", () => {
  const long = "x".repeat(3_000);
  assert.equal(terminalText(`${long}\n 1%\r 2%\nend`), `${long}\n 2%\nend`);
  assert.equal(terminalText("plain\ntext\r\n"), "plain\ntext\r\n");
});

test("lines that scrolled off the terminal screen stay in the text", () => {
  const lines = Array.from({ length: 50 }, (_, index) => `line ${index}`);
  assert.equal(terminalText(`${lines.join("\r\n")}\r\n\x1b[99Atop\x1b[K\r`, size).split("\n")[46], "top");
  assert.equal(terminalText(`${lines.join("\r\n")}\r\n\x1b[99Atop\x1b[K\r`, size).split("\n")[45], "line 45");
});

test("the time for hostile cursor movements is proportional to their number, and the text stays short", async () => {
  const movement = "\x1b[999999999C\x1b[999999999Bx\x1b[9999999@\x1b[99999999;99999999Hy";
  for (const screen of [size, undefined])
    await assertGrowsLinearly(2_000, (count) =>
      assert.ok(terminalText(movement.repeat(count), screen).length <= count * 100),
    );
});

test("text without control characters stays unchanged, and no control character causes an error", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("a", "é", " ", "\n", "漢") }), (text) =>
      assert.equal(terminalText(text), text),
    ),
  );
  const unit = fc.constantFrom(
    "a",
    "漢",
    "\u0301",
    "\r",
    "\n",
    "\b",
    "\x1b[",
    "A",
    "1",
    ";",
    "H",
    "J",
    "K",
    "\x1b",
    "?1049h",
    "\t",
  );
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 200 }), (text) => {
      const shown = terminalText(text, size);
      assert.ok(
        ["\x1b", "\r", "\b"].every((control) => !shown.includes(control)),
        JSON.stringify(shown),
      );
    }),
  );
});
