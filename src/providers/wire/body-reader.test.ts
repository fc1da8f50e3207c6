import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { assertGrowsLinearly } from "../../../test/support/growth.ts";
import { createBodyReader } from "./body-reader.ts";

function read(chunks: readonly (string | Buffer)[], maxLineChars?: number): readonly unknown[] {
  const matches: unknown[] = [];
  const reader = createBodyReader(
    {
      json: (value, event) => matches.push(event === undefined ? value : [event, value]),
      done: () => matches.push("done"),
      broken: (why) => matches.push(`broken: ${why}`),
    },
    maxLineChars,
  );
  for (const chunk of chunks) reader.push(Buffer.from(chunk));
  reader.end();
  return matches;
}

const stream = [
  "\u{feff}: a comment",
  "",
  'data: {"a":"ä🌍"}',
  "",
  "event: named",
  "id: 7",
  "retry: 100",
  'data:{"b":1}',
  "",
  'data: {"two":',
  "data: 2}",
  "",
  "",
  ":",
  "event: lonely",
  "",
  "data",
  "",
  "data: [DONE]",
  "",
  "",
].join("\n");
const expected = [{ a: "ä🌍" }, ["named", { b: 1 }], { two: 2 }, "done"];

test("events are parsed with every kind of line end", () => {
  for (const end of ["\n", "\r\n", "\r"]) assert.deepEqual(read([stream.replaceAll("\n", end)]), expected);
});

test("events are parsed even if the bytes are split at any position", () => {
  fc.assert(
    fc.property(fc.constantFrom("\n", "\r\n", "\r"), fc.array(fc.nat(300), { maxLength: 40 }), (end, cuts) => {
      const bytes = Buffer.from(stream.replaceAll("\n", end));
      const offsets = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
      const chunks = offsets.slice(1).map((to, index) => bytes.subarray(offsets[index], to));
      assert.deepEqual(read(chunks), expected);
    }),
  );
  const bytes = Buffer.from(stream);
  assert.deepEqual(read(Array.from(bytes, (byte) => Buffer.from([byte]))), expected);
});

test("a complete last event without a blank line is used, and a truncated one is not", () => {
  assert.deepEqual(read(['data: {"a":1}\n\ndata: {"b":2}']), [{ a: 1 }, { b: 2 }]);
  assert.deepEqual(read(['data: {"a":1}\n\ndata: {"b":']), [{ a: 1 }]);
  assert.deepEqual(read(['data: {"a":1}\n\ndata: [DONE]']), [{ a: 1 }, "done"]);
});

test("events without a blank line between them are separated and emitted as they arrive", () => {
  const joined = 'data: {"a":1}\nevent: x\ndata: {"b":[2]}\ndata: {"c":\ndata: 3}\ndata: {"d":4}\ndata: [DONE]\n';
  assert.deepEqual(read([joined]), [{ a: 1 }, ["x", { b: [2] }], { c: 3 }, { d: 4 }, "done"]);
});

test("JSON is parsed as one document, as lines, over many lines and as a list", () => {
  assert.deepEqual(read(['{"a":1}']), [{ a: 1 }]);
  assert.deepEqual(read(['\n{"a":1}\n{"b":2}\r\n']), [{ a: 1 }, { b: 2 }]);
  assert.deepEqual(read([JSON.stringify({ a: { b: [1] } }, null, 2)]), [{ a: { b: [1] } }]);
  assert.deepEqual(read(['[{"a":1}\n,\n{"b":2}\n]']), [{ a: 1 }, { b: 2 }]);
  assert.deepEqual(read(['[{"a":1},{"b":2}]']), [{ a: 1 }, { b: 2 }]);
  assert.deepEqual(read(['{"a":1']), ["broken: JSON that ends early or is damaged"]);
});

test("an HTML page is reported by its title, other text by its first words", () => {
  const advice = "; is the base URL right? It usually ends in /v1";
  assert.deepEqual(read(["<!doctype html>\n<html><title>Log\n in</title>"]), [`broken: a web page: Log in${advice}`]);
  assert.deepEqual(read(["<html>"]), [`broken: a web page${advice}`]);
  assert.deepEqual(read([Buffer.from([0x1f, 0x8b, 8, 0, 255, 254])]), [`broken: bytes that are not text${advice}`]);
  assert.deepEqual(read(["upstream connect error"]), ["broken: upstream connect error"]);
  assert.deepEqual(read([""]), []);
});

test("the time to parse a hostile page grows linearly with its length", async () => {
  await assertGrowsLinearly(500_000, (size) =>
    read([`<html>${"<title ".repeat(size)}`, ...Array.from({ length: size / 500 }, () => `\n${"<h1 ".repeat(5000)}`)]),
  );
});

test("a damaged event is reported, and text that is not JSON is skipped", () => {
  assert.deepEqual(read(['data: {"a":\n\n']), ["broken: a piece of the stream that is not JSON"]);
  assert.deepEqual(read(['data: ping\n\ndata: {"a":1}\n\n']), [{ a: 1 }]);
  assert.deepEqual(read(['data: {"a":1}\n\ndata: bad gateway\n\n']), [{ a: 1 }, "broken: bad gateway"]);
  assert.deepEqual(read(['data: null\n\ndata: {"a":1}\n\n']), [{ a: 1 }]);
  assert.deepEqual(read(["event: error\ndata: it broke\n\n"]), [["error", { error: { message: "it broke" } }]]);
  assert.deepEqual(read([': hi\n\n{"error":{"message":"x"}}\n']), [["error", { error: { message: "x" } }]]);
});

test("a line that exceeds the limit ends the stream with one error", () => {
  const result = read([`data: ${"x".repeat(50)}`, "x".repeat(100), "\n\n", 'data: {"a":1}\n\n'], 100);
  assert.deepEqual(result, ["broken: a line of more than 0 MB"]);
});

test("the time to parse a long line in small chunks grows linearly with their number", async () => {
  const piece = Buffer.from("x".repeat(256));
  await assertGrowsLinearly(32_000, (size) =>
    read(['data: {"a":"', ...Array.from({ length: size }, () => piece), '"}\n\n']),
  );
});
