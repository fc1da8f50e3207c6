import assert from "node:assert/strict";
import { test } from "node:test";

import { withKnownIds } from "./known-ids.ts";
import type { ModelOverride, ProviderSettings } from "./model-settings.ts";

const at = (base_url: string) => ({ base_url }) as ProviderSettings;
const window = (context_length: number) => ({ context_length }) as ModelOverride;

test("what is said of a provider under an alias counts, and what stands under its id wins", () => {
  const known = withKnownIds({
    providers: {
      Claude: at("http://one"),
      openai: at("http://two"),
      "openai-api": at("http://three"),
      lab: at("http://four"),
    },
    credential_pool_strategies: { or: "random" },
    model_overrides: {
      "openai/gpt-x": window(1),
      "claude/opus": window(2),
      "anthropic/opus": window(3),
      "m:7b": window(4),
    },
  });
  assert.deepEqual(known, {
    providers: { anthropic: at("http://one"), "openai-api": at("http://three"), lab: at("http://four") },
    credential_pool_strategies: { openrouter: "random" },
    model_overrides: {
      "openai-api/gpt-x": window(1),
      "openai/gpt-x": window(1),
      "claude/opus": window(2),
      "anthropic/opus": window(3),
      "m:7b": window(4),
    },
  });
});
