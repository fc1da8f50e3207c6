import { z } from "zod";

import { anything } from "./anything.ts";
import { setting } from "./setting.ts";

const text = (about: string, env?: string) =>
  setting(z.string().max(4_096).default(""), about, env === undefined ? {} : { env });
const tokens = (about: string) => setting(z.int().min(0).max(100_000_000).default(0), about);
const seconds = (about: string, initial = 0) => setting(z.number().min(0).max(86_400).default(initial), about);
const vision = setting(
  z.enum(["auto", "yes", "no"]).default("auto"),
  "Whether it sees pictures. auto: as the tables say.",
  { words: { true: "yes", false: "no" } },
);
const apiMode = setting(
  z.enum(["auto", "chat_completions", "codex_responses", "anthropic_messages", "gemini"]).default("auto"),
  "The protocol. auto: as the provider and the address say.",
);
const extraBody = setting(
  z.record(z.string(), setting(anything, "Its value.")),
  "Fields that are added to every request.",
);
const key = text("The key itself; better: key_env, .env or `hermes auth add`. It goes to base_url and nowhere else.");
const keyEnv = text("Name of the variable with the key. It goes to base_url and nowhere else.");

export const model = setting(
  z.object({
    default: text(
      "The model: provider/model, a model of `provider`, or an alias. Empty: found by the keys that are there.",
      "HERMES_INFERENCE_MODEL",
    ),
    provider: text("The provider, by its id or alias. Empty or auto: as `default` says.", "HERMES_INFERENCE_PROVIDER"),
    base_url: text("Another address for this provider, or a server of your own. Its key must be given for it."),
    api_key: key,
    key_env: keyEnv,
    api_mode: apiMode,
    context_length: tokens("Window in tokens. 0: learned, or as the tables say."),
    max_tokens: tokens("Most tokens of an answer. 0: as the provider has it."),
    supports_vision: vision,
    aliases: setting(
      z.record(z.string(), setting(z.string().min(1).max(400), "provider/model.")),
      "Names of your own for models.",
    ),
  }),
  "Which model answers. A plain text stands for `default`.",
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
      "A model; a plain text stands for `model`.",
      { shorthand: "model" },
    ),
  ),
  "Names of your own for models, with provider and address.",
);

export const providers = setting(
  z.record(
    z.string(),
    z.object({
      base_url: text("Another address. Keys of the provider are not sent there; give one here."),
      api_key: key,
      key_env: keyEnv,
      api_mode: apiMode,
      headers: setting(
        z.record(z.string(), setting(z.string().max(8_192), "Its value.")),
        "Headers of every request, in place of ours.",
      ),
      extra_body: extraBody,
      sign_in: setting(
        z.object({
          client_id: text("The id that this provider knows the program by, from its page for developers."),
          device_url: text("Where a code to be typed in a browser is fetched."),
          authorize_url: text("The page that sends the browser back to this machine."),
          token_url: text("Where tokens are fetched and renewed."),
          scope: text("What is asked for, words with blanks between them."),
          redirect_url: text("Where the browser is sent back to, on this machine. Empty: a free port."),
        }),
        "Signing in with a browser (`hermes auth add PROVIDER --oauth`), in place of what is known of the provider.",
      ),
      request_timeout_seconds: seconds("Longest time of one request. 0: 1800."),
      stale_timeout_seconds: seconds("Longest silence of an answer. 0: 180, on this machine 1800."),
      models: setting(
        z.record(
          z.string(),
          z.object({
            context_length: tokens("Window in tokens."),
            supports_vision: vision,
            timeout_seconds: seconds("Longest time of one request."),
          }),
        ),
        "Single models.",
      ),
    }),
  ),
  "Single providers by id; an id that is not known is a provider of your own and needs base_url.",
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
        .catchall(anything),
    )
    .default([]),
  "Servers of your own, chosen as custom:NAME or custom:NAME:MODEL. `models` and `extra_body` as in `providers`.",
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
        .catchall(anything),
    )
    .default([]),
  "Models that are asked, in this order, when the first cannot answer. See `hermes fallback`.",
);

export const credential_pool_strategies = setting(
  z.record(
    z.string(),
    setting(
      z.enum(["fill_first", "round_robin", "least_used", "random"]),
      "Which of its keys is used next. fill_first: the first until it is used up.",
    ),
  ),
  "Providers with several keys.",
);

export const prompt_caching = setting(
  z.object({
    cache_ttl: setting(
      z.enum(["5m", "1h", "off"]).default("5m"),
      "How long a provider that is told keeps the beginning of a conversation. off: it is not told.",
      { words: { false: "off", true: "5m" } },
    ),
  }),
  "The provider's cache of prompts.",
);

const dollars = (about: string) => setting(z.number().min(0).max(1_000_000).nullable().default(null), about);

export const model_overrides = setting(
  z.record(
    z.string(),
    z.object({
      context_length: tokens("Window in tokens."),
      max_output_tokens: tokens("Most tokens of an answer."),
      supports_vision: vision,
      price_input: dollars("US dollars for a million tokens that are sent."),
      price_output: dollars("US dollars for a million tokens that are answered."),
      price_cache_read: dollars("US dollars for a million tokens from the provider's cache."),
      price_cache_write: dollars("US dollars for a million tokens that are put there."),
    }),
  ),
  "Facts and prices of single models, by provider/model or by model, in place of those of the tables.",
);

export const model_catalog = setting(
  z.object({
    enabled: setting(
      z.boolean().default(true),
      "Whether the list of the provider's models, with windows and prices, is fetched again when it is old, beside a conversation.",
    ),
    ttl_hours: setting(z.number().min(1).max(8_760).default(24), "From how many hours on a list is old."),
  }),
  "What is known of models.",
);

const upstreams = (about: string) => setting(z.array(z.string().min(1).max(200)).max(100).default([]), about);

export const provider_routing = setting(
  z.object({
    sort: setting(
      z.enum(["auto", "price", "throughput", "latency"]).default("auto"),
      "By what the next one is chosen.",
    ),
    only: upstreams("No others are asked."),
    ignore: upstreams("Never asked."),
    order: upstreams("Asked first, in this order."),
    require_parameters: setting(z.boolean().default(false), "Only those that know every field of the request."),
    data_collection: setting(
      z.enum(["auto", "allow", "deny"]).default("auto"),
      "Whether those that keep prompts are asked.",
    ),
  }),
  "OpenRouter: who of those behind it answers. Not for questions beside the conversation.",
);

export const bedrock = setting(
  z.object({ region: text("Region of Amazon Bedrock. Empty: AWS_REGION, else us-east-1.") }),
  "Amazon Bedrock.",
);

export const vertex = setting(
  z.object({
    project_id: text("Project of Google Cloud. Empty: GOOGLE_CLOUD_PROJECT."),
    region: text("Region of Vertex AI. Empty: global."),
  }),
  "Google Vertex AI.",
);

export const network = setting(
  z.object({
    ca_bundle: setting(
      z.array(z.string().min(1).max(4_096)).default([]),
      "PEM files with certificate authorities to trust besides the usual ones. SSL_CERT_FILE and REQUESTS_CA_BUNDLE count too.",
    ),
  }),
  "How the network is reached. HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY are honoured.",
);
