import assert from "node:assert/strict";
import { test } from "node:test";

import { createExitMark } from "./exit-mark.ts";

test("script output is passed on immediately and the exit code is separated, however the bytes are split", () => {
  const output = Buffer.from("one\ntwo\0three\n\0abcf 9\n\0abcd 42\n");
  for (let size = 1; size <= output.length; size++) {
    const control: Buffer[] = [];
    const mark = createExitMark("abcd", (chunk) => void control.push(Buffer.from(chunk)));
    for (let index = 0; index < output.length; index += size) {
      assert.equal(mark.exitCode(), undefined);
      mark.add(output.subarray(index, index + size));
    }
    assert.equal(mark.exitCode(), 42);
    assert.equal(Buffer.concat(control).toString(), "one\ntwo\0three\n\0abcf 9\n");
  }
});

test("text without a NUL is never held back", () => {
  const control: string[] = [];
  const mark = createExitMark("abcd", (chunk) => void control.push(Buffer.from(chunk).toString()));
  mark.add(Buffer.from("begun"));
  assert.deepEqual(control, ["begun"]);
});
