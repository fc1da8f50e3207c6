// covers: src/providers
import assert from "node:assert/strict";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { crc32, deflateSync } from "node:zlib";

import type { ToolDefinition } from "../../src/contracts/tool/tool-definition.ts";
import { pngSize } from "../../src/providers/client/shrink-png.ts";
import { ask, modelsRig } from "../support/models-rig.ts";
import { startModelServer } from "../support/wire-servers/model-server.ts";
import type { ScriptedTurn } from "../support/wire-servers/turn.ts";

const first = "first-key-abcdef";
const second = "second-key-abcdef";

function greyPng(size: number): Buffer {
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0]);
  head.writeUInt32BE(size, 0);
  head.writeUInt32BE(size, 4);
  const parts = { IHDR: head, IDAT: deflateSync(Buffer.alloc(size * (size + 1))), IEND: Buffer.alloc(0) };
  const framed = Object.entries(parts).map(([type, data]) => {
    const named = Buffer.concat([Buffer.from(type), data]);
    const ends = Buffer.alloc(8);
    ends.writeUInt32BE(data.length, 0);
    ends.writeUInt32BE(crc32(named), 4);
    return Buffer.concat([ends.subarray(0, 4), named, ends.subarray(4)]);
  });
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1A\n", "latin1"), ...framed]);
}

function serverOf(turns: readonly ScriptedTurn[], keys?: readonly string[]) {
  return startModelServer({ protocol: "openai-chat", turns: [...turns], ...(keys && { keys: [...keys] }) });
}

const choice = (url: string, more = "") =>
  `model: {provider: custom, default: m1, base_url: "${url}", key_env: KEYS}\n${more}`;
const keys = { KEYS: `${first},${second}` };

test("after a refused key the next key is used, and the refused one is skipped for a while, even after a restart", async () => {
  await using server = await serverOf([{}, { text: "hi" }, { text: "again" }, { text: "anew" }], [second]);
  await using rig = await modelsRig(choice(server.url), keys);
  const reply = await ask(rig.models);
  assert.equal(reply.text, "hi");
  assert.deepEqual(reply.decisions, ["rotate_key: the key KEYS (1) rests; trying KEYS (2)"]);
  assert.deepEqual(
    server.requests.map(({ key }) => key),
    [first, second],
  );
  await ask(rig.models);
  await rig.models.pool.flush();
  assert.equal((await ask(await rig.again())).text, "anew");
  assert.deepEqual(
    server.requests.slice(2).map(({ key }) => key),
    [second, second],
  );
  const text = await readFile(rig.credentials, "utf8");
  assert.ok(!text.includes(first) && !text.includes(second), "keys of variables are not copied");
  if (process.platform !== "win32") assert.equal((await stat(rig.credentials)).mode & 0o777, 0o600);
});

test("after a 429 the client waits as requested, retries the same key once, then uses the next", async () => {
  const limited = { error: { status: 429, message: "slow down" }, headers: { "retry-after": "2" } };
  await using server = await serverOf([limited, limited, { text: "hi" }]);
  await using rig = await modelsRig(choice(server.url), keys);
  const reply = await ask(rig.models);
  assert.deepEqual(reply.decisions, [
    "retry: retrying in 2.0 s (1 of 3)",
    "rotate_key: the key KEYS (1) rests; trying KEYS (2)",
  ]);
  assert.deepEqual(
    server.requests.map(({ key }) => key),
    [first, first, second],
  );
});

test("a plan limit or an empty account switches to the next key immediately", async () => {
  for (const error of [
    { status: 429, message: "You have hit your weekly usage limit" },
    { status: 402, message: "insufficient credits" },
  ]) {
    await using server = await serverOf([{ error }, { text: "hi" }]);
    await using rig = await modelsRig(choice(server.url), keys);
    const reply = await ask(rig.models);
    assert.equal(reply.text, "hi");
    assert.deepEqual(
      server.requests.map(({ key }) => key),
      [first, second],
    );
  }
});

test("requests to an overloaded server are retried with growing delays, then the fallback answers and stays first for a while", async () => {
  const overloaded = { error: { status: 529, message: "overloaded" } };
  await using busy = await startModelServer({ protocol: "openai-chat", turns: [overloaded], repeat: true });
  await using free = await startModelServer({
    protocol: "openai-chat",
    turns: [{ text: "from the other" }],
    repeat: true,
  });
  const fallback = `fallback_providers: [{provider: custom, model: m2, base_url: "${free.url}"}, {provider: x}]`;
  await using rig = await modelsRig(`agent: {api_max_retries: 2}\n${choice(busy.url, fallback)}`, keys);
  const reply = await ask(rig.models);
  assert.equal(reply.text, "from the other");
  assert.deepEqual(reply.decisions, [
    "retry: retrying in 0.4 s (1 of 2)",
    "retry: retrying in 0.8 s (2 of 2)",
    "fallback: falling back to custom/m2",
  ]);
  assert.ok(reply.end?.type === "finish" && reply.end.by.model === "m2");
  const before = busy.requests.length;
  assert.equal((await ask(rig.models)).text, "from the other");
  assert.equal(busy.requests.length, before, "the one that failed is passed over for a while");
});

test("for a missing model and refused content, the fallback is used without a retry", async () => {
  for (const error of [
    { status: 404, message: "model not found" },
    { status: 400, message: "flagged by our content policy", code: "content_policy_violation" },
  ]) {
    await using server = await serverOf([{ error }]);
    await using other = await serverOf([{ text: "ok" }]);
    const fallback = `fallback_providers: [{provider: custom, model: m2, base_url: "${other.url}"}]`;
    await using rig = await modelsRig(choice(server.url, fallback), keys);
    const reply = await ask(rig.models);
    assert.deepEqual([reply.text, reply.decisions], ["ok", ["fallback: falling back to custom/m2"]]);
  }
});

test("without a fallback the last error is returned, and the message mentions it", async () => {
  await using server = await startModelServer({
    protocol: "openai-chat",
    turns: [{ error: { status: 500, message: "boom" } }],
    repeat: true,
  });
  await using rig = await modelsRig(choice(server.url), keys);
  const reply = await ask(rig.models);
  assert.equal(server.requests.length, 4);
  assert.equal(reply.decisions.at(-1), "give_up: giving up");
  assert.ok(reply.end?.type === "error" && reply.end.error.kind === "server");
});

test("a stalled stream is retried, and its partial text is dropped", async () => {
  await using server = await serverOf([{ text: ["lost ", "words"], fault: { hangAfter: 120 } }, { text: "whole" }]);
  const stale = "providers: {custom: {stale_timeout_seconds: 10}}\n";
  await using rig = await modelsRig(`${stale}${choice(server.url)}`, keys);
  const reply = await ask(rig.models);
  assert.equal(reply.text, "whole");
  const failed = reply.events.find((event) => event.type === "failed");
  assert.ok(failed?.type === "failed" && failed.error.kind === "stalled", JSON.stringify(failed));
});

test("a context window that a refusal states is learned for this model and address, and used after a restart", async () => {
  const error = {
    status: 400,
    message: "This model's maximum context length is 40960 tokens. However, you requested 50000 tokens",
  };
  await using server = await serverOf([{ error }]);
  await using rig = await modelsRig(choice(server.url), keys);
  const reply = await ask(rig.models);
  assert.ok(reply.end?.type === "error" && reply.end.error.kind === "context_overflow");
  assert.equal(reply.end.error.contextTokens, 40_960);
  assert.deepEqual(reply.decisions, [], "the caller deals with it");
  const facts = async (models = rig.models) => {
    const client = await models.open();
    assert.ok(client.ok);
    const { contextTokens, contextSource } = client.value.facts();
    return [contextTokens, contextSource];
  };
  assert.deepEqual(await facts(), [40_960, "learned"]);
  await rig.models[Symbol.asyncDispose]();
  assert.deepEqual(await facts(await rig.again()), [40_960, "learned"]);
});

test("after a refusal that names the maximum length, requests use that maximum", async () => {
  const error = { status: 400, message: "max_tokens is too large: 64000. This model supports at most 8192 tokens" };
  await using server = await serverOf([{ error }, { text: "ok" }, { text: "again" }]);
  await using rig = await modelsRig(choice(server.url), keys);
  const bounds = () => server.requests.map(({ json }) => json["max_tokens"]);
  assert.equal((await ask(rig.models, { maxTokens: 64_000 })).text, "ok");
  assert.equal((await ask(rig.models, { maxTokens: 128_000 })).text, "again");
  assert.deepEqual(bounds(), [64_000, 8192, 8192]);
});

test("a model with three consecutive empty answers is skipped, and so is a model that refuses", async () => {
  await using server = await serverOf([{ text: "" }, { text: "hm" }, { text: "" }, { text: "" }, { text: "" }]);
  await using other = await serverOf([{ text: "ok" }, { text: "ok again" }]);
  const fallback = `fallback_providers: [{provider: custom, model: m2, base_url: "${other.url}"}]`;
  await using rig = await modelsRig(choice(server.url, fallback), keys);
  const texts = [];
  for (let requestCount = 0; requestCount < 7; requestCount++) texts.push((await ask(rig.models)).text);
  assert.deepEqual(texts, ["", "hm", "", "", "", "ok", "ok again"]);

  await using strict = await serverOf([
    { text: "", stop: "refused" },
    { text: "no.", stop: "refused" },
  ]);
  await using kind = await serverOf([{ text: "gladly" }]);
  const next = `fallback_providers: [{provider: custom, model: m2, base_url: "${kind.url}"}]`;
  await using second = await modelsRig(choice(strict.url, next), keys);
  const reply = await ask(second.models);
  assert.deepEqual([reply.text, reply.decisions], ["gladly", ["fallback: falling back to custom/m2"]]);
  assert.equal((await ask(second.models)).text, "no.", "words are an answer");
});

test("a provider that is requested by name answers, or the request fails", async () => {
  await using server = await startModelServer({ protocol: "openai-chat", turns: [{ text: "hi" }], repeat: true });
  const mine = `custom_providers: [{name: mine, base_url: "${server.url}"}]\n`;
  await using rig = await modelsRig(`${choice(server.url)}${mine}`, { ...keys, OPENROUTER_API_KEY: "or-key-abcdefgh" });
  const opened = async (model: string, provider: string) => {
    const match = await rig.models.open(model, provider);
    if (!match.ok) return match.error.message;
    const facts = match.value.facts();
    return `${facts.provider} ${facts.model}`;
  };
  assert.match(await opened("m2", "nosuch"), /^There is no provider nosuch/u);
  assert.equal(await opened("claude-x", "anthropic"), "anthropic claude-x", "not by a router that has a key");
  assert.equal(await opened("org/m2", "custom"), "custom org/m2");
  assert.equal(await opened("org/m2", "custom:mine"), "custom:mine org/m2");
});

test("provider preferences are sent to OpenRouter only", async () => {
  await using server = await startModelServer({ protocol: "openai-chat", turns: [{ text: "hi" }], repeat: true });
  const endpoint = `base_url: "${server.url}", key_env: KEYS`;
  const routing = "provider_routing: {sort: price, ignore: [slow], require_parameters: true}\n";
  for (const provider of ["openrouter", "groq"]) {
    await using rig = await modelsRig(`model: {provider: ${provider}, default: a/m, ${endpoint}}\n${routing}`, keys);
    assert.equal((await ask(rig.models)).text, "hi");
  }
  assert.deepEqual(
    server.requests.map(({ json }) => json["provider"]),
    [{ sort: "price", ignore: ["slow"], require_parameters: true }, undefined],
  );
});

test("a key with invalid characters is skipped immediately and never appears in a message", async () => {
  await using server = await serverOf([{ text: "hi" }]);
  await using rig = await modelsRig(choice(server.url), { KEYS: `sk-\u201Ccurly\u201D-abcdef,${second}` });
  const reply = await ask(rig.models);
  assert.deepEqual([reply.text, reply.decisions], ["hi", ["rotate_key: the key KEYS (1) rests; trying KEYS (2)"]]);
  assert.deepEqual(
    server.requests.map(({ key }) => key),
    [second],
  );
  assert.doesNotMatch(JSON.stringify(reply.events), /curly\u201D/u);
});

test("an abort ends the wait for a retry, and nothing more is sent", async () => {
  await using server = await serverOf([
    { error: { status: 503, message: "later" }, headers: { "retry-after": "500" } },
  ]);
  await using rig = await modelsRig(choice(server.url), keys);
  const stop = new AbortController();
  const asking = ask(rig.models, {}, stop.signal);
  while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  stop.abort();
  const reply = await asking;
  assert.ok(reply.end?.type === "error" && reply.end.error.kind === "aborted");
  assert.equal(server.requests.length, 1);
});

test("if the server asks for a delay that is too long for a user, the client does not wait", async () => {
  await using server = await serverOf([
    { error: { status: 429, message: "slow" }, headers: { "retry-after": "7200" } },
  ]);
  await using rig = await modelsRig(choice(server.url), { KEYS: first });
  const reply = await ask(rig.models);
  assert.deepEqual(reply.decisions, ["give_up: giving up"]);
  assert.equal(server.requests.length, 1);
});

test("a key is sent only to its own host", async () => {
  await using server = await startModelServer({ protocol: "openai-chat", turns: [{ text: "hi" }], repeat: true });
  const env = { OPENROUTER_API_KEY: "or-key-abcdefgh", OPENAI_API_KEY: "oa-key-abcdefgh" };
  for (const config of [
    `model: openrouter/some-model\nproviders: {openrouter: {base_url: "${server.url}"}}\n`,
    `model: {provider: openrouter, default: m, base_url: "${server.url}"}\n`,
    `model: {provider: custom, default: m, base_url: "${server.url}"}\n`,
    `model: custom:mine:m\ncustom_providers: [{name: mine, base_url: "${server.url}"}]\n`,
  ]) {
    await using rig = await modelsRig(config, env);
    assert.equal((await ask(rig.models)).text, "hi", config);
  }
  for (const { key, headers, body } of server.requests) {
    assert.equal(key, undefined);
    assert.doesNotMatch(JSON.stringify(headers) + body.toString(), /-key-abcdefgh/u);
  }
});

test("a key is sent only to the address that the user configured for it, by its variable or key_env", async () => {
  await using server = await startModelServer({ protocol: "openai-chat", turns: [{ text: "hi" }], repeat: true });
  const env = { OPENAI_API_KEY: "oa-key-abcdefgh", OPENAI_BASE_URL: server.url, MINE: "mine-key-abcdefgh" };
  for (const config of [
    "model: {provider: openai-api, default: gpt-4o}\n",
    `model: gpt-4o\nproviders: {openai-api: {base_url: "${server.url}", key_env: MINE}}\n`,
  ]) {
    await using rig = await modelsRig(config, env);
    assert.equal((await ask(rig.models)).text, "hi");
  }
  assert.deepEqual(
    server.requests.map(({ key }) => key),
    ["oa-key-abcdefgh", "mine-key-abcdefgh"],
  );
});

const tool: ToolDefinition = {
  name: "look",
  description: "Looks.",
  inputSchema: { type: "object", properties: { pattern: { type: "string", pattern: "^a", format: "uri" } } },
};

test("if a schema is refused, it is sent again without the keywords that servers reject, and stays simplified", async () => {
  const error = { status: 400, message: "Invalid schema for function 'look': 'pattern' is not supported" };
  await using server = await serverOf([{ error }, { text: "ok" }, { text: "ok" }]);
  await using rig = await modelsRig(choice(server.url), keys);
  const reply = await ask(rig.models, { tools: [tool] });
  assert.deepEqual(reply.decisions, ["repair: retrying with simpler tool schemas"]);
  await ask(rig.models, { tools: [tool] });
  const sent = server.requests.map(({ body }) => body.toString());
  assert.match(sent[0] ?? "", /"format":"uri"/u);
  for (const text of sent.slice(1)) {
    assert.doesNotMatch(text, /"format"|"pattern":"\^a"/u);
    assert.match(text, /"pattern":\{"type":"string"\}/u, "a property of that name stays");
  }
});

test("an image that is too large is scaled down first", async () => {
  const error = { status: 400, message: "image dimensions exceed max allowed size: 2000 pixels" };
  await using server = await serverOf([{ error }, { text: "seen" }]);
  await using rig = await modelsRig(choice(server.url), keys);
  const data = greyPng(3_000).toString("base64");
  const messages = [{ role: "user", content: [{ type: "image", mimeType: "image/png", data }] }] as const;
  const reply = await ask(rig.models, { messages });
  assert.deepEqual([reply.text, reply.decisions], ["seen", ["repair: retrying with smaller images"]]);
  const sizes = server.requests.map(({ body }) => {
    const sent = /base64,([\w+/=]+)/u.exec(body.toString())?.[1] ?? "";
    return pngSize(Buffer.from(sent, "base64"))?.width;
  });
  assert.deepEqual(sizes, [3_000, 1_500]);
});

test("images that are too large become notes, the older ones first", async () => {
  const error = { status: 400, message: "image exceeds 5 MB maximum" };
  await using server = await serverOf([{ error }, { error }, { text: "ok" }]);
  await using rig = await modelsRig(choice(server.url), keys);
  const image = (data: string) => ({ type: "image", mimeType: "image/png", data }) as const;
  const messages = [
    { role: "user", content: [image("b2xk")] },
    { role: "user", content: [image("bmV3")] },
  ] as const;
  const reply = await ask(rig.models, { messages });
  assert.equal(reply.text, "ok");
  assert.deepEqual(reply.decisions, [
    "repair: retrying with the last image only",
    "repair: retrying with a note instead of the image",
  ]);
  const [all, one, none] = server.requests.map(({ body }) => body.toString());
  assert.ok(all?.includes("b2xk") && all.includes("bmV3"));
  assert.ok(!one?.includes("b2xk") && one?.includes("bmV3"));
  assert.ok(!none?.includes("bmV3") && none?.includes("too large"));
});

test("a parameter that a server does not support is omitted from then on", async () => {
  const error = { status: 400, message: "Unknown parameter: 'stream_options'" };
  await using server = await serverOf([{ error }, { text: "ok", usage: "none" }, { text: "ok", usage: "none" }]);
  await using rig = await modelsRig(choice(server.url), keys);
  const reply = await ask(rig.models);
  assert.deepEqual(reply.decisions, ["repair: retrying without usage reports"]);
  await ask(rig.models);
  assert.deepEqual(
    server.requests.map(({ json }) => "stream_options" in json),
    [true, false, false],
  );
  assert.ok(reply.end?.type === "finish" && reply.end.usage.estimated === true);
});

test("the cost is computed with the price in the settings", async () => {
  await using server = await serverOf([
    { text: "ok", usage: { input: 1_000_000, output: 100_000, cacheRead: 500_000 } },
  ]);
  const prices = "model_overrides: {m1: {price_input: 2, price_output: 10, price_cache_read: 0.2}}\n";
  await using rig = await modelsRig(
    `${prices}custom_providers: [{name: far, base_url: "${server.url}"}]\nmodel: custom:far:m1\n`,
    {},
  );
  const reply = await ask(rig.models);
  assert.ok(reply.end?.type === "finish" && reply.end.by.provider === "custom:far");
  assert.equal(reply.end.usage.costUsd?.toFixed(6), "2.100000");
});

test("without a key and without an address nothing is sent, and the error gives advice", async () => {
  await using rig = await modelsRig("model: anthropic/claude-opus-5\n");
  const reply = await ask(rig.models);
  assert.ok(reply.end?.type === "error" && reply.end.error.kind === "auth");
  assert.match(reply.end.error.message, /hermes auth add anthropic/u);
});

test("a hundred concurrent requests with one bad key all succeed, and the file stays intact", async () => {
  await using server = await startModelServer({
    protocol: "openai-chat",
    turns: [{ text: "hi" }],
    repeat: true,
    keys: [second],
  });
  await using rig = await modelsRig(choice(server.url), keys);
  const all = await Promise.all(Array.from({ length: 100 }, () => ask(rig.models)));
  assert.ok(all.every(({ text }) => text === "hi"));
  await rig.models.pool.flush();
  const stored: unknown = JSON.parse(await readFile(rig.credentials, "utf8"));
  assert.ok(stored);
});

test("the list of models is fetched on demand, cached on disk, and gives windows and prices", async () => {
  await using server = await startModelServer({
    protocol: "openai-chat",
    turns: [],
    models: {
      data: [
        { id: "m1", context_length: 65_536, pricing: { prompt: "0.000001", completion: "0.000002" } },
        { id: "m2", max_model_len: 8_192 },
      ],
    },
  });
  await using rig = await modelsRig(choice(server.url), keys);
  const route = rig.models.resolve();
  assert.ok(route.ok && route.value !== "offline");
  const listed = await rig.models.refresh(route.value, new AbortController().signal);
  assert.ok(listed.ok, JSON.stringify(listed));
  assert.deepEqual(
    listed.value.map(({ id }) => id),
    ["m1", "m2"],
  );
  await rig.models[Symbol.asyncDispose]();
  const later = await rig.again();
  assert.deepEqual(later.facts(route.value).contextTokens, 65_536);
  assert.ok((await stat(join(rig.home, "model-facts.json"))).size > 0);
  assert.equal(server.otherRequests.length, 1);
});

test("an auxiliary task uses its own model, falls back to the main one, and records the cost of both", async () => {
  await using main = await startModelServer({ protocol: "openai-chat", turns: [{ text: "main" }], repeat: true });
  await using small = await startModelServer({
    protocol: "openai-chat",
    turns: [
      { text: "small" },
      { error: { status: 500, message: "boom" } },
      { error: { status: 500, message: "boom" } },
    ],
  });
  const slot = `auxiliary: {transient_retries: 1, compression: {base_url: "${small.url}", model: s1}}\n`;
  await using rig = await modelsRig(`${slot}${choice(main.url)}`, keys);
  const client = await rig.models.open();
  assert.ok(client.ok);
  const booked: string[] = [];
  const budget: { refusal?: string } = {};
  const auxiliary = rig.models.auxiliary({
    main: client.value,
    book: async ({ model, task }) => void booked.push(`${task} ${model}`),
    refusal: async () => budget.refusal,
  });
  const complete = (task: string) =>
    auxiliary.complete(task, "sum up", { maxTokens: 100 }, new AbortController().signal);
  assert.deepEqual(await complete("compression"), { ok: true, value: "small" });
  assert.deepEqual(await complete("compression"), { ok: true, value: "main" });
  assert.deepEqual(await complete("vision"), { ok: true, value: "main" });
  assert.deepEqual(booked, ["compression s1", "compression m1", "vision m1"]);
  budget.refusal = "the budget is used up";
  const requestCount = main.requests.length + small.requests.length;
  assert.deepEqual(await complete("compression"), { ok: false, error: { message: "the budget is used up" } });
  assert.equal(main.requests.length + small.requests.length, requestCount, "no request with a budget of 0");
});
