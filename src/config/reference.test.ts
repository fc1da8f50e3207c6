import assert from "node:assert/strict";
import { test } from "node:test";

import { Validator } from "@cfworker/json-schema";

import { configJsonSchema } from "./json-schema.ts";
import { keyText } from "./key-path.ts";
import { isOriginalKey } from "./original-keys.ts";
import { configReference, environmentReference } from "./reference.ts";
import { checkValue } from "./rule.ts";
import { keyTree, leaves } from "./schema.ts";
import { isSecretName } from "./secret-names.ts";

test("every key is in the reference with a text, and every environment name too", () => {
  const config = configReference();
  const environment = environmentReference();
  for (const { path, leaf } of leaves(keyTree())) {
    assert.ok(config.includes(`\`${path.map((part) => (part === "*" ? "NAME" : part)).join(".")}\``), keyText(path));
    assert.notEqual(leaf.about, "", keyText(path));
    if (leaf.env !== undefined) assert.ok(environment.includes(`\`${leaf.env}\``));
  }
});

test("every default is a value that its own schema accepts", () => {
  for (const { path, leaf } of leaves(keyTree())) {
    if (leaf.initial !== undefined) assert.ok(checkValue(leaf.rule, leaf.initial).ok, keyText(path));
  }
});

test("no key is both used and on the list of those that are not", () => {
  for (const { path } of leaves(keyTree())) assert.ok(!isOriginalKey(path), keyText(path));
});

test("the JSON Schema accepts what a user writes and refuses what a safety section does not know", () => {
  const schema = configJsonSchema();
  const validator = new Validator(schema, "2020-12");
  assert.ok(validator.validate({ logging: { level: "debug" }, terminal: { backend: "docker" }, approvals: {} }).valid);
  assert.ok(validator.validate({ approvals: { mode: false }, tools: { tool_search: true } }).valid);
  assert.ok(!validator.validate({ approvals: { mod: "manual" } }).valid);
  assert.ok(!validator.validate({ logging: { level: "loud" } }).valid);
  assert.ok(!JSON.stringify(schema).includes('"rules"'));
});

test("names tell secrets from settings", () => {
  for (const name of [
    "OPENAI_API_KEY",
    "api_key",
    "TELEGRAM_BOT_TOKEN",
    "client_secret",
    "SUDO_PASSWORD",
    "AWS_SECRET_ACCESS_KEY",
    "apiKey",
    "OPENAI_API_KEY_2",
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
    "key_env",
    "password_file",
  ]) {
    assert.ok(!isSecretName(name), name);
  }
});
