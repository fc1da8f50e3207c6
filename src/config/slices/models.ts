import { z } from "zod";

import { anyJson } from "./anything.ts";
import { name } from "./names.ts";
import { setting, type SettingRules } from "./setting.ts";

const text = (about: string, env?: string) =>
  setting(z.string().max(4_096).default(""), about, env === undefined ? {} : { env });
const tokens = (about: string) => setting(z.int().min(0).max(100_000_000).default(0), about);
const seconds = (about: string, initial = 0) => setting(z.number().min(0).max(86_400).default(initial), about);
const vision = setting(
  z.enum(["auto", "yes", "no"]).default("auto"),
  "Whether the model accepts images. auto: from the built-in tables.",
  { words: { true: "yes", false: "no" } },
);
const apiMode = setting(
  z.enum(["auto", "chat_completions", "codex_responses", "anthropic_messages", "gemini"]).default("auto"),
  "The protocol. auto: from the provider and the address.",
);
const extraBody = setting(z.record(z.string(), setting(anyJson, "Its value.")), "Fields added to every request.");
const key = text("The key; key_env, .env and `hermes auth add` are safer. Hermes sends it only to base_url.");
const keyEnv = text("Name of the environment variable with the key. Hermes sends it only to base_url.");

export const model = setting(
  z.object({
    default: text(
      "The model: provider/model, a model of `provider`, or an alias. Empty: chosen by the available keys.",
      "HERMES_INFERENCE_MODEL",
    ),
    provider: text("The provider's id or alias. Empty or auto: from `default`.", "HERMES_INFERENCE_PROVIDER"),
    base_url: text("Another address for this provider, or your own server. It needs its own key."),
    api_key: key,
    key_env: keyEnv,
    api_mode: apiMode,
    context_length: tokens("Context window in tokens. 0: learned, or from the built-in tables."),
    max_tokens: tokens("Maximum tokens of an answer. 0: the provider's default."),
    supports_vision: vision,
    aliases: setting(
      z.record(z.string(), setting(z.string().min(1).max(400), "provider/model.")),
      "Your own aliases for models.",
    ),
  }),
  "The model that answers. A plain string sets `default`.",
  { shorthand: "default" },
);

export const model_aliases = setting(
  z.record(
    z.string(),
    setting(
      z.object({
        model: text("The model."),
        provider: text("Its provider."),
        base_url: text("Another address."),
      }),
      "A model; a plain string sets `model`.",
      { shorthand: "model" },
    ),
  ),
  "Your own aliases for models, with provider and address.",
);

export const providers = setting(
  z.record(
    z.string(),
    z.object({
      base_url: text("Another address. Hermes does not send the provider's keys there; set one here."),
      api_key: key,
      key_env: keyEnv,
      api_mode: apiMode,
      headers: setting(
        z.record(z.string(), setting(z.string().max(8_192), "Its value.")),
        "Headers of every request; they replace the default ones.",
      ),
      extra_body: extraBody,
      sign_in: setting(
        z.object({
          client_id: text("Client id, from the provider's developer page."),
          device_url: text("URL that issues the code to enter in a browser."),
          authorize_url: text("URL of the page that redirects the browser to this machine."),
          token_url: text("URL that issues and renews tokens."),
          scope: text("Requested scopes, separated by spaces."),
          redirect_url: text("Redirect URL on this machine. Empty: a free port."),
        }),
        "Browser sign-in (`hermes auth add PROVIDER --oauth`); overrides the built-in values of the provider.",
      ),
      request_timeout_seconds: seconds("Timeout of one request in seconds. 0 means 1800."),
      stale_timeout_seconds: seconds(
        "Maximum silence during an answer, in seconds. 0 means 180, and 1800 for a server on this machine.",
      ),
      models: setting(
        z.record(
          z.string(),
          z.object({
            context_length: tokens("Context window in tokens."),
            supports_vision: vision,
            timeout_seconds: seconds("Timeout of one request."),
          }),
        ),
        "Settings of single models.",
      ),
    }),
  ),
  "Settings of single providers by id; an unknown id is your own provider and needs base_url.",
);

const entryText = z.string().max(4_096).optional();

export const custom_providers = setting(
  z
    .array(
      z
        .object({
          name: entryText,
          base_url: entryText,
          api_key: entryText,
          key_env: entryText,
          api_mode: z.enum(["auto", "chat_completions", "codex_responses", "anthropic_messages", "gemini"]).optional(),
          model: entryText,
        })
        .catchall(anyJson),
    )
    .default([]),
  "Your own servers, selected as custom:NAME or custom:NAME:MODEL. `models` and `extra_body` as in `providers`.",
);

export const fallback_providers = setting(
  z
    .array(
      z
        .object({
          provider: entryText,
          model: entryText,
          base_url: entryText,
          key_env: entryText,
        })
        .catchall(anyJson),
    )
    .default([]),
  "Fallback models, in this order, for when the main model cannot answer. See `hermes fallback`.",
);

export const credential_pool_strategies = setting(
  z.record(
    z.string(),
    setting(
      z.enum(["fill_first", "round_robin", "least_used", "random"]),
      "Which key to use next. fill_first: the first until it is exhausted.",
    ),
  ),
  "Providers with several keys.",
);

export const prompt_caching = setting(
  z.object({
    cache_ttl: setting(
      z.enum(["5m", "1h", "off"]).default("5m"),
      "How long the provider should cache the prefix of a session. off: send no cache marks.",
      { words: { false: "off", true: "5m" } },
    ),
  }),
  "The provider's prompt cache.",
);

const dollars = (about: string) => setting(z.number().min(0).max(1_000_000).nullable().default(null), about);

export const model_overrides = setting(
  z.record(
    z.string(),
    z.object({
      context_length: tokens("Context window in tokens."),
      max_output_tokens: tokens("Maximum tokens of an answer."),
      supports_vision: vision,
      price_input: dollars("US dollars per million input tokens."),
      price_output: dollars("US dollars per million output tokens."),
      price_cache_read: dollars("US dollars per million tokens read from the provider's cache."),
      price_cache_write: dollars("US dollars per million tokens written to the provider's cache."),
    }),
  ),
  "Facts and prices of single models, by provider/model or by model; they override the built-in tables.",
);

export const model_catalog = setting(
  z.object({
    enabled: setting(
      z.boolean().default(true),
      "Refresh an outdated list of the provider's models, with windows and prices, in the background of a session.",
    ),
    ttl_hours: setting(z.number().min(1).max(8_760).default(24), "Hours after which a list is outdated."),
    source: text(
      "A model list in the format of models.dev, with windows and prices of models that the provider's own list does not state: a file, or an address such as https://models.dev/api.json. Empty: none.",
    ),
  }),
  "Facts about models.",
);

const upstreams = (about: string) => setting(z.array(z.string().min(1).max(200)).max(100).default([]), about);

export const provider_routing = setting(
  z.object({
    sort: setting(
      z.enum(["auto", "price", "throughput", "latency"]).default("auto"),
      "How OpenRouter ranks providers.",
    ),
    only: upstreams("Use only these providers."),
    ignore: upstreams("Never use these providers."),
    order: upstreams("Try these first, in this order."),
    require_parameters: setting(
      z.boolean().default(false),
      "Use only providers that support every field of the request.",
    ),
    data_collection: setting(
      z.enum(["auto", "allow", "deny"]).default("auto"),
      "Whether to use providers that store prompts.",
    ),
  }),
  "Which providers OpenRouter uses. Does not apply to auxiliary tasks.",
);

export const bedrock = setting(
  z.object({ region: text("Amazon Bedrock region. Empty: AWS_REGION, else us-east-1.") }),
  "Amazon Bedrock.",
);

export const vertex = setting(
  z.object({
    project_id: text("Google Cloud project. Empty: GOOGLE_CLOUD_PROJECT."),
    region: text("Vertex AI region. Empty: global."),
  }),
  "Google Vertex AI.",
);

export const network = setting(
  z.object({
    ca_bundle: setting(
      z.array(z.string().min(1).max(4_096)).default([]),
      "PEM files with additional certificate authorities. SSL_CERT_FILE and REQUESTS_CA_BUNDLE also apply.",
    ),
  }),
  "Network access. Hermes honours HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY.",
);

/** Hermes never guesses who receives the conversation, so an invalid value prevents the start. */
const chosen: SettingRules = { safety: true };
const word = z.string().min(1).max(400);
const temperature = (initial: number, about: string) => setting(z.number().min(0).max(2).default(initial), about);

export const moa = setting(
  z.object({
    default_preset: setting(name.default("default"), "The preset for `/moa` and for `moa` without a name."),
    presets: setting(
      z.record(
        name,
        z.object({
          reference_models: setting(
            z
              .array(z.object({ provider: word, model: word }).catchall(anyJson))
              .min(1)
              .default([
                { provider: "openai-codex", model: "gpt-5.5" },
                { provider: "openrouter", model: "deepseek/deepseek-v4-pro" },
              ]),
            "Models that Hermes asks first, in parallel and without tools.",
            chosen,
          ),
          aggregator: setting(
            z.object({
              provider: setting(word.default("openrouter"), "Its provider.", chosen),
              model: setting(word.default("anthropic/claude-opus-4.8"), "Its name there.", chosen),
            }),
            "The model that writes the answer. It has all tools and reads the answers of the reference models.",
          ),
          reference_temperature: temperature(0.6, "Temperature of the references."),
          aggregator_temperature: temperature(0.4, "Temperature of the aggregator."),
          max_tokens: setting(z.int().min(16).max(1_000_000).default(4_096), "Maximum tokens of a reference's answer."),
          enabled: setting(z.boolean().default(true), "Ask the references. false: only the aggregator answers."),
          rounds: setting(
            z.int().min(1).max(5).default(1),
            "For the tool `mixture_of_agents`: how often the references answer. From the second round on, each sees all answers of the round before.",
          ),
          min_answers: setting(
            z.int().min(1).max(20).default(1),
            "For the tool `mixture_of_agents`: with fewer answers in a round, the call fails.",
          ),
        }),
      ),
      "Mixtures by name, each a model `moa/NAME`. Missing values come from `default`. See `hermes moa`.",
      { always: ["default"] },
    ),
    reference_timeout: setting(
      z.number().min(1).max(86_400).default(900),
      "Seconds until Hermes skips a reference that has not answered.",
    ),
    save_traces: setting(
      z.boolean().default(false),
      "Store answers, failures, times and usage of the references in moa-traces/, one file per session.",
    ),
    privacy_filter: setting(
      z.enum(["", "display", "full"]).default(""),
      "display: hide the references' answers. full: also remove secrets from their requests and answers.",
    ),
  }),
  "Mixtures of agents: Hermes asks several models, and one answers with their help.",
);
