import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import * as fc from "fast-check";

import { tempHome } from "../../../test/support/temp-home.ts";
import type { ModelSettings } from "../endpoints/model-settings.ts";
import type { Route } from "../endpoints/route.ts";
import { type FactsFile, emptyFacts, readFacts } from "./facts-file.ts";
import { modelFacts, familyOf, unknownModel, windowKey } from "./model-facts.ts";
import { readModelList, readWindows } from "./read-model-list.ts";

const route: Route = {
  providerId: "p",
  model: "claude-sonnet-4-5",
  protocol: "openai-chat",
  baseUrl: "https://p.example/v1",
  headers: {},
  quirks: {},
  timeouts: {},
  keys: { given: [], variables: [], home: [], keyless: false, advice: "" },
  local: false,
  subscription: false,
  chosen: "as requested",
};

const noMixtures = {
  default_preset: "default",
  presets: {},
  reference_timeout: 900,
  save_traces: false,
  privacy_filter: "",
} as const;

function settings(more: Partial<ModelSettings> = {}): ModelSettings {
  return {
    model: {
      base_url: "",
      api_key: "",
      key_env: "",
      api_mode: "auto",
      default: "",
      provider: "",
      context_length: 0,
      max_tokens: 0,
      supports_vision: "auto",
      aliases: {},
    },
    model_aliases: {},
    providers: {},
    custom_providers: [],
    fallback_providers: [],
    credential_pool_strategies: {},
    model_overrides: {},
    bedrock: { region: "" },
    vertex: { project_id: "", region: "" },
    moa: noMixtures,
    ...more,
  };
}

const override = {
  context_length: 0,
  max_output_tokens: 0,
  supports_vision: "auto",
  price_input: null,
  price_output: null,
  price_cache_read: null,
  price_cache_write: null,
} as const;

test("the context window comes from the settings, then learned facts, the endpoint's list, the table, and a default", () => {
  const window = (file: FactsFile, own = settings(), ofRoute = route) => {
    const { contextTokens, contextSource } = modelFacts(ofRoute, own, file);
    return `${contextTokens} ${contextSource}`;
  };
  const listed: FactsFile = {
    windows: {},
    lists: { [route.baseUrl]: { at: 1, models: [{ id: route.model, contextTokens: 50_000 }] } },
  };
  const learned: FactsFile = { ...listed, windows: { [windowKey(route)]: { tokens: 40_000, at: 1 } } };
  assert.equal(window(emptyFacts, settings(), { ...route, model: "unheard-of" }), "128000 assumed");
  assert.equal(window(emptyFacts), "200000 table");
  assert.equal(
    window(emptyFacts, settings(), { ...route, maxContextTokens: 272_000, model: "gpt-5.5" }),
    "272000 table",
  );
  assert.equal(window(listed), "50000 endpoint");
  assert.equal(window(learned), "40000 learned");
  assert.equal(
    window(learned, settings(), { ...route, baseUrl: "https://q.example" }),
    "200000 table",
    "learned for one address",
  );
  const own = settings({ model_overrides: { "p/claude-sonnet-4-5": { ...override, context_length: 30_000 } } });
  assert.equal(window(learned, own), "30000 config");
  const chosen = settings({ model: { ...settings().model, context_length: 20_000 } });
  assert.equal(window(learned, chosen, { ...route, chosen: "by the settings" }), "20000 config");
  assert.equal(window(learned, chosen), "40000 learned", "of the model that is configured alone");
});

test("prices come from the settings, then the list, then the table, and subscriptions are free", () => {
  const price = (changes: Partial<Route>, own = settings()) =>
    modelFacts({ ...route, ...changes }, own, emptyFacts).price;
  assert.equal(price({})?.input, 3);
  assert.deepEqual(price({ subscription: true }), { input: 0, output: 0 });
  assert.deepEqual(price({ local: true }), { input: 0, output: 0 });
  assert.equal(price({ providerId: "custom:x" }), undefined, "nobody knows the prices of a server of one's own");
  const own = settings({ model_overrides: { "claude-sonnet-4-5": { ...override, price_input: 1, price_output: 2 } } });
  assert.deepEqual(price({ local: true }, own), { input: 1, output: 2 });
});

test("models accept whole videos with the Gemini protocol, and where a provider documents it", () => {
  const video = (changes: Partial<Route>) => modelFacts({ ...route, ...changes }, settings(), emptyFacts).video;
  assert.equal(video({ model: "gemini-2.5-flash", protocol: "gemini" }), true);
  assert.equal(video({ model: "kimi-k2.6", quirks: { videos: true } }), true);
  assert.equal(video({ model: "kimi-k2", quirks: { videos: true } }), undefined, "it does not see");
  assert.equal(video({}), undefined);
});

test("the table matches model families under the names that vendors, routers and clouds use", () => {
  const window = (model: string) => familyOf(model)?.contextTokens;
  for (const name of ["claude-opus-4-8", "anthropic/claude-opus-4.8", "anthropic.claude-opus-4-8"])
    assert.equal(window(name), 1_000_000, name);
  assert.equal(window("claude-opus-5"), 1_000_000);
  assert.equal(window("us.anthropic.claude-sonnet-4-5-20250929-v1:0"), 200_000);
  assert.equal(window("claude-opus-4-20250514"), 200_000);
  assert.equal(window("openai/gpt-5.5"), 1_050_000);
  assert.equal(window("gpt-5.4-mini"), 400_000);
  assert.equal(window("gpt-4"), 8_192);
  assert.equal(window("gpt-4-0613"), 8_192);
  assert.equal(window("gpt-4-1106-preview"), 128_000);
  assert.equal(window("openai/gpt-4o-mini"), 128_000);
  assert.equal(window("gpt-3.5-turbo-0125"), 16_385);
  assert.equal(window("openai/o1-mini"), 128_000);
  assert.equal(window("moonshotai/kimi-k3"), 1_048_576);
  assert.equal(familyOf("gpt-5.4-mini")?.price?.input, 0.75);
  assert.equal(familyOf("gpt-5-mini")?.price?.input, 0.25);
  assert.equal(familyOf("gpt-5")?.price?.input, 1.25);
  assert.equal(window("models/gemini-2.5-flash"), 1_048_576);
  assert.equal(window("meta-llama/llama-3.1-8b"), 131_072);
});

test("model lists in many formats can be parsed", () => {
  assert.deepEqual(
    readModelList({
      data: [
        {
          id: "b",
          context_length: 1000,
          top_provider: { max_completion_tokens: 300 },
          architecture: { input_modalities: ["text", "image"] },
          pricing: { prompt: "0.000003", completion: "0.000015", input_cache_read: "0.0000003" },
        },
        { id: "a", max_model_len: 2048 },
        { id: "", context_length: 1 },
        null,
        7,
      ],
    }),
    [
      { id: "a", contextTokens: 2048 },
      {
        id: "b",
        contextTokens: 1000,
        maxOutputTokens: 300,
        vision: true,
        price: { input: 3, output: 15, cacheRead: 0.3 },
      },
    ],
  );
  assert.deepEqual(
    readModelList({ models: [{ name: "models/gemini-x", inputTokenLimit: 5000, outputTokenLimit: 600 }] }),
    [{ id: "gemini-x", contextTokens: 5000, maxOutputTokens: 600 }],
  );
  assert.deepEqual(readModelList([{ id: "t" }]), [{ id: "t" }]);
  assert.deepEqual([...readWindows({ models: [{ name: "q:8b", context_length: 4096 }] })], [["q:8b", 4096]]);
  assert.deepEqual([...readWindows({ default_generation_settings: { n_ctx: 8192 } })], [["", 8192]]);
});

test("parsing any model list of an endpoint never throws", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      for (const each of [value, { data: value }, { models: [value] }]) {
        readModelList(each);
        readWindows(each);
      }
    }),
  );
});

test("a damaged facts file is treated as empty", async () => {
  await using home = await tempHome();
  const file = join(home.path, "model-facts.json");
  assert.deepEqual(readFacts(file), emptyFacts);
  for (const text of ["", "[1]", "{", '{"windows":{"a":1},"lists":{"b":{"models":1}}}']) {
    await writeFile(file, text);
    assert.deepEqual(readFacts(file), emptyFacts, text);
  }
});

test("a model that is not in the table has no price and is marked as unknown", () => {
  const facts = (model: string) => modelFacts({ ...route, providerId: "openai-api", model }, settings(), emptyFacts);
  const doubt = (model: string, file = emptyFacts) =>
    unknownModel({ ...route, providerId: "openai-api", model }, settings(), file);
  for (const model of [
    "gpt-5.5",
    "gpt-5.5-2026-04-01",
    "openai/gpt-5.5",
    "gpt-5-codex",
    "o3-2025-04-16",
    "gpt-4o-latest",
  ]) {
    assert.ok(facts(model).price, model);
    assert.equal(doubt(model), undefined, model);
  }
  for (const model of ["gpt-5.55", "gpt-5.5-tiny", "xgpt-5.5", "chatgpt-4o-latest", "nonsense"]) {
    assert.equal(facts(model).price, undefined, model);
    assert.match(doubt(model)?.sentence ?? "", /is not a model that Hermes knows: its price is unknown/u, model);
  }
  const file = {
    ...emptyFacts,
    lists: { [route.baseUrl]: { at: 1, models: [{ id: "gpt-5.5" }, { id: "nonsense" }] } },
  };
  assert.equal(
    doubt("gpt-5.55", file)?.sentence,
    "openai-api/gpt-5.55 is not in the model list of openai-api (gpt-5.5, nonsense), so its server will probably refuse it. Did you mean gpt-5.5?",
  );
  assert.equal(doubt("gpt-5.55", file)?.isUnlisted, true);
  assert.equal(doubt("gpt-5.55")?.isUnlisted, false);
  assert.equal(doubt("nonsense", file), undefined);
});
