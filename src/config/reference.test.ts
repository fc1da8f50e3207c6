import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";

import { Validator } from "@cfworker/json-schema";

import type { JsonValue } from "../base/json.ts";
import { configJsonSchema } from "./json-schema.ts";
import { coerceSetting } from "./keys/coerce.ts";
import { withValue } from "./keys/deprecated-keys.ts";
import { keyText } from "./keys/key-path.ts";
import { isOriginalKey, originalKeys } from "./keys/original-keys.ts";
import { checkValue } from "./keys/rule.ts";
import { isSecretName } from "./keys/secret-names.ts";
import { waitingKeyOf, waitingKeys } from "./keys/waiting-keys.ts";
import { configReference, environmentReference } from "./reference.ts";
import { keyTree, leaves } from "./schema.ts";
import { readLayer } from "./sources/layer.ts";

test("every key and every environment name is in the reference with a description", () => {
  const config = configReference();
  const environment = environmentReference([]);
  for (const { path, leaf } of leaves(keyTree())) {
    assert.ok(config.includes(`\`${path.map((part) => (part === "*" ? "NAME" : part)).join(".")}\``), keyText(path));
    assert.notEqual(leaf.about, "", keyText(path));
    if (leaf.env !== undefined && waitingKeyOf(keyText(path)) === undefined)
      assert.ok(environment.includes(`\`${leaf.env}\``));
  }
});

test("every key without effect exists, and the reference names the missing feature", () => {
  const keys = leaves(keyTree()).map(({ path }) => keyText(path));
  for (const [key, feature] of Object.entries(waitingKeys)) {
    assert.ok(
      keys.some((each) => waitingKeyOf(each) === key),
      key,
    );
    assert.ok(configReference().includes(`**No effect yet: waits for ${feature}.**`), key);
  }
});

test("every default is valid in its own schema", () => {
  for (const { path, leaf } of leaves(keyTree())) {
    if (leaf.initial !== undefined && leaf.initial !== null)
      assert.ok(checkValue(leaf.rule, leaf.initial).ok, keyText(path));
  }
});

test("no used key is on the list of unused keys", () => {
  for (const { path } of leaves(keyTree())) assert.ok(!isOriginalKey(path), keyText(path));
});

test("the JSON Schema accepts valid settings and rejects unknown keys of a safety section", () => {
  const schema = configJsonSchema();
  const validator = new Validator(schema, "2020-12");
  assert.ok(validator.validate({ logging: { level: "debug" }, terminal: { backend: "docker" }, approvals: {} }).valid);
  assert.ok(validator.validate({ approvals: { mode: false }, tools: { tool_search: true } }).valid);
  assert.ok(!validator.validate({ approvals: { mod: "manual" } }).valid);
  assert.ok(!validator.validate({ logging: { level: "loud" } }).valid);
  assert.ok(!JSON.stringify(schema).includes('"rules"'));
});

test("the JSON Schema and the loader agree on every key and value", () => {
  const validator = new Validator(configJsonSchema(), "2020-12");
  const root = keyTree();
  const words = ["web", "", "a,b", "a b", "x".repeat(500), 1, null];
  const texts = ["debug", "manual", "off", "on", "deny", "tirith", "", "a b", "x".repeat(400)];
  const numbers = [-1, 0, 0.05, 0.5, 1, 2.5, 5, 49, 50, 51, 60_001, 86_401, 1e8, 1e9];
  const values: readonly JsonValue[] = [
    ...texts,
    ...numbers,
    true,
    false,
    [],
    {},
    { a: 1 },
    ...words.map((word) => [word]),
    ...words.flatMap((first) => words.map((second) => [first, second])),
  ];
  for (const { path: pattern, leaf } of leaves(root)) {
    const path = pattern.map((part) => (part === "*" ? "x" : part));
    for (const request of values) {
      const tree = withValue({}, path, request);
      const { faults, warnings } = readLayer(
        root,
        tree,
        () => ({}),
        (text) => text,
      );
      const isAccepted = faults.length === 0 && warnings.length === 0;
      const { valid } = validator.validate(tree);
      // Lenient forms (`yes`, one string for a list) are for people; editors offer the plain form.
      if (valid || isDeepStrictEqual(coerceSetting(leaf, request), request))
        assert.equal(valid, isAccepted, JSON.stringify(tree));
    }
  }
});

test("the JSON Schema knows the original's keys, even inside safety sections", () => {
  const validator = new Validator(configJsonSchema(), "2020-12");
  for (const key of originalKeys) {
    const tree = withValue({}, key.replace("*", "some_plugin").split("."), "anything");
    assert.ok(validator.validate(tree).valid, key);
  }
});

test("secrets are recognised by their names", () => {
  for (const name of [
    "OPENAI_API_KEY",
    "api_key",
    "TELEGRAM_BOT_TOKEN",
    "client_secret",
    "SUDO_PASSWORD",
    "AWS_SECRET_ACCESS_KEY",
    "apiKey",
    "OPENAI_API_KEY_2",
    "PGPASSWORD",
    "MYSQL_PWD",
    "SMTP_PASS",
    "REDISCLI_AUTH",
    "Authorization",
    "API_KEYS",
    "SLACK_WEBHOOK_URL",
    "X-Api-Key",
  ]) {
    assert.ok(isSecretName(name), name);
  }
  for (const name of [
    "max_tokens",
    "listing_max_tokens",
    "record_key",
    "redact_secrets",
    "TERMINAL_TIMEOUT",
    "monkey",
    "PWD",
    "OLDPWD",
    "SSH_AUTH_SOCK",
    "auth",
    "compass",
    "tokens",
    "key_env",
    "password_file",
  ]) {
    assert.ok(!isSecretName(name), name);
  }
});
