import assert from "node:assert/strict";
import { test } from "node:test";

import { createToolWriter } from "../wire-tools.ts";
import { createAnthropicDecoder } from "./decoder.ts";

test("an answer that pauses is one to go on with", async () => {
  const tools = await createToolWriter("anthropic")([]);
  const endpoint = { providerId: "p", protocol: "anthropic-messages", baseUrl: "http://x" } as const;
  const decoder = createAnthropicDecoder({ endpoint, tools, emit() {} });
  const content = [{ type: "text", text: "so far" }];
  decoder.json({ type: "message", content, stop_reason: "pause_turn" }, undefined);
  assert.equal(decoder.answer().message.stop, "length");
});
