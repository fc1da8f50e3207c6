// covers: src/providers
import assert from "node:assert/strict";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import { systemClock } from "../../src/base/clock.ts";
import { hermes } from "../support/fake-terminal.ts";
import { ask, modelsRig } from "../support/models-rig.ts";
import { tempHome } from "../support/temp-home.ts";
import { startModelServer } from "../support/wire-servers/model-server.ts";

const never = new AbortController().signal;
const settings = (url: string, more = "") =>
  `model: {provider: custom, default: m1, base_url: "${url}"}\nauxiliary: {title_generation: {enabled: false}}\n${more}`;

test("an old model list is fetched again, a fresh one is not, and context windows come from it", async () => {
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

test("an endpoint without a model list, an unreachable endpoint and the disabled setting cause no error", async () => {
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

/** The format of models.dev. */
const published = {
  openai: {
    id: "openai",
    name: "OpenAI",
    env: ["OPENAI_API_KEY"],
    models: {
      "gpt-9": {
        id: "gpt-9",
        name: "GPT-9",
        attachment: true,
        modalities: { input: ["text", "image"], output: ["text"] },
        cost: { input: 7, output: 21, cache_read: 0.7, context_over_200k: { input: 14, output: 42 } },
        limit: { context: 3_000_000, output: 99_000 },
      },
    },
  },
  lab: {
    id: "lab",
    models: { m1: { name: "M1", limit: { context: 77_000, output: 8_000 }, cost: { input: 1, output: 2 } } },
  },
  elsewhere: { id: "elsewhere", api: "https://elsewhere.example/v1/", models: { m1: { limit: { context: 5_000 } } } },
};

const lab = (source: string) =>
  `custom_providers: [{name: lab, base_url: "https://lab.example/v1"}, {name: elsewhere, base_url: "https://other.example/v1"}]\nmodel_catalog: {source: ${JSON.stringify(source)}}\n`;

test("windows, prices and vision come from a list in the format of models.dev, after the settings and the endpoint", async () => {
  await using rig = await modelsRig(`${lab("lists/models.json")}model_overrides: {lab-only: {context_length: 9000}}\n`);
  const factsOf = (models: typeof rig.models, name: string) => {
    const route = models.resolve({ model: name });
    assert.ok(route.ok, name);
    return { ...models.facts(route.value), doubt: models.doubtAbout(route.value) };
  };
  const before = factsOf(rig.models, "openai/gpt-9");
  assert.equal(before.price, undefined);
  assert.match(before.doubt?.sentence ?? "", /not a model that Hermes knows/u);

  const user = join(rig.home, "..");
  await mkdir(join(user, "lists"));
  await writeFile(join(user, "lists", "models.json"), JSON.stringify(published));
  const models = await rig.again();
  const { contextTokens, contextSource, maxOutputTokens, vision, price, doubt } = factsOf(models, "openai/gpt-9");
  assert.deepEqual(
    [contextTokens, contextSource, maxOutputTokens, vision, doubt],
    [3_000_000, "list", 99_000, true, undefined],
  );
  assert.deepEqual(price, {
    input: 7,
    output: 21,
    cacheRead: 0.7,
    long: { above: 200_000, input: 14, output: 42, cacheRead: 14 },
  });
  const own = factsOf(models, "custom:lab:m1");
  assert.deepEqual([own.contextTokens, own.vision, own.price], [77_000, false, { input: 1, output: 2 }]);
  assert.equal(factsOf(models, "custom:elsewhere:m1").contextSource, "assumed", "a server of that name elsewhere");
});

test("a public list is fetched when it is due or requested, and a broken answer does not replace it", async () => {
  let body = JSON.stringify({ providers: published });
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    response.writeHead(200, { "content-type": "application/json" }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api.json`;
  const sentences: string[] = [];
  await using rig = await modelsRig(lab(url), {}, systemClock, (sentence) => sentences.push(sentence));
  const windowOf = (models: typeof rig.models) => {
    const route = models.resolve({ model: "custom:lab:m1" });
    return route.ok ? models.facts(route.value).contextTokens : 0;
  };
  assert.equal(windowOf(rig.models), 128_000);
  assert.equal(requests, 0, "nothing is fetched before it is wanted");
  await rig.models.refreshStale(never);
  await rig.models.refreshStale(never);
  assert.deepEqual([requests, windowOf(rig.models)], [1, 77_000]);
  body = "<html>";
  const again = await rig.models.refreshPublicList(never);
  assert.match(
    again.ok ? "" : again.error.message,
    /model_catalog\.source: .*not a model list in the format of models\.dev/u,
  );
  assert.equal(windowOf(await rig.again()), 77_000);
  assert.deepEqual(sentences, []);
  assert.equal((await readdir(join(rig.home, "model-lists"))).length, 1);
  await new Promise((resolve) => server.close(resolve));
});

test("model list and model use accept models of a public list, and an invalid file is reported", async () => {
  await using home = await tempHome();
  await writeFile(join(home.path, "models.json"), JSON.stringify(published));
  await writeFile(join(home.path, "config.yaml"), lab(join(home.path, "models.json")));
  const run = (...words: string[]) => hermes(words, { home: home.path, env: { OPENAI_API_KEY: "sk-test" } });
  const { out } = await run("model", "list", "gpt-9");
  assert.match(out, /openai-api\/gpt-9 +3M, vision, \$7\/\$21 per M/u);
  const used = await run("model", "use", "openai/gpt-9");
  assert.doesNotMatch(`${used.out}${used.err}`, /is not/u);
  assert.match(used.out, /gpt-9/u);
  await writeFile(join(home.path, "models.json"), "[]");
  const { err } = await run("model", "list", "gpt-9");
  assert.match(err, /model_catalog\.source: .*models\.json: this is not a model list in the format of models\.dev/u);
});

test("an endpoint may answer with a list in the format of models.dev", async () => {
  await using server = await startModelServer({
    protocol: "openai-chat",
    turns: [],
    models: { models: published.lab.models },
  });
  await using rig = await modelsRig(settings(server.url), {}, systemClock);
  await rig.models.refreshStale(never);
  const route = rig.models.resolve();
  const facts = route.ok ? rig.models.facts(route.value) : undefined;
  assert.deepEqual([facts?.contextTokens, facts?.contextSource, facts?.maxOutputTokens], [77_000, "endpoint", 8_000]);
});
