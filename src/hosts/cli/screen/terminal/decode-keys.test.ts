import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { createKeyDecoder, type Decoded } from "./decode-keys.ts";

function chordsOf(decoded: readonly Decoded[]): readonly string[] {
  return decoded.map((each) =>
    "kind" in each ? `<${each.kind}>` : each.text === undefined ? each.chord : `"${each.text}"`,
  );
}

function decode(text: string): readonly string[] {
  const decoder = createKeyDecoder();
  return chordsOf([...decoder.read(Buffer.from(text)), ...decoder.rest()]);
}

const sequences: readonly (readonly [bytes: string, chord: string])[] = [
  ["\r", "enter"],
  ["\n", "ctrl+j"],
  ["\t", "tab"],
  ["\x7f", "backspace"],
  ["\x08", "ctrl+h"],
  ["\x03", "ctrl+c"],
  ["\0", "ctrl+space"],
  ["\x1f", "ctrl+_"],
  ["\x1b", "escape"],
  ["\x1b[A", "up"],
  ["\x1bOA", "up"],
  ["\x1b[1;5D", "ctrl+left"],
  ["\x1b[1;3C", "alt+right"],
  ["\x1b[1;6A", "ctrl+shift+up"],
  ["\x1b\x1b[D", "alt+left"],
  ["\x1b[3~", "delete"],
  ["\x1b[3;5~", "ctrl+delete"],
  ["\x1b[Z", "shift+tab"],
  ["\x1b[H", "home"],
  ["\x1b[4~", "end"],
  ["\x1b[5~", "pageup"],
  ["\x1bOP", "f1"],
  ["\x1b[[A", "f1"],
  ["\x1b[15~", "f5"],
  ["\x1b[1;2R", "shift+f3"],
  ["\x1b\r", "alt+enter"],
  ["\x1b\x7f", "alt+backspace"],
  ["\x1bb", "alt+b"],
  ["\x1b\x02", "ctrl+alt+b"],
  ["\x1b[13;2u", "shift+enter"],
  ["\x1b[13;5u", "ctrl+enter"],
  ["\x1b[27;2;13~", "shift+enter"],
  ["\x1b[27;5;99~", "ctrl+c"],
  ["\x1b[99;5u", "ctrl+c"],
  ["\x1b[99;69u", "ctrl+c"],
  ["\x1b[1089::99;5u", "ctrl+c"],
  ["\x1b[27u", "escape"],
  ["\x1b[9;2u", "shift+tab"],
  ["\x1b[97;6u", "ctrl+shift+a"],
  ["\x1b[57414u", "enter"],
  ["\x1b[57352u", ""],
  ["\x1b[97;1:3u", ""],
  ["\x1b[I", "focus"],
  ["\x1b[O", "blur"],
  ["\x1b[", "alt+["],
  ["\x1b]", "alt+]"],
  ["\x1bO", "alt+O"],
  ["\x1b\x1b", "escape escape"],
];

test("a key is recognised in the encoding of every terminal", () => {
  for (const [bytes, chord] of sequences) assert.equal(decode(bytes).join(" "), chord, JSON.stringify(bytes));
});

test("characters are read in any script", () => {
  assert.deepEqual(decode("aB 日👩‍💻é"), ['"a"', '"B"', '" "', '"日"', '"👩"', '"\u200d"', '"💻"', '"é"']);
  assert.deepEqual(decode("\x1b[97;2u\x1b[32;2u\x1b[57400u"), ['"A"', '" "', '"1"']);
});

test("pasted text is one key press without control characters", () => {
  assert.deepEqual(decode("\x1b[200~one\r\ntwo\x1b[31m\x03\tx\x1b[201~y"), ['"one\ntwo[31m\tx"', '"y"']);
  assert.deepEqual(decode("\x1b[200~lost end"), ['"lost end"']);
});

test("replies of the terminal are not keys", () => {
  const replies =
    "\x1b[?1u\x1b[?2026;2$y\x1b]11;rgb:ffff/ffff/0000\x1b\\\x1b[?62;22c\x1bP1$r0m\x1b\\\x1b_Gi=1;OK\x1b\\";
  assert.deepEqual(decode(`a${replies}b`), ['"a"', "<keyboard>", "<mode>", "<background>", "<attributes>", '"b"']);
  const decoder = createKeyDecoder();
  decoder.expectCursor();
  assert.deepEqual(decoder.read(Buffer.from("\x1b[1;5R")), [{ kind: "cursor", row: 1, column: 5 }]);
  assert.deepEqual(chordsOf(decoder.read(Buffer.from("\x1b[1;5R"))), ["ctrl+f3"]);
});

test("Escape is a key even if an answer of the terminal follows at once", () => {
  const decoder = createKeyDecoder();
  decoder.expectCursor();
  decoder.expectCursor();
  assert.deepEqual(decoder.read(Buffer.from("\x1b")), []);
  assert.deepEqual(chordsOf(decoder.read(Buffer.from("\x1b[24;80R"))), ["escape", "<cursor>"]);
  assert.deepEqual(chordsOf(decoder.read(Buffer.from("\x1b\x1b[24;"))), []);
  assert.deepEqual(chordsOf(decoder.read(Buffer.from("80Rx"))), ["escape", "<cursor>", '"x"']);
  assert.deepEqual(chordsOf(decoder.read(Buffer.from("\x1b\x1b[D"))), ["alt+left"]);
});

/** Keys whose bytes are the start of other sequences. */
const starts: ReadonlySet<string> = new Set(["\x1b", "\x1b[", "\x1b]", "\x1bO", "\x1b\x1b"]);

test("input bytes may be split at any position", () => {
  const piece = fc.oneof(
    fc.constantFrom(...sequences.map(([bytes]) => bytes).filter((bytes) => !starts.has(bytes))),
    fc.constantFrom("日本", "👩‍💻", "plain words", "\x1b[200~pasted\x1b[Atext é\x1b[201~", "\x1b[?62;22c"),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), fc.array(fc.nat({ max: 60 }), { maxLength: 12 }), (pieces, cuts) => {
      const bytes = Buffer.from(pieces.join(""));
      const whole = createKeyDecoder();
      const split = createKeyDecoder();
      const expected = chordsOf([...whole.read(bytes), ...whole.rest()]);
      const points = [...new Set(cuts.filter((cut) => cut < bytes.length)), bytes.length].toSorted((a, b) => a - b);
      const parts = points.flatMap((end, index) => [...split.read(bytes.subarray(points[index - 1] ?? 0, end))]);
      assert.deepEqual(chordsOf([...parts, ...split.rest()]), expected);
    }),
  );
});

test("no input makes the parser fail, stall or use much memory", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const decoder = createKeyDecoder();
      decoder.read(bytes);
      decoder.rest();
      assert.deepEqual(chordsOf(decoder.read(Buffer.from("\x1b\\\x1b\\~~\r"))).at(-1), "enter");
    }),
  );
  const decoder = createKeyDecoder();
  decoder.read(Buffer.from(`\x1b]${"x".repeat(10_000)}`));
  assert.deepEqual(chordsOf(decoder.read(Buffer.from("\r"))), ["enter"]);
});
