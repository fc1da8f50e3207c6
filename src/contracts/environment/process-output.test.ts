import assert from "node:assert/strict";
import { test } from "node:test";

import { fakeClock } from "../../../test/support/fake-clock.ts";
import { memoryProcesses } from "../../../test/support/memory-processes.ts";
import { decodeFrom, lastOutput, lastBytes } from "./process-output.ts";

const { signal } = new AbortController();
const owner = { program: "prg", session: "ses", principal: "anna", isKept: false };

function shownText(text: string | Uint8Array, pty?: { columns: number; rows: number }) {
  const process = memoryProcesses(fakeClock()).add("x", { owner, ...(pty && { pty }) });
  process.says(text);
  return process;
}

test("the tail of the output starts at a line start if one is nearby, and never splits a character", async () => {
  assert.equal(await lastOutput(shownText("one\ntwo\n"), 100, signal), "one\ntwo");
  assert.equal(await lastOutput(shownText("first line\nsecond\nthird\n"), 14, signal), "second\nthird");
  assert.equal(await lastOutput(shownText("x".repeat(500)), 10, signal), "x".repeat(10));
  assert.equal(await lastOutput(shownText("😀".repeat(100)), 5, signal), "😀😀");
  assert.equal(await lastOutput(shownText(""), 5, signal), "");
});

test("redrawn lines appear once, both from a terminal and from a pipe", async () => {
  assert.equal(await lastOutput(shownText("1%\r2%\nok\n"), 50, signal), "2%\nok");
  assert.equal(
    await lastOutput(shownText("\x1b[?25l1%\r\x1b[K2%\r\nok\r\n", { columns: 80, rows: 24 }), 50, signal),
    "2%\nok",
  );
});

test("the last bytes of the output are correct for any start offset", async () => {
  const process = shownText("x".repeat(5_000));
  const shown = async (max: number) => {
    const { bytes, from, total } = await lastBytes(process, max, signal);
    return [bytes.length, from, total];
  };
  assert.deepEqual(await shown(10), [10, 4_990, 5_000]);
  assert.deepEqual(await shown(3_500), [3_500, 1_500, 5_000]);
  assert.deepEqual(await shown(9_999), [5_000, 0, 5_000]);
  process.drops(4_000);
  assert.deepEqual(await shown(3_500), [1_000, 4_000, 5_000]);
});

test("a chunk from the middle of the output omits partial characters at both ends", () => {
  const bytes = Buffer.from("é漢😀");
  assert.equal(decodeFrom(bytes.subarray(1), 1), "漢😀");
  assert.equal(decodeFrom(bytes.subarray(0, -1), 0), "é漢");
});
