// covers: src/providers
import assert from "node:assert/strict";
import { test } from "node:test";

import { wireRuntime } from "../support/wire-runtime.ts";
import type { RecordedRequest, ScriptedTurn } from "../support/wire-servers/turn.ts";

/** Estimated at many times its real token count. */
const ruled = `${"=".repeat(400)}\n`.repeat(60);

async function talk(model: string) {
  const script = ({ json }: RecordedRequest): ScriptedTurn =>
    "tools" in json ? { text: "ok", usage: "none" } : { text: "a summary", usage: "none" };
  await using at = await wireRuntime(script, { compression: { threshold_tokens: 12_000, protect_last_n: 2 } });
  await using session = await at.runtime.openSession({ source: "test", model });
  for (let turn = 0; turn < 4; turn++) await session.prompt([{ type: "text", text: `${turn} ${ruled}` }]).done;
  const entries = await at.runtime.sessions.path(session.id);
  return { isShortened: entries.some(({ type }) => type === "compacted"), use: session.context() };
}

test("near the threshold the model's tokenizer decides, if it has one", async () => {
  const names = await talk("gpt-5.5");
  assert.equal(names.isShortened, false);
  assert.equal(names.use.estimated, false);
  assert.ok(names.use.tokens < 12_000);
  const unknown = await talk("some-llama");
  assert.equal(unknown.isShortened, true);
  assert.equal(unknown.use.estimated, true);
});
