// covers: src/providers
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import { systemClock } from "../../src/base/clock.ts";
import { ask, modelsRig } from "../support/models-rig.ts";
import { startModelServer } from "../support/wire-servers/model-server.ts";

const never = new AbortController().signal;
const settings = (url: string, more = "") =>
  `model: {provider: custom, default: m1, base_url: "${url}"}\nauxiliary: {title_generation: {enabled: false}}\n${more}`;

test("an old list is fetched again, a fresh one is not, and windows come from it", async () => {
  const listed = { id: "m1", context_length: 50_000 };
  await using server = await startModelServer({
    protocol: "openai-chat",
    turns: () => ({ text: "hi" }),
    models: { data: [listed] },
  });
  await using rig = await modelsRig(settings(server.url), {}, systemClock);
  await ask(rig.models);
  assert.equal(server.otherRequests.length, 0, "nobody asks before it is wanted");
  await rig.models.refreshStale(never);
  await rig.models.refreshStale(never);
  assert.equal(server.otherRequests.length, 1);
  const opened = await rig.models.open();
  assert.equal(opened.ok && opened.value.facts().contextTokens, 50_000);
});

test("an endpoint without a list, an unreachable one and the disabled setting cause no error", async () => {
  await using server = await startModelServer({ protocol: "openai-chat", turns: [] });
  await using away = await modelsRig(settings("http://127.0.0.1:9/v1"), {}, systemClock);
  await away.models.refreshStale(never);
  await using none = await modelsRig(settings(server.url), {}, systemClock);
  await none.models.refreshStale(never);
  await using off = await modelsRig(settings(server.url, "model_catalog: {enabled: false}\n"), {}, systemClock);
  await off.models.refreshStale(never);
  await pause(20);
  assert.equal(server.otherRequests.length, 1);
});
