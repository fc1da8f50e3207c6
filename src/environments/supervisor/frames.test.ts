import assert from "node:assert/strict";
import { test } from "node:test";

import { createFrameReader, encodeFrame } from "./frames.ts";

test("frames arrive complete and in order, however the stream is split", () => {
  const sent = [
    { value: { ask: 1 }, bytes: "" },
    { value: { text: "é" }, bytes: "abc" },
    { value: [], bytes: "\0\0" },
  ];
  const stream = Buffer.concat(sent.map(({ value, bytes }) => encodeFrame(value, Buffer.from(bytes))));
  for (const size of [1, 2, 3, 7, 1_000]) {
    const got: unknown[] = [];
    const read = createFrameReader(({ value, bytes }) => got.push({ value, bytes: Buffer.from(bytes).toString() }));
    for (let index = 0; index < stream.length; index += size) read(stream.subarray(index, index + size));
    assert.deepEqual(got, sent);
  }
});

test("an invalid frame is rejected immediately", () => {
  const read = () => createFrameReader(() => assert.fail("a frame"));
  assert.throws(() => read()(Buffer.alloc(8, 255)));
  assert.throws(() => read()(Buffer.from([0, 0, 0, 0])));
  assert.throws(() => read()(Buffer.from([6, 0, 0, 0, 9, 0, 0, 0, 1, 2])));
  assert.throws(() => read()(Buffer.from([6, 0, 0, 0, 2, 0, 0, 0, 1, 2])));
});
