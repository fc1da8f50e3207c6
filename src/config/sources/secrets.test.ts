import assert from "node:assert/strict";
import { test } from "node:test";

import { createSecrets } from "./secrets.ts";

const valuesOf = (env: Readonly<Record<string, string>>, tree: unknown = {}) =>
  createSecrets({ env, file: "/home/.env", fromFile: new Set(), faults: [], warnings: [] }, tree).values.toSorted();

test("values with secret names are masked, including each entry of a list and the text after Bearer", () => {
  assert.deepEqual(
    valuesOf({ API_KEYS: "first-one,second-one", LANG: "C.UTF-8", SLACK_WEBHOOK: "https://h.test/x1" }),
    ["first-one", "first-one,second-one", "https://h.test/x1", "second-one"],
  );
  const tree = { mcp: { headers: { Authorization: "Bearer abcdef" }, env: { A_TOKEN: "123456" } } };
  assert.deepEqual(valuesOf({}, tree), ["123456", "Bearer abcdef", "abcdef"]);
});

test("a password in a URL is masked under any name, even percent-decoded", () => {
  assert.deepEqual(valuesOf({ DATABASE_URL: "postgres://app:p%40ssw0rd@db/x" }, { url: "http://a:inSettings@h" }), [
    "inSettings",
    "p%40ssw0rd",
    "p@ssw0rd",
  ]);
});

test("common words such as the user name are not secrets", () => {
  assert.deepEqual(valuesOf({ DB_PASSWORD: "postgres", URL: "postgres://postgres:password@localhost/x" }), []);
});
