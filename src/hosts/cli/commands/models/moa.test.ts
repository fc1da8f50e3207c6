import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { hermes } from "../../../../../test/support/fake-terminal.ts";
import { tempHome } from "../../../../../test/support/temp-home.ts";
import { loadConfig } from "../../../../config/load.ts";
import { problemText } from "../../../../config/problem.ts";

interface Listed {
  readonly default: string;
  readonly presets: readonly {
    readonly name: string;
    readonly enabled: boolean;
    readonly reference_temperature: number;
    readonly max_tokens: number;
    readonly reference_models: readonly { readonly provider: string; readonly model: string; readonly state: string }[];
    readonly aggregator: { readonly provider: string; readonly model: string; readonly state: string };
  }[];
}

async function listed(home: string): Promise<Listed> {
  const result = await hermes(["moa", "list", "--json"], { home });
  assert.equal(result.code, 0, result.err);
  return result.json as Listed;
}

test("a default preset exists, and the list shows which of its models lack a key", async () => {
  await using home = await tempHome();
  const { default: defaultPreset, presets } = await listed(home.path);
  assert.equal(defaultPreset, "default");
  assert.deepEqual(presets, [
    {
      name: "default",
      reference_models: [
        { provider: "openai-codex", model: "gpt-5.5", state: "no key: hermes auth add openai-codex" },
        { provider: "openrouter", model: "deepseek/deepseek-v4-pro", state: "no key: hermes auth add openrouter" },
      ],
      aggregator: {
        provider: "openrouter",
        model: "anthropic/claude-opus-4.8",
        state: "no key: hermes auth add openrouter",
      },
      reference_temperature: 0.6,
      aggregator_temperature: 0.4,
      max_tokens: 4_096,
      min_answers: 1,
      rounds: 1,
      enabled: true,
    },
  ]);
  const text = await hermes(["moa", "list"], { home: home.path });
  assert.match(text.out, /● *moa\/default +answers +openrouter\/anthropic\/claude-opus-4\.8/u);
});

test("a preset is created, changed and deleted; omitted options stay", async () => {
  await using home = await tempHome();
  const options = { home: home.path };
  const models = ["--reference", "groq/a", "--reference", "or/b/c", "--aggregator", "anthropic/claude-opus-4-8"];
  const created = await hermes(["moa", "configure", "fast", ...models, "--default"], options);
  assert.equal(created.code, 0, created.err);
  assert.match(created.out, /groq\/a: no key/u);
  const changed = await hermes(
    ["moa", "configure", "fast", "--reference-temperature", "1", "--max-tokens", "100", "--disable"],
    options,
  );
  assert.equal(changed.code, 0, changed.err);
  const { default: defaultPreset, presets } = await listed(home.path);
  const fast = presets.find(({ name }) => name === "fast");
  assert.equal(defaultPreset, "fast");
  assert.deepEqual(
    [fast?.reference_models.map(({ provider, model }) => `${provider} ${model}`), fast?.aggregator.model],
    [["groq a", "openrouter b/c"], "claude-opus-4-8"],
  );
  assert.deepEqual([fast?.reference_temperature, fast?.max_tokens, fast?.enabled], [1, 100, false]);
  assert.equal((await hermes(["model", "use", "moa/fast"], options)).code, 0);
  const deleted = await hermes(["moa", "delete", "fast"], options);
  assert.match(deleted.out, /Deleted moa\/fast.*It was the default preset.*It is still the model in the settings/su);
  assert.equal((await listed(home.path)).default, "default");
});

test("at a terminal `moa configure` asks for the models, and empty input changes nothing", async () => {
  await using home = await tempHome();
  const created = await hermes(["moa", "configure", "lab"], { home: home.path, typed: ["groq/a, or/b", "groq/c"] });
  assert.equal(created.code, 0, created.err);
  const again = await hermes(["moa", "configure", "lab"], { home: home.path, typed: ["", "groq/d"] });
  assert.match(again.err, /separated by commas \[groq\/a, openrouter\/b\]: .*provider\/model \[groq\/c\]: /su);
  const lab = (await listed(home.path)).presets.find(({ name }) => name === "lab");
  assert.deepEqual([lab?.reference_models.map(({ model }) => model), lab?.aggregator.model], [["a", "b"], "d"]);
});

test("deleting the built-in preset restores its original models", async () => {
  await using home = await tempHome();
  const options = { home: home.path };
  assert.match((await hermes(["moa", "delete", "default"], options)).err, /is built in and cannot be deleted/u);
  assert.equal((await hermes(["moa", "configure", "--aggregator", "groq/x"], options)).code, 0);
  assert.equal((await listed(home.path)).presets[0]?.aggregator.model, "x");
  assert.match((await hermes(["moa", "delete", "default"], options)).out, /built-in models again/u);
  assert.equal((await listed(home.path)).presets[0]?.aggregator.model, "anthropic/claude-opus-4.8");
});

for (const [what, args, expected] of [
  ["a mixture as a reference", ["configure", "x", "--reference", "moa/default"], /is a mixture itself/u],
  ["a mixture as the aggregator", ["configure", "x", "--aggregator", "moa"], /is a mixture itself/u],
  [
    "a model that nobody serves",
    ["configure", "x", "--reference", "nobody/x"],
    /Cannot tell which provider serves nobody\/x/u,
  ],
  [
    "a temperature that is too high",
    ["configure", "x", "--reference-temperature", "3"],
    /must be a number from 0 to 2, not 3/u,
  ],
  ["an invalid number", ["configure", "x", "--max-tokens", "many"], /many is not a number/u],
  ["a name with a blank", ["configure", "a b", "--aggregator", "groq/x"], /is not a usable name/u],
  ["both at once", ["configure", "x", "--enable", "--disable"], /not both/u],
  ["nothing at all without a terminal", ["configure", "x"], /Nothing to change\./u],
  ["a preset that is not there", ["delete", "x"], /no preset x; there are: default/u],
] as const) {
  test(`${what} is rejected, and nothing is written`, async () => {
    await using home = await tempHome();
    const result = await hermes(["moa", ...args], { home: home.path });
    assert.ok(result.code > 0);
    assert.match(result.err, expected);
    await assert.rejects(readFile(join(home.path, "config.yaml")));
  });
}

test("moa cannot be a fallback and needs no key", async () => {
  await using home = await tempHome();
  assert.match((await hermes(["fallback", "add", "moa/default"], { home: home.path })).err, /cannot be a fallback/u);
  assert.match((await hermes(["auth", "add", "moa"], { home: home.path, input: "k" })).err, /needs no key/u);
});

test("invalid settings prevent the start and are reported with their position", async () => {
  await using home = await tempHome();
  const presets = { b: { reference_models: [] }, c: { reference_models: [{ provider: "groq" }] } };
  await writeFile(join(home.path, "config.yaml"), JSON.stringify({ moa: { presets } }));
  const config = await loadConfig({ env: { HERMES_HOME: home.path }, cwd: home.path });
  assert.ok(!config.ok, "nobody else is asked in their place");
  const faults = config.error.problems.map(problemText).join("\n");
  assert.match(faults, /moa\.presets\.b\.reference_models: .*must have at least 1 entry/u);
  assert.match(faults, /moa\.presets\.c\.reference_models: .*entry 0\.model: must be a text/u);
});

test("a mixture cannot contain a mixture", async () => {
  await using home = await tempHome();
  const presets = {
    a: { aggregator: { provider: "MOA", model: "b" } },
    b: { aggregator: { provider: "groq", model: "mix" } },
  };
  const settings = { moa: { presets }, model: { aliases: { mix: "moa/default" } } };
  await writeFile(join(home.path, "config.yaml"), JSON.stringify(settings));
  const [a, b] = await Promise.all(
    ["a", "b"].map((name) => hermes(["-m", `moa/${name}`, "-z", "hi"], { home: home.path })),
  );
  assert.match(a?.err ?? "", /moa\/a names moa\/b: a mixture cannot contain another mixture/u);
  assert.match(b?.err ?? "", /The aggregator of moa\/b cannot be used: The alias mix refers to moa\/default/u);
});
