import assert from "node:assert/strict";
import { test } from "node:test";

import { withCanonicalIds } from "./known-ids.ts";
import type { ModelOverride, ProviderSettings } from "./model-settings.ts";

const withUrl = (base_url: string) => ({ base_url }) as ProviderSettings;
const window = (context_length: number) => ({ context_length }) as ModelOverride;

test("settings under an alias of a provider apply, and settings under its id take precedence", () => {
  const renamed = withCanonicalIds({
    providers: {
      Claude: withUrl("http://one"),
      openai: withUrl("http://two"),
      "openai-api": withUrl("http://three"),
      lab: withUrl("http://four"),
    },
    credential_pool_strategies: { or: "random" },
    model_overrides: {
      "openai/gpt-x": window(1),
      "claude/opus": window(2),
      "anthropic/opus": window(3),
      "m:7b": window(4),
    },
  });
  assert.deepEqual(renamed, {
    providers: { anthropic: withUrl("http://one"), "openai-api": withUrl("http://three"), lab: withUrl("http://four") },
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
