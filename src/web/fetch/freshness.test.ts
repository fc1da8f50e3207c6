import assert from "node:assert/strict";
import { test } from "node:test";

import { freshnessOf, requestedRestMs } from "./freshness.ts";

const now = Date.parse("2026-11-17T00:00:00Z");
const fresh = (headers: Record<string, string>) => freshnessOf(headers, now).freshUntil - now;

test("a page stays fresh for its max-age minus its age, or until it expires", () => {
  assert.equal(fresh({ "cache-control": "public, max-age=60", age: "20" }), 40_000);
  assert.equal(fresh({ expires: "Tue, 17 Nov 2026 00:10:00 GMT", date: "Tue, 17 Nov 2026 00:09:00 GMT" }), 60_000);
  assert.equal(fresh({ "cache-control": "max-age=0", expires: "Tue, 17 Nov 2026 00:10:00 GMT" }), 0);
  assert.equal(fresh({}), 0);
  assert.ok(fresh({ "cache-control": "no-cache, max-age=60" }) < 0);
});

test("no-store and Vary: * forbid storing", () => {
  assert.equal(freshnessOf({ "cache-control": "No-Store" }, now).isStorable, false);
  assert.equal(freshnessOf({ vary: "*" }, now).isStorable, false);
  assert.equal(freshnessOf({ vary: "accept" }, now).isStorable, true);
});

test("Retry-After is given in seconds or as a date", () => {
  assert.equal(requestedRestMs("3", now), 3_000);
  assert.equal(requestedRestMs("Tue, 17 Nov 2026 00:00:05 GMT", now), 5_000);
  assert.equal(requestedRestMs("soon", now), undefined);
});
