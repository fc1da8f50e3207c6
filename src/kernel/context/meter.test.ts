import assert from "node:assert/strict";
import { test } from "node:test";

import { assertCheaper } from "../../../test/support/growth.ts";
import { user } from "../../../test/support/turn-rig.ts";
import { noUsage } from "../../contracts/model/model.ts";
import { createContextMeter } from "./meter.ts";
import { messageSize, textTokens } from "./tokens.ts";

const system = [{ text: "You are Hermes." }];
const tools = [{ name: "terminal", description: "Runs.", inputSchema: { type: "object" } }];
const usage = (input: number) => ({ ...noUsage, input });

test("token estimates are close to real tokenizers for each script, and rather too high than too low", () => {
  const rows: readonly (readonly [string, number])[] = [
    // Sample texts with their token counts by o200k_base, as `providers/facts/tokenizer.ts` counts them.
    ["The quick brown fox jumps over the lazy dog. ".repeat(20), 201],
    ["人工智能正在改变世界的方式。".repeat(20), 160],
    ['{"name":"a","value":1},'.repeat(40), 321],
    ["0123456789".repeat(50), 167],
  ];
  for (const [text, real] of rows) {
    const estimate = textTokens(text);
    assert.ok(estimate >= real * 0.8 && estimate <= real * 2.2, `${estimate} for ${real}: ${text.slice(0, 20)}`);
  }
  assert.ok(textTokens("QUJDREVGR0hJSktMTU5P".repeat(100)) > 1_000);
});

test("the meter uses the provider's count, and estimates only later messages", () => {
  const meter = createContextMeter();
  const first = [user("hello")];
  const request = { system, tools, messages: first };
  assert.ok(meter.size(request).estimated);
  meter.counted(request, usage(500));
  assert.deepEqual(meter.size(request), { tokens: 500, estimated: false });
  const more = meter.size({ ...request, messages: [...first, user("and more")] });
  assert.ok(more.estimated && more.tokens > 500);
});

test("a compacted history is estimated again, corrected by the error of earlier estimates", () => {
  const meter = createContextMeter();
  const request = { system, tools, messages: [user("word ".repeat(1_000))] };
  const guessed = meter.size(request).tokens;
  meter.counted(request, usage(guessed * 2));
  const other = { ...request, messages: [user("other ".repeat(1_000))] };
  assert.ok(meter.size(other).tokens > guessed * 1.5);
});

test("an implausible count of a provider does not distort the estimate", () => {
  const meter = createContextMeter();
  const request = { system, tools, messages: [user("word ".repeat(1_000))] };
  const guessed = meter.size(request).tokens;
  meter.counted(request, usage(0));
  assert.equal(meter.size(request).tokens, guessed);
  meter.counted(request, usage(10_000_000));
  assert.ok(meter.size({ ...request, messages: [user("x")] }).tokens < 1_000);
});

test("each message is counted once, not again for every request", async () => {
  const meter = createContextMeter();
  const messages = Array.from({ length: 2_000 }, (_, index) => user(`${index} ${"word ".repeat(200)}`));
  const request = { system, tools, messages };
  meter.size(request);
  await assertCheaper(
    () => meter.size({ ...request, messages: [...messages] }),
    () => createContextMeter().size({ ...request, messages: structuredClone(messages) }),
  );
});

test("the size of a message includes pictures, calls and reasoning", () => {
  const picture = { type: "image", mimeType: "image/png", data: "A".repeat(1_000_000) } as const;
  assert.ok(messageSize({ role: "user", content: [picture] }) < 2_000);
  const plain = { role: "assistant", content: [], calls: [], stop: "end" } as const;
  assert.ok(messageSize({ ...plain, reasoning: "because ".repeat(100) }) > messageSize(plain) + 100);
});

test("a tokenizer counts messages that the provider has not counted, and the meter estimates the rest", async () => {
  const meter = createContextMeter({ tokenizerOf: async (name) => (name === "known" ? () => 100 : undefined) });
  const first = [user("hello")];
  const request = { system, tools, messages: first };
  meter.counted(request, usage(500));
  const more = { ...request, messages: [...first, user("and more")] };
  await meter.sharpen?.(more, "known");
  assert.deepEqual(meter.size(more), { tokens: 604, estimated: false });
  const picture = { type: "image", mimeType: "image/png", data: "AAAA" } as const;
  const seen = { ...request, messages: [...more.messages, { role: "user", content: [picture] } as const] };
  assert.ok(meter.size(seen).estimated);
  await meter.sharpen?.(more, "unknown");
  assert.ok(meter.size(more).estimated);
});
