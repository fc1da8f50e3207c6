// covers: src/hosts, src/providers, src/runtime
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { hermes } from "../support/fake-terminal.ts";
import { tempHome } from "../support/temp-home.ts";
import { startModelServer } from "../support/wire-servers/model-server.ts";

const good = "good-key-0123456789";

async function homeWith(url: string, env: string, more = "") {
  const home = await tempHome();
  await writeFile(
    join(home.path, "config.yaml"),
    `model: custom:lab:m1\ncustom_providers: [{name: lab, base_url: "${url}", key_env: LAB_KEY}]\n${more}`,
  );
  await writeFile(join(home.path, ".env"), `LAB_KEY=${env}\n`, { mode: 0o600 });
  return home;
}

test("model test sends one request and prints time, tokens and cost", async () => {
  await using server = await startModelServer({ protocol: "openai-chat", turns: [{ text: "ok" }], keys: [good] });
  await using home = await homeWith(server.url, good);
  const result = await hermes(["model", "test", "--json"], { home: home.path });
  assert.equal(result.code, 0, result.out);
  const { ok, answer, usage } = result.json as { ok: boolean; answer: string; usage: { input: number } };
  assert.deepEqual([ok, answer, usage.input], [true, "ok", 10]);
  assert.equal(server.requests.length, 1);
});

test("model test with a refused key exits with 1 and gives advice, without the key", async () => {
  await using server = await startModelServer({ protocol: "openai-chat", turns: [], keys: [good] });
  await using home = await homeWith(server.url, "wrong-key-0123456789");
  const result = await hermes(["model", "test"], { home: home.path });
  assert.equal(result.code, 1);
  assert.match(result.out, /hermes auth/u);
  assert.doesNotMatch(result.out + result.err, /wrong-key/u);
  const listed = await hermes(["auth", "list", "--json"], { home: home.path });
  const [key] = (listed.json as { keys: { status: string }[] }).keys;
  assert.equal(key?.status, "exhausted");
  const again = await hermes(["auth", "reset", "custom:lab"], { home: home.path });
  assert.match(again.out, /1 of custom:lab will be used again/u);
});

test("list --refresh fetches the models, and the next list shows them without a network", async () => {
  const models = { data: [{ id: "m1", context_length: 50_000 }, { id: "m2" }] };
  await using server = await startModelServer({ protocol: "openai-chat", turns: [], models });
  await using home = await homeWith(server.url, good);
  const fresh = await hermes(["model", "list", "custom:lab", "--refresh", "--json"], { home: home.path });
  assert.equal(fresh.code, 0, fresh.err);
  await server[Symbol.asyncDispose]();
  const later = await hermes(["model", "list", "m1", "--json"], { home: home.path });
  const match = (later.json as { models: { name: string; contextTokens: number }[] }).models;
  assert.deepEqual(
    match.map(({ name, contextTokens }) => [name, contextTokens]),
    [["custom:lab:m1", 50_000]],
  );
  const removed = await hermes(["model", "list", "custom:lab", "--refresh", "--json"], { home: home.path });
  assert.equal(
    (removed.json as { faults: string[] }).faults.length,
    1,
    "a server that is gone is reported, the old list stays",
  );
});

test("list --refresh with a part of a name queries all providers with a key and shows the matches", async () => {
  const models = { data: [{ id: "claude-small" }, { id: "other" }] };
  await using server = await startModelServer({ protocol: "openai-chat", turns: [], models });
  await using home = await homeWith(server.url, good);
  const { json } = await hermes(["model", "list", "claude", "--refresh", "--json"], { home: home.path });
  assert.deepEqual(
    (json as { models: { name: string }[] }).models.map(({ name }) => name),
    ["custom:lab:claude-small"],
  );
});

test("model test makes one request, even when the server fails", async () => {
  await using server = await startModelServer({ protocol: "openai-chat", turns: [] });
  await using home = await homeWith(server.url, good);
  assert.equal((await hermes(["model", "test"], { home: home.path })).code, 1);
  assert.equal(server.requests.length, 1);
});

test("auth test prints which keys are accepted", async () => {
  await using server = await startModelServer({
    protocol: "openai-chat",
    turns: [],
    models: { data: [] },
    keys: [good],
  });
  await using home = await homeWith(server.url, `${good},wrong-key-0123456789`);
  const result = await hermes(["auth", "test", "custom:lab", "--json"], { home: home.path });
  const keys = (result.json as { keys: { ok: boolean | null }[] }).keys.map(({ ok }) => ok);
  assert.equal(keys[0], true, result.out);
  assert.equal(result.code, keys.includes(false) ? 1 : 0);
});

test("a stored key for a custom server is used there", async () => {
  await using server = await startModelServer({ protocol: "openai-chat", turns: [{ text: "ok" }], keys: [good] });
  await using home = await homeWith(server.url, "");
  assert.equal((await hermes(["auth", "add", "custom:lab"], { home: home.path, input: good })).code, 0);
  const result = await hermes(["model", "test"], { home: home.path });
  assert.equal(result.code, 0, result.out + result.err);
  assert.deepEqual(
    server.requests.map(({ key }) => key),
    [good],
  );
});

test("an interrupt ends model test while the server hangs", async () => {
  await using server = await startModelServer({
    protocol: "openai-chat",
    turns: [{ text: "x", fault: { delayMs: 600_000 } }],
  });
  await using home = await homeWith(server.url, good);
  const stop = new AbortController();
  const running = hermes(["model", "test"], { home: home.path, signal: stop.signal });
  while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  stop.abort();
  assert.equal((await running).code, 130);
});
