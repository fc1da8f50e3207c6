import assert from "node:assert/strict";
import { test } from "node:test";

import { afterMark, untilMark } from "./marked-output.ts";

/** Checks that every way to split the text gives the same result. */
function inPieces(text: string, play: (pieces: readonly Buffer[]) => string): Set<string> {
  const all = Buffer.from(text);
  return new Set(
    all
      .map((_, index) => index)
      .values()
      .map((index) => play([all.subarray(0, index), all.subarray(index)])),
  );
}

test("output before the mark is dropped, wherever the stream is split", () => {
  const seen = inPieces("noise\nMARMARK\nbody MARK\nend", (pieces) => {
    let out = "";
    const marked = afterMark("MARK", (chunk) => (out += Buffer.from(chunk).toString()) !== "");
    for (const piece of pieces) marked.add(piece);
    return out;
  });
  assert.deepEqual([...seen], ["body MARK\nend"]);
});

test("output before the last mark is passed on immediately, output after it is not", () => {
  const seen = inPieces("body MAR MARK. rest", (pieces) => {
    let out = "";
    const marked = untilMark(
      "MARK.",
      (chunk) => (out += Buffer.from(chunk).toString()) !== "",
      () => (out += "|"),
    );
    for (const piece of pieces) marked.add(piece);
    return out;
  });
  assert.deepEqual([...seen], ["body MAR |"]);
});

test("without a mark, all output is passed on at the end", () => {
  let out = "";
  const marked = untilMark(
    "MARK.",
    (chunk) => (out += Buffer.from(chunk).toString()) !== "",
    () => {},
  );
  marked.add(Buffer.from("body MA"));
  assert.equal(out, "body ");
  marked.end();
  assert.equal(out, "body MA");
});
