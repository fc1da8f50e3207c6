import assert from "node:assert/strict";
import { test } from "node:test";

import * as fc from "fast-check";

import type { JsonObject } from "../../base/json.ts";
import type { ModelError, ModelRequest } from "../../contracts/model/model.ts";
import { backOffMs } from "./back-off.ts";
import { errorPlans } from "./error-plans.ts";
import { simplifyTools, repairs } from "./repairs.ts";
import { estimateUsage, withCost } from "./usage-cost.ts";

const request: ModelRequest = {
  model: "m",
  system: [{ text: "be good" }],
  messages: [{ role: "user", content: [{ type: "text", text: "hello" }] }],
  tools: [],
};

const first = (error: ModelError) => repairs.find((repair) => repair.fits(error, request, {}))?.name;

for (const [message, name] of [
  ["Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", "max-tokens"],
  ["reasoning_effort is not supported by this model", "effort"],
  ["Unrecognized request argument supplied: stream_options", "stream-usage"],
  ["cache_control: Extra inputs are not permitted", "cache"],
  ["'developer' is not one of ['system', 'user']", "developer"],
  ["System role not supported", "system"],
  ["Conversation roles must alternate user/assistant", "turns"],
] as const) {
  test(`after a refusal the request is repaired with ${name}: ${message}`, () => {
    assert.equal(first({ kind: "invalid_request", message }), name);
  });
}

for (const [message, max] of [
  ["max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens for claude-3-5", 8192],
  ["max_tokens is too large: 65536. This model supports at most 16384 completion tokens", 16_384],
  ["Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", 8192],
  [
    "`max_completion_tokens` must be less than or equal to `32768`, the maximum value for `max_completion_tokens` is 32768",
    32_768,
  ],
  ["max_output_tokens must be <= 8192", 8192],
] as const) {
  test(`the requested answer length respects the model's limit: ${message}`, () => {
    const repair = repairs.find((one) => one.fits({ kind: "invalid_request", message }, request, {}));
    assert.deepEqual(repair?.quirks?.({ kind: "invalid_request", message }, {}), { maxOutputTokens: max });
  });
}

test("a damaged image is removed from this request only, and images in later requests are sent", () => {
  const image = { type: "image", mimeType: "image/png", data: "AAAA" } as const;
  const messages = [{ role: "user", content: [image] }] as const;
  const repairOf = (message: string) =>
    repairs.find((one) => one.fits({ kind: "invalid_request", message }, { ...request, messages }, {}));
  for (const message of [
    "Request contains an invalid argument: Invalid PNG image.",
    "The base64 string of provided image cannot be decoded.",
    "Downloaded response does not contain a valid JPG, PNG, WebP, or ICO image.",
    "Could not process image",
  ]) {
    assert.equal(repairOf(message)?.name, "images", message);
    assert.equal(repairOf(message)?.passing, true);
  }
  assert.equal(repairOf("Invalid content type. image_url is only supported by certain models.")?.name, "no-images");
  assert.equal(repairOf("unsupported parameter: foo"), undefined);
});

test("a request that was rejected for an unknown reason is not repaired", () => {
  assert.equal(first({ kind: "invalid_request", message: "no" }), undefined);
  assert.equal(first({ kind: "server", message: "stream_options" }), undefined);
});

test("only error kinds that can be repaired have repairs, and the plan for every kind ends", () => {
  for (const plan of Object.values(errorPlans)) {
    if (plan.retry) assert.ok(plan.fallback, "what is tried again goes to another model at last");
    if (plan.fallback) assert.notEqual(plan.passMs, undefined);
  }
});

test("reasoning of earlier answers is removed in copies of the messages, and other messages stay identical", async () => {
  const repair = repairs.find(({ name }) => name === "earlier-reasoning");
  const user = request.messages[0];
  const plain = { role: "assistant", content: [], calls: [], stop: "end" } as const;
  const signed = { ...plain, reasoning: "hm", provider: { id: "p", data: {} } } as const;
  assert.ok(user && repair?.request);
  const sent = await repair.request(
    { ...request, messages: [user, signed, plain] },
    { kind: "reasoning_rejected", message: "" },
    new AbortController().signal,
  );
  assert.equal(sent.messages[0], user);
  assert.deepEqual(sent.messages[1], plain);
  assert.equal(sent.messages[2], plain);
});

test("simplified schemas keep the names and types of all properties, whatever their names", () => {
  const inputSchema: JsonObject = {
    type: "object",
    properties: {
      format: { type: "string", format: "uri", enum: ["a/b"] },
      title: { type: "array", items: { type: "string", pattern: "x" }, minItems: 1 },
    },
    required: ["format"],
    additionalProperties: false,
  };
  const [tool] = simplifyTools(
    [{ name: "t", description: "d", inputSchema }],
    "'additionalProperties' is unknown, 'type' too",
  );
  assert.deepEqual(tool?.inputSchema, {
    type: "object",
    properties: { format: { type: "string" }, title: { type: "array", items: { type: "string" } } },
    required: ["format"],
  });
});

test("delays grow, stay below a maximum, and are randomised", () => {
  fc.assert(
    fc.property(fc.nat(50), fc.double({ min: 0, max: 0.999, noNaN: true }), (retries, chance) => {
      const wait = backOffMs(retries, 5_000, () => chance);
      assert.ok(wait >= 2_500 && wait <= 120_000);
    }),
  );
  assert.deepEqual(
    [0, 1, 2, 9].map((retries) => backOffMs(retries, 5_000, () => 1)),
    [5_000, 10_000, 20_000, 120_000],
  );
});

test("cached tokens have a separate price, and a cost reported by the provider takes precedence", () => {
  const usage = { input: 1_000_000, output: 1_000_000, cacheRead: 400_000, cacheWrite: 100_000, reasoning: 0 };
  const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
  assert.equal(withCost(usage, price).costUsd, 0.5 * 3 + 0.4 * 0.3 + 0.1 * 3.75 + 15);
  assert.equal(withCost(usage, price, "1h").costUsd, 0.5 * 3 + 0.4 * 0.3 + 0.1 * 6 + 15);
  assert.equal(withCost({ ...usage, costUsd: 1 }, price).costUsd, 1);
  assert.equal(withCost(usage, undefined).costUsd, undefined);
  assert.equal(withCost({ ...usage, cacheRead: 2_000_000 }, { input: 1, output: 0 }).costUsd, 2.1);
  const long = { above: 200_000, input: 6, output: 30, cacheRead: 0.6 };
  assert.equal(withCost(usage, { ...price, long }).costUsd, 0.5 * 6 + 0.4 * 0.6 + 0.1 * 3.75 + 30);
  assert.equal(
    withCost({ ...usage, input: 200_000, cacheRead: 0, cacheWrite: 0 }, { ...price, long }).costUsd,
    0.6 + 15,
  );
});

test("if the provider reports no usage, it is estimated and marked as estimated", () => {
  const answer = {
    role: "assistant",
    content: [{ type: "text", text: "x".repeat(400) }],
    calls: [],
    stop: "end",
  } as const;
  const usage = estimateUsage(request, answer);
  assert.ok(usage.estimated && usage.output >= 100 && usage.output < 110 && usage.input > 2);
});
