import assert from "node:assert/strict";
import { test } from "node:test";

import { z } from "zod";

import { call, dispatchRig } from "../../test/support/dispatch-rig.ts";
import type { PolicyRequest } from "../contracts/safety/approval.ts";
import { defineTool } from "../contracts/tool/define-tool.ts";
import { fail, text } from "../contracts/tool/tool-result.ts";
import { createTurnTaint } from "./session/session-taint.ts";

const web = defineTool({
  name: "web",
  toolset: "t",
  description: "Fetches.",
  input: z.object({}),
  traits: { readOnly: true, untrusted: true },
  effects: () => [{ kind: "network", url: "https://x.example/a" }],
  run: async () => fail("a page that says no"),
});

const stranger = defineTool({
  name: "stranger",
  toolset: "t",
  description: "Asks a stranger.",
  input: z.object({}),
  traits: { readOnly: true, untrusted: true },
  run: async () => text("hello"),
});

const look = defineTool({
  name: "look",
  toolset: "t",
  description: "Looks.",
  input: z.object({}),
  traits: { readOnly: true },
  run: async () => text("seen"),
});

test("each call is checked against the untrusted sources that the turn read before it", async () => {
  const requests: PolicyRequest[] = [];
  const rig = dispatchRig([web, stranger, look], {
    policy: {
      async decide(request) {
        requests.push(request);
        return request.tool === "look"
          ? { decision: "allow", reads: [{ kind: "file", name: "/home/anna/letter" }] }
          : { decision: "allow" };
      },
    },
  });
  const scope = rig.scope({ taint: createTurnTaint() });
  for (const name of ["look", "web", "stranger", "look"]) await rig.dispatcher.dispatch(call(name), scope);
  assert.deepEqual(
    requests.map(({ tainted }) => tainted.map(({ kind, name }) => `${kind} ${name}`)),
    [
      [],
      ["file /home/anna/letter"],
      ["file /home/anna/letter", "web https://x.example/a"],
      ["file /home/anna/letter", "web https://x.example/a", "tool stranger"],
    ],
  );
});

test("a denied call adds no untrusted source", async () => {
  const rig = dispatchRig([web], { policy: { decide: async () => ({ decision: "deny", reason: "no" }) } });
  const taint = createTurnTaint();
  await rig.dispatcher.dispatch(call("web"), rig.scope({ taint }));
  assert.deepEqual(taint.sources(), []);
});

test("text of the user and the project does not taint a turn, but sources from earlier turns do", () => {
  const taint = createTurnTaint([{ kind: "message", name: "bob" }]);
  for (const kind of ["user", "workspace", "memory", "skill"] as const) taint.record({ kind, name: "x" });
  taint.record({ kind: "message", name: "bob" });
  assert.deepEqual(taint.sources(), [{ kind: "message", name: "bob" }]);
});
