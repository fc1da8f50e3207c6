import assert from "node:assert/strict";
import { test } from "node:test";

import { z } from "zod";

import { call, dispatchRig } from "../../../test/support/dispatch-rig.ts";
import type { CommandDefaults } from "../../contracts/environment/environment.ts";
import type { Allowed } from "../../contracts/safety/approval.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import { text } from "../../contracts/tool/tool-result.ts";

const tool = defineTool({
  name: "look",
  toolset: "test",
  description: "Says which service it was given.",
  input: z.object({}),
  needs: ["commandDefaults"],
  run: async (_args, { commandDefaults }) => text(String(commandDefaults.timeoutMs)),
});

function defaults(timeoutMs: number): CommandDefaults {
  return { timeoutMs, sudoPassword: async () => ({ ok: false, error: { reason: "" } }), forgetSudoPassword() {} };
}

async function seen(verdict: Allowed): Promise<string> {
  const rig = dispatchRig([tool], { policy: { decide: async () => verdict } });
  const services = { commandDefaults: defaults(1) };
  const approvedServices = { commandDefaults: defaults(2) };
  return JSON.stringify(await rig.dispatcher.dispatch(call("look"), rig.scope({ services, approvedServices })));
}

test("only a call that a person approved gets the services for approved calls", async () => {
  assert.match(await seen({ decision: "allow" }), /"text":"1"/);
  assert.match(await seen({ decision: "allow", byPerson: true }), /"text":"2"/);
});
