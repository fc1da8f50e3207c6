import assert from "node:assert/strict";
import { test } from "node:test";

import { createValueMask } from "./mask-values.ts";

const show = createValueMask({ values: ["a-known-secret"] });

test("a value is hidden by its name, even below a section or in a list of that name", () => {
  assert.deepEqual(show("providers.x", { api_key: "k", headers: { Authorization: "Bearer k" }, model: "m" }), {
    api_key: "***",
    headers: { Authorization: "***" },
    model: "m",
  });
  assert.deepEqual(show("credentials", { a: ["one", { b: "two" }], pin: 1234 }), {
    a: ["***", { b: "***" }],
    pin: "***",
  });
  assert.equal(show("providers.x.api_key", "${OPENAI_API_KEY}"), "${OPENAI_API_KEY}");
});

test("a known secret is masked at any position", () => {
  assert.equal(show("note", "see a-known-secret there"), "see *** there");
});

test("secrets in URLs, after flags and after Bearer are masked, and other text is not", () => {
  assert.deepEqual(
    show("args", [
      "--token",
      "abc",
      "--api-key=abc",
      "--port",
      "80",
      "https://u:p@host/v1?api_key=abc&v=2",
      "Bearer abc",
    ]),
    ["--token", "***", "--api-key=***", "--port", "80", "https://***@host/v1?api_key=***&v=2", "Bearer ***"],
  );
});
