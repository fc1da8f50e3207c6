import assert from "node:assert/strict";
import { test } from "node:test";

import { createSecrets } from "./secrets.ts";

const valuesOf = (env: Readonly<Record<string, string>>, tree: unknown = {}) =>
  createSecrets({ env, file: "/home/.env", fromFile: new Set(), faults: [], warnings: [] }, tree).values.toSorted();

test("values of secret names are known, each of a list too, and what stands behind Bearer", () => {
  assert.deepEqual(
    valuesOf({ API_KEYS: "first-one,second-one", LANG: "C.UTF-8", SLACK_WEBHOOK: "https://h.test/x1" }),
    ["first-one", "first-one,second-one", "https://h.test/x1", "second-one"],
  );
  const tree = { mcp: { headers: { Authorization: "Bearer abcdef" }, env: { A_TOKEN: "123456" } } };
  assert.deepEqual(valuesOf({}, tree), ["123456", "Bearer abcdef", "abcdef"]);
});

test("a password in an address is known whatever its name is, also as it is written without percent signs", () => {
  assert.deepEqual(valuesOf({ DATABASE_URL: "postgres://app:p%40ssw0rd@db/x" }, { url: "http://a:inSettings@h" }), [
    "inSettings",
    "p%40ssw0rd",
    "p@ssw0rd",
  ]);
});

test("words that everybody uses on his own machine are no secrets", () => {
  assert.deepEqual(valuesOf({ DB_PASSWORD: "postgres", URL: "postgres://postgres:password@localhost/x" }), []);
});
