import assert from "node:assert/strict";
import { test } from "node:test";

import { z } from "zod";

import { call, dispatchRig } from "../../../test/support/dispatch-rig.ts";
import type { PolicyRequest, Verdict } from "../../contracts/safety/approval.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import { text } from "../../contracts/tool/tool-result.ts";

const echo = defineTool({
  name: "echo",
  toolset: "t",
  description: "Says it.",
  input: z.object({ words: z.string().default("hi") }),
  traits: { readOnly: true },
  effects: ({ words }) => [{ kind: "read", path: words }],
  run: async ({ words }) => text(words),
});

async function decided(verdict: Verdict) {
  const requests: PolicyRequest[] = [];
  const rig = dispatchRig([echo], {
    policy: {
      async decide(request) {
        requests.push(request);
        return verdict;
      },
    },
  });
  const result = await rig.dispatcher.dispatch(call("echo"), rig.scope());
  return { request: requests[0], result, written: rig.written };
}

test("the policy gets the caller, the effects, the working folder and the traits of the tool", async () => {
  const { request } = await decided({ decision: "allow" });
  assert.deepEqual(request, {
    sessionId: "ses_test",
    callId: "call_1",
    principal: { id: "local:test" },
    tool: "echo",
    readOnly: true,
    args: { words: "hi" },
    effects: [{ kind: "read", path: "hi" }],
    origin: "model",
    place: { cwd: "/project", backend: "local" },
    tainted: [],
  });
});

test("a denied call fails with the rule and the cause of the denial, and the tool does not run", async () => {
  const { result, written } = await decided({ decision: "deny", reason: "no", rule: "r", cause: "no_approver" });
  assert.deepEqual(result, {
    ok: false,
    error: { kind: "denied", message: "no", effect: "none", data: { rule: "r", cause: "no_approver" } },
  });
  assert.deepEqual(written, []);
});

test("a call whose environment is unavailable fails, but does not count as denied", async () => {
  const { result } = await decided({ decision: "deny", reason: "echo was not run: gone", cause: "unavailable" });
  assert.deepEqual(result, {
    ok: false,
    error: { kind: "unavailable", message: "echo was not run: gone", effect: "none" },
  });
});
