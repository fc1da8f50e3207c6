import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import type { Paint } from "../../paint.ts";
import { createMarkdownPainter } from "./markdown.ts";

const wrap = (mark: string) => (text: string) => `<${mark}${text}>`;
const paint: Paint = {
  isColoured: true,
  bold: wrap("b "),
  dim: wrap("d "),
  good: wrap("g "),
  bad: wrap("r "),
  warn: wrap("w "),
  accent: wrap("c "),
};

function painted(...pieces: readonly string[]): string {
  const painter = createMarkdownPainter(paint);
  return pieces.map(painter.push).join("") + painter.end();
}

test("headings, bold words, code, lists, quotes and fences are painted", () => {
  const rows: readonly (readonly [string, string])[] = [
    ["# Title\ntext\n", "<b Title>\ntext\n"],
    ["a **bold** word\n", "a <b bold> word\n"],
    ["run `npm test` now\n", "run <c npm test> now\n"],
    ["- one\n  * two\n", "<d • >one\n  <d • >two\n"],
    ["> said\n", "<d │ >said\n"],
    [
      "```ts\nconst a = 2 ** 3; // **x** `y`\n```\nafter **b**\n",
      "<d ```ts>\nconst a = 2 ** 3; // **x** `y`\n<d ```>\nafter <b b>\n",
    ],
    ["1. first\n2. second\n", "1. first\n2. second\n"],
  ];
  for (const [text, expected] of rows) assert.equal(painted(text), expected);
});

test("text that only resembles a mark stays unchanged", () => {
  for (const text of [
    "2 ** 3 = 8\n",
    "f(**kwargs)\n",
    "a * b * c\n",
    "#hashtag\n",
    "-5 degrees\n",
    "an `open mark\nand more\n",
    "**not closed\n",
    "----\n",
    "*",
    "**",
    "`",
    "#",
  ])
    assert.equal(painted(text), text);
});

test("a longer fence closes with one of its length, and a shorter one inside is text", () => {
  assert.equal(painted("````\n```\n````\n**b**\n"), "<d ````>\n```\n<d ````>\n<b b>\n");
});

test("it does not matter where the pieces end", () => {
  const text =
    "# A *title*\n\nSome **bold and `not code`** text, `code **x**`.\n\n- item **1**\n```js\nx ** 2\n```\n> q\nend";
  const whole = painted(text);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 80 }), (sizes) => {
      const pieces: string[] = [];
      let offset = 0;
      for (const size of sizes) pieces.push(text.slice(offset, (offset += size)));
      pieces.push(text.slice(offset));
      // A heading is painted piece by piece.
      const joined = (output: string) => output.replaceAll("><b ", "");
      assert.equal(joined(painted(...pieces)), joined(whole));
    }),
  );
});

test("no input loses text", () => {
  const plain = (output: string) => output.replaceAll(/[<>*`#\s•│-]|[bdc] /gu, "");
  const word = fc.constantFrom("**", "`", "```", "\n", "# ", "- ", "> ", "a", "xyz", " ", "*", "~~~", "_");
  fc.assert(
    fc.property(fc.array(word, { maxLength: 60 }), (words) => {
      const text = words.join("");
      assert.equal(plain(painted(...words)), plain(text));
      assert.equal(plain(painted(text)), plain(text));
    }),
  );
});

test("text is shown immediately: only an open mark waits", () => {
  const painter = createMarkdownPainter(paint);
  assert.equal(painter.push("Hello wor"), "Hello wor");
  assert.equal(painter.push("ld **bo"), "ld ");
  assert.equal(painter.push("ld** x"), "<b bold> x");
  assert.equal(painter.push(` **${"open ".repeat(200)}`).includes("**open"), true);
});
