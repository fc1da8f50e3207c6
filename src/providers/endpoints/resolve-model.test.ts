import assert from "node:assert/strict";
import { test } from "node:test";

import { isLocalAddress } from "../../base/http/local-address.ts";
import type { EndpointRow } from "./endpoint-row.ts";
import { endpointRows, findRow } from "./find-row.ts";
import { routeFromRow } from "./make-route.ts";
import type { MixtureSettings, ModelChoice, ModelSettings, ProviderSettings } from "./model-settings.ts";
import { type ModelSelection, resolveModel, type ResolveContext } from "./resolve-model.ts";
import { originOf, routeName } from "./route.ts";

const noAddress = { base_url: "", api_key: "", key_env: "", api_mode: "auto" } as const;
const noChoice: ModelChoice = {
  ...noAddress,
  default: "",
  provider: "",
  context_length: 0,
  max_tokens: 0,
  supports_vision: "auto",
  aliases: {},
};

const single = { provider: "groq", model: "m" };
const preset = {
  reference_models: [single],
  aggregator: single,
  reference_temperature: 0.6,
  aggregator_temperature: 0.4,
  max_tokens: 4_096,
  enabled: true,
  rounds: 1,
  min_answers: 1,
};
const noMixtures: MixtureSettings = {
  default_preset: "default",
  presets: { default: preset, fast: preset },
  reference_timeout: 900,
  save_traces: false,
  privacy_filter: "",
};

function providerAt(base_url: string, more: Partial<ProviderSettings> = {}): ProviderSettings {
  const times = { request_timeout_seconds: 0, stale_timeout_seconds: 0 };
  return { ...noAddress, ...times, headers: {}, extra_body: {}, models: {}, base_url, ...more };
}

function scene(settings: Partial<ModelSettings> = {}, env: Readonly<Record<string, string>> = {}): ResolveContext {
  return {
    settings: {
      model: noChoice,
      model_aliases: {},
      providers: {},
      custom_providers: [],
      fallback_providers: [],
      credential_pool_strategies: {},
      model_overrides: {},
      bedrock: { region: "" },
      vertex: { project_id: "", region: "" },
      moa: noMixtures,
      ...settings,
    },
    env: (name) => env[name],
    hasKey: ({ keyVars }: EndpointRow) => keyVars.some((name) => env[name] !== undefined),
  };
}

/** Returns `provider/model at address`, or the error. */
function resolved(wish: ModelSelection, context: ResolveContext): string {
  const result = resolveModel(wish, context);
  if (!result.ok) return result.error.message;
  return result.value === "offline" ? "offline" : `${routeName(result.value)} ${result.value.baseUrl}`;
}

const anAlias = { model: "", provider: "", base_url: "" };
const openrouter = { OPENROUTER_API_KEY: "k" };
const anthropic = { ANTHROPIC_API_KEY: "k" };

for (const [what, wish, settings, env, expected] of [
  ["nothing at all is the built-in model", {}, {}, {}, "offline"],
  ["a key that is there chooses its provider", {}, {}, anthropic, "anthropic/claude-opus-5 https://api.anthropic.com"],
  ["keys that other programs use choose nothing", {}, {}, { GITHUB_TOKEN: "k", HF_TOKEN: "k" }, "offline"],
  [
    "the settings win over keys that are there",
    {},
    { model: { ...noChoice, default: "groq/llama-x" } },
    anthropic,
    "groq/llama-x https://api.groq.com/openai/v1",
  ],
  [
    "what is asked wins over the settings",
    { model: "deepseek/deepseek-v4-pro" },
    { model: { ...noChoice, default: "groq/llama-x" } },
    {},
    "deepseek/deepseek-v4-pro https://api.deepseek.com/v1",
  ],
  [
    "maker/model goes to a router that has a key when the maker has none",
    { model: "anthropic/claude-x" },
    {},
    openrouter,
    "openrouter/anthropic/claude-x https://openrouter.ai/api/v1",
  ],
  [
    "and to the maker when it has one",
    { model: "anthropic/claude-x" },
    {},
    { ...openrouter, ...anthropic },
    "anthropic/claude-x https://api.anthropic.com",
  ],
  [
    "a host of many makers is never replaced by a router",
    { model: "groq/openai/gpt-oss-20b" },
    {},
    openrouter,
    "groq/openai/gpt-oss-20b https://api.groq.com/openai/v1",
  ],
  ["an alias of a provider", { model: "glm/glm-5" }, {}, {}, "zai/glm-5 https://api.z.ai/api/paas/v4"],
  [
    "a short name is a model of its maker",
    { model: "Sonnet" },
    {},
    {},
    "anthropic/claude-sonnet-5 https://api.anthropic.com",
  ],
  [
    "or of a router that has a key, as the router calls it",
    { model: "haiku" },
    {},
    openrouter,
    "openrouter/anthropic/claude-haiku-4.5 https://openrouter.ai/api/v1",
  ],
  [
    "but with another provider in use it is a model of that one",
    { model: "sonnet" },
    { model: { ...noChoice, provider: "ollama" } },
    openrouter,
    "ollama/sonnet http://127.0.0.1:11434/v1",
  ],
  [
    "and an alias of the user's own wins over it",
    { model: "opus" },
    { model: { ...noChoice, aliases: { opus: "groq/m" } } },
    {},
    "groq/m https://api.groq.com/openai/v1",
  ],
  [
    "a bare model goes to its maker",
    { model: "claude-x" },
    {},
    anthropic,
    "anthropic/claude-x https://api.anthropic.com",
  ],
  [
    "a bare model goes to the provider of the settings",
    { model: "claude-x" },
    { model: { ...noChoice, provider: "nous" } },
    anthropic,
    "nous/claude-x https://inference-api.nousresearch.com/v1",
  ],
  [
    "a provider alone has its usual model",
    { model: "anthropic" },
    {},
    {},
    "anthropic/claude-opus-5 https://api.anthropic.com",
  ],
  [
    "the provider's own prefix is not part of the model",
    { provider: "openrouter", model: "openrouter/anthropic/x" },
    {},
    {},
    "openrouter/anthropic/x https://openrouter.ai/api/v1",
  ],
  [
    "an alias of the user's, in any case of letters",
    { model: "FAST" },
    { model: { ...noChoice, aliases: { fast: "groq/llama-x" } } },
    {},
    "groq/llama-x https://api.groq.com/openai/v1",
  ],
  [
    "an alias with provider and address",
    { model: "mine" },
    { model_aliases: { mine: { model: "m", provider: "custom", base_url: "http://10.0.0.5/v1" } } },
    {},
    "custom/m http://10.0.0.5/v1",
  ],
  [
    "an alias of an alias",
    { model: "quick" },
    {
      model: { ...noChoice, aliases: { fast: "groq/llama-x" } },
      model_aliases: { quick: { ...anAlias, model: "fast" } },
    },
    {},
    "groq/llama-x https://api.groq.com/openai/v1",
  ],
  [
    "an alias that is called as the model it stands for, with a provider",
    { model: "gpt-5" },
    { model_aliases: { "gpt-5": { ...anAlias, model: "gpt-5", provider: "openrouter" } } },
    {},
    "openrouter/gpt-5 https://openrouter.ai/api/v1",
  ],
  [
    "and without one: the provider of the settings",
    {},
    { model: { ...noChoice, provider: "openrouter", default: "gpt-5", aliases: { "gpt-5": "gpt-5" } } },
    {},
    "openrouter/gpt-5 https://openrouter.ai/api/v1",
  ],
  [
    "provider:model",
    { model: "or:anthropic/claude-x" },
    { model: { ...noChoice, provider: "anthropic" } },
    {},
    "openrouter/anthropic/claude-x https://openrouter.ai/api/v1",
  ],
  [
    "a tag of Ollama is not a provider",
    { model: "mistral:7b" },
    { model: { ...noChoice, provider: "ollama" } },
    {},
    "ollama/mistral:7b http://127.0.0.1:11434/v1",
  ],
  [
    "nor is one anywhere else",
    { model: "qwen:7b" },
    {},
    { DASHSCOPE_API_KEY: "k" },
    "alibaba/qwen:7b https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
  ],
  [
    "a provider with a slash is one alone",
    { model: "anthropic/" },
    {},
    {},
    "anthropic/claude-opus-5 https://api.anthropic.com",
  ],
  [
    "models/ is how Gemini lists its models",
    { model: "models/gemini-x" },
    {},
    { GOOGLE_API_KEY: "k" },
    "gemini/gemini-x https://generativelanguage.googleapis.com/v1beta",
  ],
  ["the name before the slash is missing", { model: "/claude-x" }, {}, openrouter, '"/claude-x" is not a model name.'],
  [
    "custom:MODEL is one of the address of the settings",
    { model: "custom:acme/m:7b" },
    { model: { ...noChoice, provider: "custom", base_url: "http://lab/v1" } },
    {},
    "custom/acme/m:7b http://lab/v1",
  ],
  [
    "custom:NAME:MODEL",
    { model: "custom:lab:m:7b" },
    { custom_providers: [{ name: "Lab", base_url: "http://lab/v1", model: "usual" }] },
    {},
    "custom:Lab:m:7b http://lab/v1",
  ],
  [
    "custom:NAME has its own model",
    { model: "custom:lab" },
    { custom_providers: [{ name: "lab", base_url: "http://lab/v1", model: "usual" }] },
    {},
    "custom:lab:usual http://lab/v1",
  ],
  [
    "a provider of the user's own by id",
    { model: "lab/m" },
    { providers: { lab: providerAt("http://lab/v1") } },
    {},
    "lab/m http://lab/v1",
  ],
  [
    "the name that a session keeps is found again",
    { model: "custom/m1" },
    { model: { ...noChoice, provider: "custom", default: "m1", base_url: "http://lab/v1" } },
    {},
    "custom/m1 http://lab/v1",
  ],
  [
    "Vertex is computed from project and region",
    { model: "vertex/google/gemini-x" },
    { vertex: { project_id: "p1", region: "europe-west4" } },
    {},
    "vertex/google/gemini-x https://europe-west4-aiplatform.googleapis.com/v1/projects/p1/locations/europe-west4/endpoints/openapi",
  ],
  [
    "Claude on Bedrock has an endpoint of its own",
    { model: "bedrock/anthropic.claude-x" },
    { bedrock: { region: "eu-west-1" } },
    {},
    "bedrock/anthropic.claude-x https://bedrock-mantle.eu-west-1.api.aws/anthropic",
  ],
] as const satisfies readonly (readonly [
  string,
  ModelSelection,
  Partial<ModelSettings>,
  Record<string, string>,
  string,
])[]) {
  test(what, () => assert.equal(resolved(wish, scene(settings, env)), expected));
}

test("the error for a name that cannot be resolved contains a hint", () => {
  assert.match(resolved({ model: "unheard-of" }, scene()), /use provider\/model/u);
  assert.match(resolved({ provider: "openruter" }, scene()), /did you mean openrouter/u);
  assert.match(resolved({ model: "azure/gpt-x" }, scene()), /AZURE_FOUNDRY_BASE_URL/u);
  assert.match(resolved({ model: "vertex/x" }, scene()), /vertex\.project_id/u);
  assert.match(resolved({ model: "custom:none" }, scene()), /no custom provider none/u);
  const passwords = { providers: { lab: providerAt("http://me:pw@lab/v1") } };
  assert.match(resolved({ model: "lab/m" }, scene(passwords)), /contains a password/u);
  const circle = { model: { ...noChoice, aliases: { a: "b", b: "a" } } };
  assert.match(resolved({ model: "a" }, scene(circle)), /alias b refers to itself: set it to provider\/model/u);
  const other = { model: { ...noChoice, aliases: { fast: "groq/llama-x" } } };
  assert.equal(
    resolved({ provider: "anthropic", model: "fast" }, scene(other)),
    "The alias fast refers to groq/llama-x, which does not belong to anthropic. Use only one of them.",
  );
  assert.match(resolved({ provider: "groq", model: "fast" }, scene(other)), /^groq\/llama-x/u);
});

test("the error for a misspelt provider suggests the most similar name", () => {
  assert.match(resolved({ model: "opnai/gpt-5.5" }, scene()), /did you mean openai-api\/gpt-5\.5\?/u);
});

test("the protocol depends on the model, the address and the settings", () => {
  const protocol = (model: string, context = scene()) => {
    const result = resolveModel({ model }, context);
    return result.ok && result.value !== "offline" ? result.value.protocol : result;
  };
  assert.equal(protocol("openai/gpt-5.5"), "openai-responses");
  assert.equal(protocol("openai/gpt-4o"), "openai-chat");
  assert.equal(protocol("copilot/gpt-5-mini"), "openai-chat");
  assert.equal(protocol("copilot/gpt-5.5"), "openai-responses");
  assert.equal(protocol("zen/claude-x"), "anthropic-messages");
  assert.equal(
    protocol("lab/m", scene({ providers: { lab: providerAt("https://x.example/anthropic") } })),
    "anthropic-messages",
  );
  const forced = providerAt("https://x.example/v1", { api_mode: "codex_responses" });
  assert.equal(protocol("lab/m", scene({ providers: { lab: forced } })), "openai-responses");
});

test("every provider has a unique name, and every usable one has an address or the variable that contains it", () => {
  const names = endpointRows.flatMap(({ id, aliases = [] }) => [id, ...aliases]);
  assert.deepEqual(names.toSorted(), [...new Set(names)].toSorted());
  for (const row of endpointRows) {
    if (row.id === "custom") continue;
    assert.ok(row.baseUrl !== "" || row.baseUrlVar !== undefined, row.id);
    assert.ok(row.keyVars.length > 0 || row.keyless === true, row.id);
    // `hermes config set` stores secrets under this prefix, so no provider may read them.
    assert.ok(!row.keyVars.some((name) => name.startsWith("HERMES_CONFIG_")), row.id);
    for (const { match } of row.models ?? []) assert.doesNotThrow(() => new RegExp(match, "iu"), row.id);
    assert.equal(findRow(row.id.toUpperCase()), row);
  }
});

test("the keys of a provider are sent only to its own hosts", () => {
  const env = { OTHER: "https://evil.example/v1" };
  for (const row of endpointRows) {
    if (row.mixture || row.program || row.id === "custom") continue;
    const settings = {
      vertex: { project_id: "p", region: "" },
      providers: { [row.id]: providerAt("https://evil.example/v1") },
    };
    const route = routeFromRow(row, { model: "m", chosen: "" }, scene(settings, env));
    assert.ok(route.ok, row.id);
    assert.deepEqual([route.value.keys.variables, route.value.keys.given], [[], []], row.id);
    assert.ok(!route.value.keys.home.includes(originOf(route.value.baseUrl)), row.id);
    assert.ok(!Object.keys(route.value.headers).includes("authorization"));
  }
});

test("a provider that is a program is started as its variables specify, and cannot have an address", () => {
  const program = (env: Record<string, string>) => {
    const result = resolveModel({ provider: "copilot-acp" }, scene({}, env));
    assert.ok(result.ok && result.value !== "offline");
    const { command, args } = result.value.program ?? {};
    return [result.value.model, result.value.protocol, command, args];
  };
  const defaults = findRow("copilot-acp")?.program?.args;
  assert.deepEqual(program({}), ["default", "acp", "copilot", defaults]);
  assert.deepEqual(program({ COPILOT_CLI_PATH: "/opt/copilot", HERMES_COPILOT_ACP_ARGS: " " }).slice(2), [
    "/opt/copilot",
    defaults,
  ]);
  const both = { HERMES_COPILOT_ACP_COMMAND: "mine", COPILOT_CLI_PATH: "/opt/copilot" };
  assert.deepEqual(program({ ...both, HERMES_COPILOT_ACP_ARGS: `--acp --x="a b" 'c d'` }).slice(2), [
    "mine",
    ["--acp", "--x=a b", "c d"],
  ]);
  const elsewhere = { providers: { "copilot-acp": providerAt("https://evil.example/v1") } };
  assert.match(resolved({ model: "copilot-acp/x" }, scene(elsewhere)), /no other address/u);
  const same = { providers: { "copilot-acp": providerAt("acp://copilot") } };
  assert.equal(resolved({ model: "copilot-acp/gpt-5.5" }, scene(same)), "copilot-acp/gpt-5.5 acp://copilot");
});

test("a preset of moa can be used as a model: by name, as the default, and never as an alias", () => {
  const context = scene({ model: { ...noChoice, aliases: { fast: "groq/other" } } });
  const names = [{ model: "moa" }, { model: "moa/fast" }, { provider: "moa", model: "fast" }, { provider: "moa" }];
  assert.deepEqual(
    names.map((wish) => resolved(wish, context)),
    ["default", "fast", "fast", "default"].map((name) => `moa/${name} moa://presets`),
  );
  const settled = scene({ model: { ...noChoice, provider: "moa", default: "fast" } });
  assert.equal(resolved({}, settled), "moa/fast moa://presets");
  for (const name of ["fsat", "__proto__", "toString"])
    assert.match(resolved({ model: `moa/${name}` }, context), /moa has no preset .*; available: default, fast\./u);
});

test("names of Object.prototype members are treated like other names", () => {
  for (const name of ["constructor", "__proto__", "toString"]) {
    assert.match(resolved({ model: name }, scene({})), /Cannot tell which provider serves/u);
    assert.match(resolved({ provider: name, model: "m" }, scene({})), /There is no provider/u);
    const context = scene({ model: { ...noChoice, provider: name, base_url: "http://127.0.0.1:1/v1" } });
    assert.equal(resolved({ model: name }, context), `${name}/${name} http://127.0.0.1:1/v1`);
    const alias = scene({ model: { ...noChoice, aliases: Object.fromEntries([[name, "groq/x"]]) } });
    assert.match(resolved({ model: name }, alias), /^groq\/x /u);
  }
});

test("local addresses are recognised", () => {
  const local = [
    "http://127.0.0.1:1/v1",
    "http://localhost/v1",
    "http://[::1]:80",
    "http://192.168.3.4",
    "http://box.local",
    "http://172.20.0.1",
    "http://100.100.1.2",
  ];
  const far = [
    "https://api.openai.com",
    "http://172.40.0.1",
    "http://11.0.0.1",
    "http://localhost.evil.com",
    "nonsense",
    "http://1270.0.0.1",
  ];
  assert.deepEqual([local.map(isLocalAddress), far.map(isLocalAddress)], [local.map(() => true), far.map(() => false)]);
});

test("a misspelt provider is refused with the most similar name and never interpreted as a model of another provider", () => {
  const ofOpenAi = scene({ model: { ...noChoice, provider: "openai-api" } }, { OPENAI_API_KEY: "k" });
  assert.match(
    resolved({ model: "anthropc/claude-x" }, ofOpenAi),
    /^There is no provider anthropc\. Did you mean anthropic\/claude-x\? .*write openai-api\/anthropc\/claude-x/u,
  );
  assert.match(resolved({ model: "anthropc" }, ofOpenAi), /^There is no provider anthropc\. Did you mean anthropic\?/u);
  assert.match(resolved({ model: "anthropc:claude-x" }, ofOpenAi), /^There is no provider anthropc\./u);
  assert.match(resolved({ model: "meta-llama/llama-4" }, ofOpenAi), /^There is no provider meta-llama\./u);
  assert.equal(resolved({ model: "gpt-9" }, ofOpenAi), "openai-api/gpt-9 https://api.openai.com/v1");
  const router = scene({ model: { ...noChoice, provider: "openrouter" } }, openrouter);
  assert.match(resolved({ model: "anthropc/claude-x" }, router), /^There is no provider anthropc\./u);
  assert.match(resolved({ model: "anthropc/claude-x" }, scene({}, openrouter)), /^There is no provider anthropc\./u);
  assert.match(resolved({ model: "meta-llama/llama-4" }, router), /^openrouter\/meta-llama\/llama-4 /u);
  assert.match(resolved({ model: "openrouter/newlab/m" }, router), /^openrouter\/newlab\/m /u);
  const address = { ...noChoice, provider: "custom", base_url: "http://127.0.0.1:1/v1", default: "house/m" };
  const custom = scene({ model: address });
  assert.match(
    resolved({ model: "nosuch/model" }, custom),
    /^There is no provider nosuch\. If it is a model of custom, write custom\/nosuch\/model/u,
  );
  assert.equal(resolved({ model: "custom/nosuch/model" }, custom), "custom/nosuch/model http://127.0.0.1:1/v1");
  assert.equal(resolved({ model: "house/m" }, custom), "custom/house/m http://127.0.0.1:1/v1");
  assert.equal(resolved({ model: "local" }, custom), "custom/local http://127.0.0.1:1/v1");
  const listed = { ...custom, isListed: ({ model }: { readonly model: string }) => model === "lab/m" };
  assert.equal(resolved({ model: "lab/m" }, listed), "custom/lab/m http://127.0.0.1:1/v1");
});

test("the name of a custom server refers to the server, not to a model of that name", () => {
  const server = { name: "lab", base_url: "http://127.0.0.1:1/v1", model: "m1" };
  const own = scene({ model: { ...noChoice, provider: "custom:lab" }, custom_providers: [server] });
  assert.equal(resolved({ model: "lab" }, own), "custom:lab:m1 http://127.0.0.1:1/v1");
  const without = scene({
    custom_providers: [{ ...server, model: "" }],
    model: { ...noChoice, provider: "custom:lab" },
  });
  assert.match(resolved({ model: "lab" }, without), /^Which model of custom:lab\?/u);
});
