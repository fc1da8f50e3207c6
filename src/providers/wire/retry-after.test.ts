import assert from "node:assert/strict";
import { test } from "node:test";

import { resetsAt, retryAfterMs } from "./retry-after.ts";

const now = Date.parse("2026-01-01T00:00:00Z");

test("the delay is parsed from seconds, dates, milliseconds and words", () => {
  const wait = (headers: Readonly<Record<string, string>>, message = "", body?: unknown) =>
    retryAfterMs(headers, body, message, now);
  assert.equal(wait({ "retry-after": "12" }), 12_000);
  assert.equal(wait({ "retry-after": "0.5" }), 500);
  assert.equal(wait({ "retry-after": "Thu, 01 Jan 2026 00:00:30 GMT" }), 30_000);
  assert.equal(wait({ "retry-after": "0" }, "retry in 20s"), 20_000);
  assert.equal(wait({ "retry-after-ms": "250", "retry-after": "9" }), 250);
  assert.equal(wait({}, "", { error: { retry_after: 7 } }), 7_000);
  for (const [text, ms] of [
    ["Please try again in 6m0s.", 360_000],
    ["Please retry in 34.07s.", 34_070],
    ["retry in 500 milliseconds", 500],
    ["Weekly usage limit reached. Resets in 6hr 29min.", 23_340_000],
    ["usage limit reached, reset after 3600s", 3_600_000],
    ["available in 42 minutes", 2_520_000],
    ["Please wait 20 seconds and try again", 20_000],
    ["try again in 2 days", 172_800_000],
    ['[{"quotaResetDelay":"120s"},{"retryDelay":"30s"}]', 30_000],
    ['[{"quotaResetDelay":"45.5s"}]', 45_500],
    ['Your quota will reset after 0s. [{"retryDelay":"0.53s"}]', 530],
  ] as const)
    assert.equal(wait({}, text), ms, text);
});

test("if the response has no retry time, the caller chooses the delay", () => {
  const wait = (headers: Readonly<Record<string, string>>, message = "") =>
    retryAfterMs(headers, undefined, message, now);
  assert.equal(wait({ "retry-after": "0" }), undefined);
  assert.equal(wait({ "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" }), undefined);
  assert.equal(wait({}, "try again later"), undefined);
  assert.equal(wait({}, "try again in 3 months"), undefined);
  assert.equal(wait({ "retry-after": "soon" }), undefined);
  assert.equal(wait({ "retry-after": "1e99" }), undefined);
});

test("if several limits are reported, the reset time of the exhausted one is used", () => {
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
  const hourly = { "x-ratelimit-remaining-tokens-1h": "0", "x-ratelimit-reset-tokens-1h": "3490.5" };
  assert.equal(resetsAt(hourly, undefined, now), now + 3_490_500);
  const unified = {
    "anthropic-ratelimit-unified-5h-status": "rejected",
    "anthropic-ratelimit-unified-5h-reset": String(now / 1000 + 900),
    "anthropic-ratelimit-unified-7d-status": "allowed",
    "anthropic-ratelimit-unified-7d-reset": String(now / 1000 + 90_000),
  };
  assert.equal(resetsAt(unified, undefined, now), now + 900_000);
  const details = [{ "@type": "x" }, { metadata: { quotaResetTimeStamp: "2026-01-01T09:00:00Z" } }];
  assert.equal(resetsAt({}, { error: { code: 429, details } }, now), now + 9 * 3_600_000);
  assert.equal(resetsAt({ "x-ratelimit-reset": "1" }, undefined, now), now + 1000);
  assert.equal(resetsAt({ "x-ratelimit-reset": "never" }, undefined, now), undefined);
});
