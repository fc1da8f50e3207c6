import assert from "node:assert/strict";
import { test } from "node:test";

import { afterMark, untilMark } from "./marked-output.ts";

/** Every way to cut the text in two gives the same. */
function inPieces(text: string, play: (pieces: readonly Buffer[]) => string): Set<string> {
  const all = Buffer.from(text);
  return new Set(
    all
      .map((_, index) => index)
      .values()
      .map((index) => play([all.subarray(0, index), all.subarray(index)])),
  );
}

test("what comes before the mark is dropped, wherever the stream is cut", () => {
  const seen = inPieces("noise\nMARMARK\nbody MARK\nend", (pieces) => {
    let out = "";
    const marked = afterMark("MARK", (chunk) => (out += Buffer.from(chunk).toString()) !== "");
    for (const piece of pieces) marked.add(piece);
    return out;
  });
  assert.deepEqual([...seen], ["body MARK\nend"]);
});

test("what comes before the last mark is handed on at once, what comes after is not", () => {
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

test("without a mark nothing is held back for ever", () => {
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
