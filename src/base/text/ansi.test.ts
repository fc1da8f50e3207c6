import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { assertGrowsLinearly } from "../../../test/support/growth.ts";
import { plainText } from "./ansi.ts";

for (const [what, text, plain] of [
  ["colours", "\x1b[1;31mred\x1b[0m \x1b[38;5;12mblue\x1b[m", "red blue"],
  ["colours with colons", "\x1b[38:2::255:0:0mred\x1b[0m", "red"],
  ["movement and modes", "\x1b[2K\x1b[1A\x1b[?25lx\x1b[?25h\x1b[!p", "x"],
  ["a title ended by a bell", "\x1b]0;title\x07text", "text"],
  ["a link ended by a string terminator", "\x1b]8;;https://a.b\x1b\\link\x1b]8;;\x1b\\", "link"],
  ["a picture", "\x1bPq#0;2;0\nabc\x1b\\after", "after"],
  ["private data", "\x1b_Gf=24;AAAA\x1b\\after", "after"],
  ["character sets and single escapes", "\x1b(B\x1b7\x1b=x\x1b>\x1b8\x1bc", "x"],
  ["8-bit forms", "\x9b31mred\x9b0m \x9d0;title\x9ctext", "red text"],
  ["overstriking", "N\bNA\bAM\bME\bE _\bu", "NAME u"],
  ["a bell and a NUL", "ding\x07 a\0b", "ding a␀b"],
  ["an unfinished sequence at the end", "text\x1b[38;5", "text"],
  ["a title that never ends", "\x1b]0;not hidden\nmore", "0;not hidden\nmore"],
  ["a picture that never ends", "\x1bPnot hidden\nmore", "not hidden\nmore"],
  ["nothing", "plain \t text\r\n é 漢 🎉", "plain \t text\r\n é 漢 🎉"],
] as const) {
  test(`plain text contains no ${what}`, () => assert.equal(plainText(text), plain));
}

test("plain text has no control characters, and converting it again changes nothing", () => {
  const part = fc.constantFrom(
    "\x1b",
    "\x1b[",
    "\x9b",
    "\x1b]",
    "\x07",
    "\x1b\\",
    "\b",
    "\0",
    "31",
    "m",
    "a",
    "\n",
    "é",
  );
  fc.assert(
    fc.property(
      fc.array(part).map((parts) => parts.join("")),
      (text) => {
        const plain = plainText(text);
        // oxlint-disable-next-line no-control-regex
        assert.ok(!/[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/u.test(plain));
        assert.equal(plainText(plain), plain);
      },
    ),
  );
});

for (const part of ["\x1b]", "\x9d", "\x1bP", "\x90", "\x1b[", "\x1b[1", "\x1b(", "a\b", "\b", "\x1b]\n"]) {
  test(`a megabyte of ${JSON.stringify(part)} takes time in proportion to its length`, async () => {
    await assertGrowsLinearly(1_000_000, (size) => plainText(part.repeat(size / part.length)));
  });
}
