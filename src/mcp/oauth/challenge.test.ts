import assert from "node:assert/strict";
import { test } from "node:test";

import { joinScopes, readChallenge, scopeOf } from "./challenge.ts";

test("a Bearer challenge is parsed with or without quotes and among other schemes", () => {
  assert.deepEqual(
    readChallenge(
      'Bearer realm="a, b", error="insufficient_scope", scope="x  y x", resource_metadata="https://a/b?c=d"',
    ),
    { error: "insufficient_scope", scope: "x y", resourceMetadata: "https://a/b?c=d" },
  );
  assert.deepEqual(readChallenge("bearer scope=read,error=invalid_token"), { error: "invalid_token", scope: "read" });
  assert.deepEqual(readChallenge('Basic realm="scope=x", Bearer scope="y", Digest scope="z"'), { scope: "y" });
  assert.deepEqual(readChallenge('Basic scope="x"'), {});
  assert.deepEqual(readChallenge(null), {});
});

test("parsing a header without a challenge returns an empty challenge, in little time", () => {
  for (const nonsense of [
    "",
    "Bearer",
    "=",
    '"""',
    "Bearer scope=",
    `Bearer ${"a".repeat(100_000)}`,
    `Bearer ${'"\\'.repeat(50_000)}`,
  ])
    assert.deepEqual(readChallenge(nonsense), {});
});

test("scopes with control characters or quotes are rejected", () => {
  assert.equal(scopeOf("read \u001b[2J"), undefined);
  assert.equal(scopeOf('re"ad'), undefined);
  assert.equal(scopeOf("x".repeat(5_000)), undefined);
  assert.equal(scopeOf(7), undefined);
  assert.equal(scopeOf(" "), undefined);
  assert.equal(joinScopes("a b", undefined, "b c"), "a b c");
});
