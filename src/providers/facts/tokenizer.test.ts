import assert from "node:assert/strict";
import { test } from "node:test";

import { assertGrowsLinearly } from "../../../test/support/growth.ts";
import { createTokenizers } from "./tokenizer.ts";

const tokenizerOf = createTokenizers();

test("token counts match those of OpenAI's models", async () => {
  const count = await tokenizerOf("gpt-5.5");
  assert.ok(count);
  const rows: readonly (readonly [string, number])[] = [
    ["", 0],
    ["hello world", 2],
    ["The quick brown fox jumps over the lazy dog. ".repeat(20), 201],
    ["人工智能正在改变世界的方式。".repeat(20), 160],
    ['{"name":"a","value":1},'.repeat(40), 321],
    ["0123456789".repeat(50), 167],
  ];
  assert.deepEqual(
    rows.map(([text]) => count(text)),
    rows.map(([, tokens]) => tokens),
  );
});

test("special tokens inside a text are counted as plain text", async () => {
  const count = await tokenizerOf("openai/gpt-4o");
  assert.ok(count !== undefined && count("a <|endoftext|> b <|im_start|>") > 8);
});

test("a long sequence of one character is counted completely, in linear time", async () => {
  const count = await tokenizerOf("o3");
  assert.ok(count);
  assert.ok(count("a".repeat(100_000)) > 5_000);
  assert.ok(count(" ".repeat(100_000)) > 500);
  const mixed = `${"words and words ".repeat(1_000)}${"x".repeat(5_000)}${" more words".repeat(1_000)}`;
  assert.ok(count(mixed) > 4_900);
  await assertGrowsLinearly(100_000, (size) => count("a".repeat(size)));
});

test("models of other vendors have no tokenizer here", async () => {
  for (const name of ["claude-opus-5", "gemini-3.1-pro", "gpt-4", "gpt-3.5-turbo", "llama-4", "mistral-large"])
    assert.equal(await tokenizerOf(name), undefined);
});
