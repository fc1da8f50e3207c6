import assert from "node:assert/strict";
import { test } from "node:test";

import { err, ok } from "../../base/result.ts";
import { callResultOf, type KeptBlob, promptParts, resourceParts } from "./results.ts";

const png = Buffer.from("\x89PNG\r\n\x1a\n", "latin1").toString("base64");
const pdf = Buffer.from("%PDF-1.7\n").toString("base64");

/** Saves nothing and remembers what it was given. */
function folder() {
  const blobs: KeptBlob[] = [];
  return {
    names: () => blobs.map(({ name, extension, bytes }) => `${name}.${extension} ${bytes.length}`),
    async keep(blob: KeptBlob) {
      blobs.push(blob);
      return ok({ path: `/o/${blob.name}.${blob.extension}` });
    },
  };
}
const { keep } = folder();

test("every kind of content becomes a part for the model", async () => {
  const content = [
    { type: "text", text: "hello" },
    { type: "image", mimeType: "image/png", data: png },
    { type: "audio", mimeType: "audio/wav", data: "aGk=" },
    { type: "resource_link", uri: "file:///a", name: "a", description: "one" },
    { type: "resource", resource: { uri: "file:///b", text: "of b" } },
    { type: "resource", resource: { uri: "file:///c", mimeType: "image/png", blob: png } },
    { type: "resource", resource: { uri: "file:///d.pdf", mimeType: "application/pdf", blob: pdf } },
    { type: "resource", resource: { uri: "file:///e", blob: "aGk=" } },
    { type: "hologram" },
    null,
  ];
  assert.deepEqual(await callResultOf({ content, isError: true }, keep), {
    ok: true,
    value: {
      content: [
        { type: "text", text: "hello" },
        { type: "image", mimeType: "image/png", data: png },
        { type: "audio", mimeType: "audio/wav", data: "aGk=" },
        { type: "text", text: "[resource file:///a: a – one]" },
        { type: "text", text: "[file:///b]\nof b" },
        { type: "image", mimeType: "image/png", data: png },
        { type: "text", text: "[file:///d.pdf: application/pdf, 9 bytes, saved as /o/d.pdf]" },
        { type: "file", path: "/o/d.pdf", mimeType: "application/pdf" },
        { type: "text", text: "[file:///e]\nhi" },
        { type: "text", text: '[a part of the unknown kind "hologram"]' },
        { type: "text", text: "[a part that cannot be read]" },
      ],
      isError: true,
    },
  });
});

test("an image is passed on only if its bytes are one that models accept, with the type of its bytes", async () => {
  const content = [
    { type: "image", mimeType: "text/html", data: png },
    { type: "image", mimeType: "image/png", data: "<script>" },
    { type: "image", mimeType: "image/jpeg", data: png },
    { type: "image", mimeType: "image/tiff", data: Buffer.from("II*\0").toString("base64") },
  ];
  const result = await callResultOf({ content }, keep);
  assert.deepEqual(result.ok && result.value.content, [
    { type: "text", text: "[image that cannot be read]" },
    { type: "text", text: "[image: data that cannot be read]" },
    { type: "image", mimeType: "image/png", data: png },
    { type: "text", text: "[image: image/tiff, 4 bytes, saved as /o/image.tiff]" },
    { type: "file", path: "/o/image.tiff", mimeType: "image/tiff" },
  ]);
});

test("a file is named after its address and typed by its bytes, and a result has few of them", async () => {
  const bytes = (text: string) => Buffer.from(text, "latin1").toString("base64");
  const sheet = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
  const blobs: readonly (readonly [uri: string, mimeType: string, blob: string])[] = [
    ["https://x/a/Annual%20Report.pdf?token=1", "text/html", bytes("%PDF-1.7")],
    ["file:///../../etc/passwd\0\u202e", "application/x-sh", bytes("PK\x03\x04")],
    ["demo://sheets/../Q3.xlsx", sheet, bytes("PK\x03\x04")],
    ["..", "application/pdf", bytes("\0\x01")],
    [`x:${"long".repeat(500)}`, "", bytes("SQLite format 3\0")],
  ];
  const contents = blobs.map(([uri, mimeType, blob]) => ({ uri, mimeType, blob }));
  const saved = folder();
  assert.equal((await resourceParts({ contents }, saved.keep)).ok, true);
  assert.deepEqual(saved.names(), [
    "annual-report.pdf 8",
    "passwd.zip 4",
    "q3.xlsx 4",
    "data.bin 2",
    `${"long".repeat(15)}.db 16`,
  ]);
  const many = Array.from({ length: 60 }, () => ({ uri: "x:1", blob: pdf }));
  const all = await resourceParts({ contents: many }, saved.keep);
  assert.equal(saved.names().length, 5 + 50);
  assert.match(JSON.stringify(all.ok && all.value.at(-1)), /not saved: a result may have at most 50 files/u);
});

test("a file that cannot be saved is described", async () => {
  const read = await resourceParts({ contents: [{ uri: "x:1", blob: pdf }] }, async () => err("the disk is full"));
  const text = "[x:1: application/pdf, 9 bytes, not saved: the disk is full]";
  assert.deepEqual(read, { ok: true, value: [{ type: "text", text }] });
});

test("structured content and metadata are kept without the keys that the protocol reserves", async () => {
  const result = await callResultOf(
    {
      structuredContent: { sum: 3 },
      _meta: { progressToken: 1, "io.modelcontextprotocol/x": 1, "tools.mcp.com/y": 2, "example.com/z": 3, own: 4 },
    },
    keep,
  );
  assert.deepEqual(result.ok && result.value, {
    content: [],
    structured: { sum: 3 },
    meta: { "example.com/z": 3, own: 4 },
    isError: false,
  });
});

test("a tool result that exceeds a limit is an error", async () => {
  const big = "x".repeat(26 * 2 ** 20);
  const texts = [big, big].map((text) => ({ type: "text", text }));
  assert.deepEqual(await callResultOf({ content: texts }, keep), {
    ok: false,
    error: "the content is larger than 50 MB",
  });
  assert.deepEqual(await callResultOf({ content: "text" }, keep), { ok: false, error: "the content is not a list" });
  let deep: object = {};
  for (let level = 0; level < 200; level++) deep = { deep };
  assert.equal((await callResultOf({ structuredContent: deep as never }, keep)).ok, false);
});

test("the contents of resources and prompts become parts for the model too", async () => {
  assert.deepEqual(await resourceParts({ contents: [{ uri: "x:1", text: "one" }] }, keep), {
    ok: true,
    value: [{ type: "text", text: "[x:1]\none" }],
  });
  const messages = [
    { role: "user", content: { type: "text", text: "first" } },
    { role: "assistant", content: [{ type: "text", text: "second" }] },
  ];
  assert.deepEqual(await promptParts({ messages }, keep), {
    ok: true,
    value: [
      { type: "text", text: "first" },
      { type: "text", text: "second" },
    ],
  });
});
