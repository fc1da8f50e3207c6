import assert from "node:assert/strict";
import { test } from "node:test";

import * as fc from "fast-check";

import type { ModelError, ModelErrorKind, ModelRequest } from "../../contracts/model/model.ts";
import { decideRecovery, type FailureContext } from "./decide.ts";
import { errorPlans } from "./error-plans.ts";

const request: ModelRequest = {
  model: "m",
  system: [],
  messages: [{ role: "user", content: [{ type: "image", mimeType: "image/png", data: "" }] }],
  tools: [{ name: "t", description: "", inputSchema: { type: "object" } }],
};
const key = { key: "k1", label: "first", baseUrl: "https://p.example" };
const otherKey = { key: "k2", label: "second", baseUrl: "https://p.example" };

function scene(more: Partial<FailureContext> = {}): FailureContext {
  return {
    request,
    quirks: {},
    repaired: new Set(),
    key,
    otherKey: undefined,
    hasNext: false,
    retries: 0,
    retriesWithKey: 0,
    maxRetries: 3,
    baseMs: 5_000,
    random: () => 1,
    ...more,
  };
}

function decided(error: Partial<ModelError> & Pick<ModelError, "kind">, more: Partial<FailureContext> = {}) {
  const decision = decideRecovery({ message: "no", ...error }, scene(more));
  switch (decision.do) {
    case "rotate":
      return `rotate to ${decision.to.label}`;
    case "retry":
      return `retry after ${decision.waitMs}${decision.keyRests ? ", the key rests" : ""}`;
    default:
      return decision.do;
  }
}

for (const [what, error, more, expected] of [
  ["a limit of the minute is waited for", { kind: "rate_limited" }, { otherKey }, "retry after 5000"],
  [
    "then another key is used",
    { kind: "rate_limited" },
    { otherKey, retries: 1, retriesWithKey: 1 },
    "rotate to second",
  ],
  [
    "without one it is waited for again",
    { kind: "rate_limited" },
    { retries: 1, retriesWithKey: 1 },
    "retry after 10000, the key rests",
  ],
  ["a limit of the plan changes the key", { kind: "rate_limited", plan: true }, { otherKey }, "rotate to second"],
  ["or the model", { kind: "rate_limited", plan: true }, { hasNext: true }, "fall_back"],
  ["or nothing helps", { kind: "rate_limited", plan: true }, {}, "give_up"],
  [
    "a long wait is not worth it with another key",
    { kind: "rate_limited", retryAfterMs: 60_000 },
    { otherKey },
    "rotate to second",
  ],
  ["nor with another model", { kind: "rate_limited", retryAfterMs: 60_000 }, { hasNext: true }, "fall_back"],
  ["but it is when there is nothing else", { kind: "rate_limited", retryAfterMs: 60_000 }, {}, "retry after 60000"],
  ["hours are never waited for", { kind: "overloaded", retryAfterMs: 7_200_000 }, {}, "give_up"],
  ["a refused key gives way at once", { kind: "auth" }, { otherKey, hasNext: true }, "rotate to second"],
  ["and is not tried again", { kind: "auth" }, {}, "give_up"],
  ["a server that fails is tried again", { kind: "server" }, { otherKey, hasNext: true }, "retry after 5000"],
  ["as often as it is allowed", { kind: "server" }, { retries: 3, hasNext: true }, "fall_back"],
  [
    "a certificate that is not trusted is not argued with",
    { kind: "certificate" },
    { otherKey, hasNext: true },
    "give_up",
  ],
  [
    "a conversation that is too long is the caller's",
    { kind: "context_overflow" },
    { otherKey, hasNext: true },
    "tell_caller",
  ],
  ["a request that is too large first loses its pictures", { kind: "payload_too_large" }, {}, "repair"],
] as const satisfies readonly (readonly [
  string,
  Partial<ModelError> & Pick<ModelError, "kind">,
  Partial<FailureContext>,
  string,
])[]) {
  test(what, () => assert.equal(decided(error, more), expected));
}

test("every sequence of errors ends with a final decision", () => {
  const kinds = Object.keys(errorPlans) as ModelErrorKind[];
  const errors = fc.array(
    fc.record({
      kind: fc.constantFrom(...kinds),
      message: fc.constantFrom(
        "image",
        "stream_options",
        "max_tokens",
        "thinking",
        "must",
        "developer",
        "schema",
        "no",
      ),
      plan: fc.boolean(),
      retryAfterMs: fc.option(fc.nat(100_000), { nil: undefined }),
    }),
    { minLength: 100, maxLength: 100 },
  );
  fc.assert(
    fc.property(errors, fc.nat(5), fc.boolean(), (all, otherKeys, hasNext) => {
      const repaired = new Set<string>();
      let [left, retries, retriesWithKey] = [otherKeys, 0, 0];
      const end = all.findIndex(({ retryAfterMs, ...error }) => {
        const decision = decideRecovery(
          { ...error, ...(retryAfterMs !== undefined && { retryAfterMs }) },
          scene({ repaired, otherKey: left > 0 ? otherKey : undefined, hasNext, retries, retriesWithKey }),
        );
        if (decision.do === "repair") repaired.add(decision.repair.name);
        else if (decision.do === "rotate") [left, retriesWithKey] = [left - 1, 0];
        else if (decision.do === "retry") [retries, retriesWithKey] = [retries + 1, retriesWithKey + 1];
        else return true;
        return false;
      });
      assert.ok(end >= 0 && end <= 3 + 5 + 20);
    }),
  );
});
