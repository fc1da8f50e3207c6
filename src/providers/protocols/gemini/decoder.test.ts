import assert from "node:assert/strict";
import { test } from "node:test";

import type { JsonObject } from "../../../base/json.ts";
import { createToolWriter } from "../wire-tools.ts";
import { createGeminiDecoder } from "./decoder.ts";

const tools = await createToolWriter("gemini")([]);

function decoder(...parts: readonly JsonObject[]) {
  const endpoint = { providerId: "p", protocol: "gemini", baseUrl: "http://x" } as const;
  const made = createGeminiDecoder({ endpoint, tools, emit() {} });
  for (const part of parts) made.json({ candidates: [{ content: { role: "model", parts: [part] } }] }, "message");
  return made;
}

test("the mark of the end counts where a proxy forgets the reason, but not for nothing", () => {
  const said = decoder({ text: "Hello" }, { text: " world" });
  assert.equal(said.state().is, "open");
  said.done();
  assert.equal(said.state().is, "ended");
  assert.deepEqual(said.answer().message.content, [{ type: "text", text: "Hello world" }]);
  const silent = decoder();
  silent.done();
  assert.equal(silent.state().is, "open");
});
