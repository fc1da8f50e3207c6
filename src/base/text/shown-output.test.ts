import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { showOutput } from "./shown-output.ts";

const nothing = new Uint8Array();

function whole(bytes: Uint8Array | string): string {
  const head = Buffer.from(bytes);
  return showOutput({ head, tail: nothing, totalBytes: head.length }).text;
}

test("text is shown without terminal control sequences", () => {
  assert.equal(whole("\x1b[31mred\x1b[0m é 漢 🎉\r\n"), "red é 漢 🎉\r\n");
  assert.equal(whole(""), "");
});

test("a progress bar in piped output is shown once and does not shorten other lines", () => {
  const long = "x".repeat(5_000);
  assert.equal(whole(`begun\n\r 1%\r 50%\r100%\n${long}\nend\n`), `begun\n100%\n${long}\nend\n`);
});

test("bytes that are not UTF-8 become replacement characters", () => {
  assert.equal(whole(Buffer.from([0x61, 0xff, 0x62])), "a\ufffdb");
  assert.equal(
    whole(Buffer.from("caf\xe9 au lait, s'il vous pla\xeet, et un th\xe9", "latin1")).split("\ufffd").length,
    4,
  );
});

test("text with a few NUL characters is still text", () => {
  assert.equal(whole("./src/base/a.ts\0./src/base/b.ts\0"), "./src/base/a.ts␀./src/base/b.ts␀");
});

test("binary data is described", () => {
  const png = Buffer.from("89504e470d0a1a0a0000000d49484452000002000000020008060000", "hex");
  assert.match(whole(png), /^\[Binary output, a PNG picture: 28 bytes, beginning with 89 50 4e 47 .* …\. /);
  assert.match(whole(Buffer.from([0, 1, 2])), /of an unknown kind: 3 bytes, beginning with 00 01 02\. /);
  assert.match(whole(Buffer.from(Array.from({ length: 256 }, (_, index) => (index * 97) % 256))), /^\[Binary output/);
  assert.match(whole(Buffer.from("a text in two bytes each", "utf16le")), /^\[Binary output/);
});

test("long output is shown as its start and end in whole lines, with the path of the rest", () => {
  const shown = showOutput({
    head: Buffer.from("one\ntwo\nthr"),
    tail: Buffer.from("enty\nlast\n"),
    totalBytes: 1_000,
    spillPath: "/spill/out",
  });
  assert.equal(shown.text, "one\ntwo\n\n[… 987 bytes left out …]\nlast\n");
  assert.equal(shown.cut?.path, "/spill/out");
  assert.match(
    shown.cut?.note ?? "",
    /^The first 8 and the last 5 of 1000 bytes are here. All of it is in \/spill\/out/,
  );
});

test("a saved file that may lack the middle of the output is not called complete", () => {
  const shown = showOutput({ head: Buffer.from("a\n"), tail: nothing, totalBytes: 1e9, spillPath: "/spill/out" });
  assert.match(shown.cut?.note ?? "", /A long beginning and end of it are in \/spill\/out/);
});

test("a failure to save the output is reported", () => {
  const shown = showOutput({ head: Buffer.from("a\n"), tail: nothing, totalBytes: 9, spillFault: "the disk is full" });
  assert.match(shown.cut?.note ?? "", /could not be saved: the disk is full/);
  assert.equal(shown.cut?.path, undefined);
});

test("shortening output never splits a character", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 20 }), fc.nat(12), fc.nat(12), (text, first, last) => {
      const bytes = Buffer.from(text.replaceAll("\ufffd", "x"));
      const head = bytes.subarray(0, first);
      const tail = bytes.subarray(bytes.length - last);
      assert.ok(!showOutput({ head, tail, totalBytes: bytes.length }).text.includes("\ufffd"));
    }),
  );
});
