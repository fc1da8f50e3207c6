import assert from "node:assert/strict";
import { test } from "node:test";

import { asId, type CallId, type SessionId } from "../base/ids.ts";
import type { PolicyRequest } from "../contracts/approval.ts";
import type { Effect } from "../contracts/effect.ts";
import type { Origin } from "../contracts/principal.ts";
import { readsOnlyPolicy } from "./reads-only-policy.ts";

function decide(effects: readonly Effect[], origin: Origin, more: Partial<PolicyRequest> = {}) {
  const request: PolicyRequest = {
    sessionId: asId<SessionId>("ses"),
    callId: asId<CallId>("call"),
    principal: { id: "local:test" },
    tool: "write_file",
    args: {},
    effects,
    origin,
    backend: "local",
    tainted: [],
    ...more,
  };
  return readsOnlyPolicy.decide(request, new AbortController().signal);
}

const read: Effect = { kind: "read", path: "/a" };
const write: Effect = { kind: "write", path: "/a" };

test("reading, and doing nothing, is allowed to everyone", async () => {
  for (const origin of ["model", "script", "client", "schedule", "plugin", "user"] as const) {
    assert.deepEqual(await decide([], origin), { decision: "allow" });
    assert.deepEqual(await decide([read], origin), { decision: "allow" });
  }
});

test("anything else is denied unless a person typed it, and the reason says what, why and what to do", async () => {
  for (const origin of ["model", "script", "client", "schedule", "plugin"] as const) {
    assert.deepEqual(await decide([read, write], origin), {
      decision: "deny",
      rule: "reads-only",
      reason:
        "Denied: write_file writes /a. Only reading is allowed without a person to approve. " +
        "A person can run it with: hermes tools call write_file",
    });
    assert.equal((await decide([{ kind: "opaque" }], origin)).decision, "deny");
  }
  assert.deepEqual(await decide([write], "user"), { decision: "allow" });
});

test("a hook's question with nobody to ask is a no", async () => {
  const askedBy = [{ hook: "careful", reason: "looks odd" }];
  assert.equal((await decide([read], "model", { askedBy })).decision, "deny");
  assert.equal((await decide([read], "user", { askedBy })).decision, "allow");
});
