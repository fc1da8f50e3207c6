import assert from "node:assert/strict";
import { test } from "node:test";

import { callResultOf, promptParts, resourceParts } from "./results.ts";

test("every kind of content becomes a part for the model", () => {
  const content = [
    { type: "text", text: "hello" },
    { type: "image", mimeType: "image/png", data: "aGk=" },
    { type: "audio", mimeType: "audio/wav", data: "aGk=" },
    { type: "resource_link", uri: "file:///a", name: "a", description: "one" },
    { type: "resource", resource: { uri: "file:///b", text: "of b" } },
    { type: "resource", resource: { uri: "file:///c", mimeType: "image/png", blob: "aGk=" } },
    { type: "resource", resource: { uri: "file:///d", mimeType: "application/pdf", blob: "aGk=" } },
    { type: "hologram" },
    null,
  ];
  assert.deepEqual(callResultOf({ content, isError: true }), {
    ok: true,
    value: {
      content: [
        { type: "text", text: "hello" },
        { type: "image", mimeType: "image/png", data: "aGk=" },
        { type: "audio", mimeType: "audio/wav", data: "aGk=" },
        { type: "text", text: "[resource file:///a: a – one]" },
        { type: "text", text: "[file:///b]\nof b" },
        { type: "image", mimeType: "image/png", data: "aGk=" },
        { type: "text", text: "[file:///d: application/pdf data, 3 bytes, not shown]" },
        { type: "text", text: '[a part of the unknown kind "hologram"]' },
        { type: "text", text: "[a part that cannot be read]" },
      ],
      isError: true,
    },
  });
});

test("image content is passed on only if its bytes are an image", () => {
  const content = [
    { type: "image", mimeType: "text/html", data: "aGk=" },
    { type: "image", mimeType: "image/png", data: "<script>" },
  ];
  const result = callResultOf({ content });
  assert.deepEqual(result.ok && result.value.content, [
    { type: "text", text: "[image that cannot be read]" },
    { type: "text", text: "[image that cannot be read]" },
  ]);
});

test("structured content and metadata are kept without the keys that the protocol reserves", () => {
  const result = callResultOf({
    structuredContent: { sum: 3 },
    _meta: { progressToken: 1, "io.modelcontextprotocol/x": 1, "tools.mcp.com/y": 2, "example.com/z": 3, own: 4 },
  });
  assert.deepEqual(result.ok && result.value, {
    content: [],
    structured: { sum: 3 },
    meta: { "example.com/z": 3, own: 4 },
    isError: false,
  });
});

test("a tool result that exceeds a limit is an error", () => {
  const big = "x".repeat(26 * 2 ** 20);
  const texts = [big, big].map((text) => ({ type: "text", text }));
  assert.deepEqual(callResultOf({ content: texts }), { ok: false, error: "the content is larger than 50 MB" });
  assert.deepEqual(callResultOf({ content: "text" }), { ok: false, error: "the content is not a list" });
  let deep: object = {};
  for (let level = 0; level < 200; level++) deep = { deep };
  assert.equal(callResultOf({ structuredContent: deep as never }).ok, false);
});

test("the contents of resources and prompts become parts for the model too", () => {
  assert.deepEqual(resourceParts({ contents: [{ uri: "x:1", text: "one" }] }), {
    ok: true,
    value: [{ type: "text", text: "[x:1]\none" }],
  });
  const messages = [
    { role: "user", content: { type: "text", text: "first" } },
    { role: "assistant", content: [{ type: "text", text: "second" }] },
  ];
  assert.deepEqual(promptParts({ messages }), {
    ok: true,
    value: [
      { type: "text", text: "first" },
      { type: "text", text: "second" },
    ],
  });
});
