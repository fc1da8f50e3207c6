import assert from "node:assert/strict";
import { test } from "node:test";

import { resetsAt, retryAfterMs } from "./retry-after.ts";

const now = Date.parse("2026-01-01T00:00:00Z");

test("the wait is read from seconds, dates, milliseconds and words", () => {
  assert.equal(retryAfterMs({ "retry-after": "12" }, "", now), 12_000);
  assert.equal(retryAfterMs({ "retry-after": "0.5" }, "", now), 500);
  assert.equal(retryAfterMs({ "retry-after": "Thu, 01 Jan 2026 00:00:30 GMT" }, "", now), 30_000);
  assert.equal(retryAfterMs({ "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" }, "", now), 0);
  assert.equal(retryAfterMs({ "retry-after-ms": "250", "retry-after": "9" }, "", now), 250);
  assert.equal(retryAfterMs({}, "Please try again in 6m0s.", now), 360_000);
  assert.equal(retryAfterMs({}, "Please retry in 34.07s.", now), 34_070);
  assert.equal(retryAfterMs({}, "try again later", now), undefined);
  assert.equal(retryAfterMs({ "retry-after": "soon" }, "", now), undefined);
  assert.equal(retryAfterMs({ "retry-after": "1e99" }, "", now), undefined);
});

test("the reset is that of the limit that is used up", () => {
  const soon = "2026-01-01T00:01:00Z";
  assert.equal(
    resetsAt(
      {
        "anthropic-ratelimit-requests-remaining": "5",
        "anthropic-ratelimit-requests-reset": "2026-01-01T01:00:00Z",
        "anthropic-ratelimit-tokens-remaining": "0",
        "anthropic-ratelimit-tokens-reset": soon,
      },
      undefined,
      now,
    ),
    Date.parse(soon),
  );
  const openai = { "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1m30s" };
  assert.equal(resetsAt(openai, undefined, now), now + 90_000);
  assert.equal(resetsAt({ "x-ratelimit-reset": String(now + 5000) }, undefined, now), now + 5000);
  assert.equal(resetsAt({ "x-ratelimit-reset": String(now / 1000 + 5) }, undefined, now), now + 5000);
  assert.equal(resetsAt({}, { error: { resets_at: now / 1000 + 60 } }, now), now + 60_000);
  assert.equal(resetsAt({ "x-ratelimit-reset": "1" }, undefined, now), now + 1000);
  assert.equal(resetsAt({ "x-ratelimit-reset": "never" }, undefined, now), undefined);
});
