import type { ProviderProfile } from "../../contracts/plugin/plugin.ts";
import type { EndpointRow } from "./endpoint-row.ts";
import { protocolOf } from "./make-route.ts";
import type { ApiMode } from "./model-settings.ts";

/** Creates the row of a provider that a plugin describes. */
export function rowOfProfile(profile: ProviderProfile): EndpointRow {
  const { name, models, temperature, vision, auxModel, modelsUrl } = profile;
  const [defaultModel] = models;
  const protocol = protocolOf(modes.get(profile.apiMode));
  return {
    id: name,
    title: profile.title,
    aliases: profile.aliases.map((alias) => alias.toLowerCase()),
    baseUrl: profile.baseUrl,
    keyVars: profile.keyVars,
    keyless: profile.keyVars.length === 0,
    isExplicitOnly: true,
    headers: profile.headers,
    quirks: {
      imagesInToolResults: profile.hasImagesInResults,
      ...(temperature !== undefined && { temperature }),
      ...(profile.hasCacheKey && { conversationField: "prompt_cache_key" }),
    },
    curated: models,
    ...(protocol && { protocol }),
    ...(defaultModel !== undefined && { defaultModel }),
    ...(auxModel !== undefined && { auxModel }),
    ...(vision !== undefined && { vision }),
    ...(modelsUrl !== "" && { modelsUrl }),
    ...(profile.signUpUrl !== "" && { signUpUrl: profile.signUpUrl }),
  };
}

/** Maps the names of the Python version and of the settings to protocols. */
const modes: ReadonlyMap<string, ApiMode> = new Map([
  ["chat_completions", "chat_completions"],
  ["codex_responses", "codex_responses"],
  ["responses", "codex_responses"],
  ["anthropic_messages", "anthropic_messages"],
  ["gemini", "gemini"],
]);
