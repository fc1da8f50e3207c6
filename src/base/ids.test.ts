import assert from "node:assert/strict";
import { test } from "node:test";

import { asId, type CallId, newId } from "./ids.ts";

test("ids have their prefix and 20 characters, and are unique", () => {
  const ids = new Set(Array.from({ length: 5_000 }, () => newId<CallId>("call")));
  assert.equal(ids.size, 5_000);
  for (const id of ids) assert.match(id, /^call_[0-9a-hjkmnp-tv-z]{20}$/u);
});

test("asId returns an id from outside unchanged", () => {
  assert.equal(asId<CallId>("toolu_01"), "toolu_01");
});
