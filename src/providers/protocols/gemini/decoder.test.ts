import assert from "node:assert/strict";
import { test } from "node:test";

import type { JsonObject } from "../../../base/json.ts";
import { createToolWriter } from "../wire-tools.ts";
import { createGeminiDecoder } from "./decoder.ts";

const tools = await createToolWriter("gemini")([]);

function decoder(...parts: readonly JsonObject[]) {
  const endpoint = { providerId: "p", protocol: "gemini", baseUrl: "http://x" } as const;
  const result = createGeminiDecoder({ endpoint, tools, emit() {} });
  for (const part of parts) result.json({ candidates: [{ content: { role: "model", parts: [part] } }] }, "message");
  return result;
}

test("the end mark completes an answer if a proxy omits the finish reason, but not an empty answer", () => {
  const result = decoder({ text: "Hello" }, { text: " world" });
  assert.equal(result.state().is, "open");
  result.done();
  assert.equal(result.state().is, "ended");
  assert.deepEqual(result.answer().message.content, [{ type: "text", text: "Hello world" }]);
  const silent = decoder();
  silent.done();
  assert.equal(silent.state().is, "open");
});
