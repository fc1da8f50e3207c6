import assert from "node:assert/strict";
import { test } from "node:test";

import { splitTailOutput } from "./file-reader.ts";

test("a file is read correctly however its bytes are split into chunks, even in UTF-16", () => {
  const wide = Buffer.concat([Buffer.of(0xff, 0xfe), Buffer.from("foo\n", "utf16le")]);
  const files: Readonly<Record<string, Buffer>> = {
    "/a.txt": Buffer.from("one\n"),
    "/wide.txt": wide,
    "/binary": Buffer.from("x\0y"),
    "/b.txt": Buffer.from("two"),
  };
  const mark = "==> /./.";
  const output = Buffer.concat(
    Object.entries(files).flatMap(([path, bytes], index) => [
      Buffer.from(`${index === 0 ? "" : "\n"}${mark}${path} <==\n`),
      bytes,
    ]),
  );
  for (let size = 1; size <= output.length; size++) {
    const received: (readonly [string, string])[] = [];
    const splitter = splitTailOutput(Buffer.from(mark), (path, bytes) => {
      received.push([path, Buffer.from(bytes ?? []).toString("hex")]);
      return true;
    });
    for (let offset = 0; offset < output.length; offset += size) splitter.add(output.subarray(offset, offset + size));
    splitter.end();
    const expected = Object.entries(files).map(([path, bytes]) => [
      path,
      path === "/binary" ? "" : bytes.toString("hex"),
    ]);
    assert.deepEqual(received, expected, `in pieces of ${size} bytes`);
  }
});
