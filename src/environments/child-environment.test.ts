import assert from "node:assert/strict";
import { test } from "node:test";

import { childVariables, isWithheld } from "./child-environment.ts";

test("commands do not get provider keys and platform tokens, but get the user's own variables", () => {
  const withheld = [
    "OPENAI_API_KEY",
    "ANTHROPIC_TOKEN",
    "OPENROUTER_API_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_BEARER_TOKEN_BEDROCK",
    "AZURE_OPENAI_API_KEY",
    "AZURE_CLIENT_SECRET",
    "SLACK_APP_TOKEN",
    "MODAL_TOKEN_ID",
    "MODAL_TOKEN_SECRET",
    "EMAIL_PASSWORD",
    "HASS_TOKEN",
    "GITHUB_APP_PRIVATE_KEY_PATH",
    "AUXILIARY_VISION_BASE_URL",
    "GATEWAY_RELAY_X_SECRET",
    "HERMES_SESSION_ID",
    "_HERMES_FORCE_OPENAI_API_KEY",
    "VIRTUAL_ENV",
  ];
  assert.deepEqual(
    withheld.filter((name) => !isWithheld(name)),
    [],
  );
  const seen = [
    "PATH",
    "HOME",
    "LANG",
    "NPM_TOKEN",
    "DATABASE_URL",
    "AWS_REGION",
    "HERMES_HOME",
    "SSH_AUTH_SOCK",
    "EMAIL",
  ];
  assert.deepEqual(seen.filter(isWithheld), []);
});

test("variables listed in `env_passthrough` are passed if they are set", () => {
  const env = { GH_TOKEN: "t", PATH: "/bin", GONE: undefined };
  assert.deepEqual(
    [...childVariables(env, ["GH_TOKEN", "GONE"])],
    [
      ["GH_TOKEN", "t"],
      ["PATH", "/bin"],
    ],
  );
});
