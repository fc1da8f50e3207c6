import assert from "node:assert/strict";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { hermes } from "../../../../../test/support/fake-terminal.ts";
import { tempHome } from "../../../../../test/support/temp-home.ts";
import { keyTree, leaves } from "../../../../config/schema.ts";

const key = "sk-test-0123456789abcdef";

test("listing works on a fresh machine without a network and creates no files", async () => {
  await using folder = await tempHome();
  const options = { home: join(folder.path, "home"), cwd: folder.path };
  for (const args of [
    ["model", "list"],
    ["model", "list", "--all"],
    ["model", "list", "claude"],
    ["auth", "list"],
    ["fallback", "list"],
  ]) {
    const result = await hermes(args, options);
    assert.equal(result.code, 0, result.err);
  }
  const list = await hermes(["model", "list", "--json"], options);
  assert.equal((list.json as { active: { offline: boolean } }).active.offline, true);
  assert.deepEqual(await readdir(folder.path), []);
});

test("a key is read from standard input, stored so that only the owner can read it, and never shown again", async () => {
  await using home = await tempHome();
  const options = { home: home.path };
  const added = await hermes(["auth", "add", "or", "--label", "work"], { ...options, input: `${key}\n` });
  assert.equal(added.code, 0, added.err);
  const file = join(home.path, "credentials.json");
  if (process.platform !== "win32") assert.equal((await stat(file)).mode & 0o777, 0o600);
  for (const args of [
    ["auth", "list"],
    ["auth", "list", "--json"],
    ["auth", "list", "openrouter"],
    ["model", "list"],
    ["model", "list", "--json", "--all"],
    ["config", "show", "--json"],
  ]) {
    const result = await hermes(args, options);
    assert.equal(result.code, 0, result.err);
    assert.doesNotMatch(result.out + result.err, /0123456789/u);
  }
  const again = await hermes(["auth", "add", "openrouter"], { ...options, input: key });
  assert.match(again.err, /already stored: work/u);
  const listed = (await hermes(["model", "list", "--json"], options)).json as {
    active: { provider: string; chosen: string };
  };
  assert.deepEqual([listed.active.provider, listed.active.chosen], ["openrouter", "a key for openrouter is set"]);
  assert.equal((await hermes(["auth", "remove", "openrouter", "work"], options)).code, 0);
  assert.doesNotMatch(await readFile(file, "utf8"), /0123456789/u);
  assert.equal((await hermes(["auth", "remove", "openrouter", "work"], options)).code, 1);
});

for (const [what, text] of [
  ["nothing", ""],
  ["two words", "my key"],
  ["two lines", "sk-1\nsk-2"],
  ["a mask", "sk-***"],
  ["letters of a page", "sk-\u200bkey"],
] as const) {
  test(`text that is not a key is rejected: ${what}`, async () => {
    await using home = await tempHome();
    const result = await hermes(["auth", "add", "openrouter"], { home: home.path, input: text });
    assert.equal(result.code, 1);
    assert.ok(!(await readdir(home.path)).includes("credentials.json"));
  });
}

test("use writes model and provider together, even over a plain value, and keeps other settings", async () => {
  await using home = await tempHome();
  const file = join(home.path, "config.yaml");
  await writeFile(file, "# mine\nmodel: groq/old\nlogging: {level: debug} # loud\n");
  const result = await hermes(["model", "use", "deepseek/deepseek-v4-pro"], { home: home.path });
  assert.equal(result.code, 0, result.err);
  assert.match(result.out, /no key yet/u);
  const text = await readFile(file, "utf8");
  assert.match(text, /^# mine\n/u);
  assert.match(text, /logging: \{level: debug\} # loud/u);
  const listed = (await hermes(["model", "list", "--json"], { home: home.path })).json as { active: object };
  assert.equal((listed.active as { provider: string }).provider, "deepseek");
  const wrong = await hermes(["model", "use", "nobody-knows-this"], { home: home.path });
  assert.equal(wrong.code, 0, "it is a model of the provider in use");
  const own = await hermes(["model", "use", "m", "--base-url", "http://10.0.0.5/v1", "--key-env", "LAB"], {
    home: home.path,
  });
  assert.equal(own.code, 0, own.err);
  assert.match(await readFile(file, "utf8"), /base_url: http:\/\/10\.0\.0\.5\/v1/u);
  assert.equal((await hermes(["model", "use", "groq/x"], { home: home.path })).code, 0);
  assert.doesNotMatch(await readFile(file, "utf8"), /base_url|key_env/u, "the address goes with the model it was for");
});

test("use refuses a model that is not in the list of its server, unless it is forced", async () => {
  await using home = await tempHome();
  const url = "http://127.0.0.1:9/v1";
  await writeFile(join(home.path, "config.yaml"), `model: {default: m1, provider: custom, base_url: "${url}"}\n`);
  const lists = { [url]: { at: 1, models: [{ id: "m1" }, { id: "m2" }] } };
  await writeFile(join(home.path, "model-facts.json"), JSON.stringify({ version: 1, windows: {}, lists }));
  const refused = await hermes(["model", "use", "nosuch"], { home: home.path });
  assert.equal(refused.code, 1);
  assert.match(
    refused.err,
    /^error: custom\/nosuch is not in the model list of custom \(m1, m2\), .*\n.*--force uses/u,
  );
  assert.equal((await hermes(["model", "use", "m2"], { home: home.path })).code, 0);
  const forced = await hermes(["model", "use", "nosuch", "--force"], { home: home.path });
  assert.equal(forced.code, 0, forced.err);
  assert.match(forced.out, /Now using custom\/nosuch/u);
  const set = await hermes(["config", "set", "model.default", "other"], { home: home.path });
  assert.match(set.out, /note: custom\/other is not in the model list of custom \(m1, m2\)/u);
  assert.doesNotMatch((await hermes(["config", "set", "model.default", "m1"], { home: home.path })).out, /note:/u);
  const added = await hermes(["fallback", "add", "m2"], { home: home.path });
  assert.equal(added.code, 0, added.err);
  assert.match(
    await readFile(join(home.path, "config.yaml"), "utf8"),
    /model: m2, base_url: http:\/\/127\.0\.0\.1:9\/v1/u,
  );
});

test("the list of all providers shows where each key is looked up, and the aliases", async () => {
  await using home = await tempHome();
  const { out } = await hermes(["model", "list", "--all"], { home: home.path });
  assert.match(out, /^ +zai +no key +GLM_API_KEY \(or glm, z-ai, z\.ai, zhipu\)$/mu);
  assert.match(out, /^ +moa .*openrouter\/anthropic\/claude-opus-4\.8 has no key/mu);
});

test("a provider without a key is found under any alias, with a way to get one", async () => {
  await using home = await tempHome();
  const { out } = await hermes(["model", "list", "claude"], { home: home.path });
  assert.match(out, /^ +anthropic +no key.*\nAdd one with `hermes auth add anthropic`/mu);
});

test("doctor shows the active model, or how to connect one", async () => {
  await using home = await tempHome();
  const model = async () => {
    const { json } = await hermes(["doctor", "--json"], { home: home.path });
    return (json as { findings: { name: string; state: string }[] }).findings.find(({ name }) => name === "model");
  };
  assert.equal((await model())?.state, "note");
  await hermes(["model", "use", "groq/x"], { home: home.path });
  assert.deepEqual(await model(), {
    name: "model",
    state: "bad",
    found: "groq/x: there is no key",
    advice: "Add one with `hermes auth add groq`, or set GROQ_API_KEY. Create keys at https://console.groq.com/keys.",
  });
  await hermes(["auth", "add", "groq"], { home: home.path, input: "gsk_0123456789abcdef" });
  assert.equal((await model())?.state, "good");
});

test("`model test` of the built-in model says that it is built in and not an AI", async () => {
  await using home = await tempHome();
  const { code, out } = await hermes(["model", "test"], { home: home.path });
  assert.equal(code, 0);
  assert.match(out, /rule-based, not an AI/u);
});

test("fallbacks are added, listed, removed and cleared", async () => {
  await using home = await tempHome();
  const options = { home: home.path };
  assert.equal((await hermes(["fallback", "add", "groq/openai/gpt-oss-120b"], options)).code, 0);
  assert.equal((await hermes(["fallback", "add", "ollama/qwen3:8b", "--first"], options)).code, 0);
  assert.equal((await hermes(["fallback", "add", "groq/openai/gpt-oss-120b"], options)).code, 1);
  assert.match((await hermes(["fallback", "add", "offline"], options)).err, /The built-in model cannot be a fallback/u);
  await using fresh = await tempHome();
  await writeFile(join(fresh.path, "config.yaml"), "model: {provider: offline, default: rules}\n");
  const nosuch = await hermes(["fallback", "add", "nosuch"], { home: fresh.path });
  assert.match(nosuch.err, /^error: nosuch names no provider\.\nUse provider\/model/u);
  const names = async () => {
    const { json } = await hermes(["fallback", "list", "--json"], options);
    return (json as { fallbacks: { provider: string; model: string }[] }).fallbacks.map(
      ({ provider, model }) => `${provider}/${model}`,
    );
  };
  assert.deepEqual(await names(), ["ollama/qwen3:8b", "groq/openai/gpt-oss-120b"]);
  assert.equal((await hermes(["fallback", "remove", "1"], options)).code, 0);
  assert.deepEqual(await names(), ["groq/openai/gpt-oss-120b"]);
  assert.equal((await hermes(["fallback", "remove", "nothing"], options)).code, 1);
  assert.equal((await hermes(["fallback", "clear"], options)).code, 0);
  assert.deepEqual(await names(), []);
});

test("a project file cannot redirect keys", () => {
  const sections = new Set(
    "model model_aliases providers custom_providers fallback_providers credential_pool_strategies auxiliary model_overrides bedrock vertex network".split(
      " ",
    ),
  );
  const own = leaves(keyTree()).filter(({ path }) => sections.has(path[0] ?? ""));
  assert.ok(own.length > 0);
  for (const { path, leaf } of own) assert.equal(leaf.project, "never", path.join("."));
});

test("switching models on a custom server keeps address, key and protocol", async () => {
  await using home = await tempHome();
  const file = join(home.path, "config.yaml");
  const settings = (model: string) =>
    `model:\n  provider: custom\n  default: ${model}\n  base_url: http://127.0.0.1:9/v1\n  api_mode: chat_completions\n  key_env: MY_KEY\n`;
  await writeFile(file, settings("m1"));
  for (const name of ["m2", "custom/m3"]) {
    const used = await hermes(["model", "use", name], { home: home.path });
    assert.equal(used.code, 0, used.err);
    assert.equal(await readFile(file, "utf8"), settings(name.slice(-2)));
  }
  assert.equal((await hermes(["model", "use", "anthropic/claude-sonnet-4-5"], { home: home.path })).code, 0);
  assert.doesNotMatch(await readFile(file, "utf8"), /base_url|api_mode|key_env/u);
});
