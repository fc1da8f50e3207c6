import assert from "node:assert/strict";
import { test } from "node:test";

import type { JsonObject } from "../../../base/json.ts";
import { loadSpeaker } from "../speaker.ts";
import { createToolWriter } from "../wire-tools.ts";

async function decoded(...events: readonly JsonObject[]) {
  const { decoder } = await loadSpeaker("openai-responses");
  const endpoint = { providerId: "p", protocol: "openai-responses", baseUrl: "http://x" } as const;
  const made = decoder({ endpoint, tools: await createToolWriter("openai")([]), emit: () => {} });
  for (const event of events) made.json(event, undefined);
  return { state: made.state(), stop: made.answer().message.stop };
}

const said = { type: "response.output_text.delta", output_index: 0, delta: "so far" };

test("a response that failed has failed, by its status, its error or the name of the event", async () => {
  const error = { code: "server_error", message: "boom" };
  for (const event of [
    { type: "response.failed", response: { status: "failed", error } },
    { type: "response.failed", response: { error } },
    { type: "response.failed", response: {} },
    { type: "response.completed", response: { status: "failed" } },
    { type: "response.done", response: { error } },
  ])
    assert.equal((await decoded(said, event)).state.is, "failed");
});

test("one that is not complete was too long, unless it was filtered", async () => {
  assert.equal((await decoded(said, { type: "response.incomplete", response: {} })).stop, "length");
  assert.equal(
    (await decoded(said, { type: "response.completed", response: { status: "incomplete" } })).stop,
    "length",
  );
  const filtered = { status: "incomplete", incomplete_details: { reason: "content_filter" } };
  assert.equal((await decoded(said, { type: "response.incomplete", response: filtered })).stop, "refused");
  assert.equal((await decoded(said, { type: "response.completed", response: { error: null } })).stop, "end");
});
