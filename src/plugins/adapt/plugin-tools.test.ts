import assert from "node:assert/strict";
import { test } from "node:test";

import { call, dispatchRig } from "../../../test/support/dispatch-rig.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { type ScriptedClient, scriptedClient } from "../../../test/support/plugin-client.ts";
import { noPermissions, type Permissions } from "../../contracts/plugin/manifest.ts";
import type { ToolRegistration } from "../../contracts/plugin/registration.ts";
import type { PolicyRequest } from "../../contracts/safety/approval.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import { fromJsonSchema } from "../../contracts/tool/json-input.ts";
import { text, type ToolResult } from "../../contracts/tool/tool-result.ts";
import type { Tool } from "../../contracts/tool/tool.ts";
import { pluginTool, type PluginToolFacts } from "./plugin-tools.ts";

const forecast: ToolRegistration = {
  name: "forecast",
  toolset: "weather",
  description: "Weather of a city",
  inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  emoji: "⛅",
  requiresEnv: [],
  overrides: false,
  declaresEffects: false,
};

function toolOf(
  client: ScriptedClient,
  permissions: Partial<Permissions> = {},
  more: Partial<ToolRegistration> = {},
  facts: Partial<PluginToolFacts> = {},
): Tool {
  return pluginTool({ ...forecast, ...more }, client, {
    permissions: { ...noPermissions, ...permissions },
    userFolder: "/home/anna",
    runningCalls: new Map(),
    keepCheck: () => {},
    ...facts,
  });
}

async function run(tool: Tool, args = { city: "Oslo" }, others: readonly Tool[] = []) {
  const requests: PolicyRequest[] = [];
  const rig = dispatchRig([tool, ...others], {
    policy: {
      decide: async (request) => {
        requests.push(request);
        return { decision: "allow" };
      },
    },
  });
  const result = await rig.dispatcher.dispatch(call("forecast", args), rig.scope());
  return { result, requests, effects: requests[0]?.effects };
}

function messageOf(result: ToolResult): string {
  return result.ok ? "no failure" : result.error.message;
}

test("a tool call reaches the plugin's process with its arguments and context", async () => {
  const client = scriptedClient({
    "tool.run": ({ args, call: about }) => text(`${args["city"] as string} ${about.callId} ${about.cwd}`),
  });
  const { result } = await run(toolOf(client));
  assert.deepEqual(result, text("Oslo call_1 /project"));
  assert.deepEqual(client.requests, ["tool.run forecast"]);
});

test("a tool call with invalid arguments does not start the plugin's process", async () => {
  const client = scriptedClient({});
  const { result } = await run(toolOf(client), {} as { city: string });
  assert.match(messageOf(result), /Invalid arguments for forecast/u);
  assert.deepEqual(client.requests, []);
});

test("a plugin tool without permissions is read-only and runs in parallel", () => {
  const { traits, needs } = toolOf(scriptedClient({}));
  assert.deepEqual([traits.readOnly, traits.parallel, traits.untrusted, needs], [true, true, false, []]);
});

test("the permissions of a plugin become the effects of its calls", async () => {
  const client = scriptedClient({ "tool.run": () => text("ok") });
  const tool = toolOf(client, {
    net: ["api.example.com"],
    write: ["~/notes/**/*.md", "$WORKSPACE/out"],
    read: ["/data"],
    exec: true,
  });
  assert.deepEqual([tool.traits.readOnly, tool.traits.parallel, tool.traits.untrusted], [false, false, true]);
  const { effects } = await run(tool);
  assert.deepEqual(effects, [
    { kind: "read", path: "/data", isGranted: true },
    { kind: "write", path: "/home/anna/notes", isGranted: true },
    { kind: "network", url: "https://api.example.com/", isGranted: true },
    { kind: "opaque" },
  ]);
});

test("long arguments for a plugin with network access count as data that is sent out", async () => {
  const client = scriptedClient({ "tool.run": () => text("ok") });
  const { effects } = await run(toolOf(client, { net: ["*"] }), { city: "x".repeat(500) });
  assert.deepEqual(effects, [{ kind: "network", url: "https://*/", isGranted: true, sends: true }]);
});

test("a plugin may declare fewer effects for a call than its permissions allow, but not more", async () => {
  const permissions = { net: ["api.example.com"], write: ["~/notes"] };
  const declaring = (declared: unknown) =>
    toolOf(scriptedClient({ "tool.run": () => text("ok"), "tool.effects": () => declared }), permissions, {
      declaresEffects: true,
    });
  assert.equal((await run(declaring([]))).effects?.length, 0);
  const [one] = (await run(declaring([{ kind: "write", path: "~/notes/today.md" }]))).effects ?? [];
  assert.deepEqual(one, { kind: "write", path: "/home/anna/notes/today.md", isGranted: true });
  const tooMuch: unknown[] = [
    [{ kind: "write", path: "/etc/passwd" }],
    [{ kind: "network", url: "https://evil.example/" }],
    [{ kind: "opaque" }],
    [{ kind: "exec", command: "ls", cwd: "/" }],
    "nothing",
    undefined,
  ];
  for (const declared of tooMuch) assert.equal((await run(declaring(declared))).effects?.length, 2);
});

test("the error after a failure of the plugin's process names the plugin and the file", async () => {
  const client = scriptedClient({
    "tool.run": () => {
      throw new Error("no such city");
    },
  });
  const { result } = await run(toolOf(client));
  assert.match(messageOf(result), /plugin weather, main\.py, line 3: Error: no such city/u);
});

test("a plugin's JSON answer with an `error` key is a failure that keeps the other fields", async () => {
  const answer = JSON.stringify({ error: "no such city", nearest: ["Oslo"] });
  const { result } = await run(toolOf(scriptedClient({ "tool.run": () => text(answer) })));
  assert.ok(!result.ok);
  assert.deepEqual([result.error.message, result.error.data], ["no such city", { nearest: ["Oslo"] }]);
  const fine = await run(toolOf(scriptedClient({ "tool.run": () => text('{"error":null,"temp":3}') })));
  assert.equal(fine.result.ok, true);
});

test("a plugin's answer that is not a tool result counts as a failure", async () => {
  for (const answer of [null, "sunny", 7, { ok: "yes" }, { ok: true, value: { content: [{ type: "text" }] } }]) {
    const { result } = await run(toolOf(scriptedClient({ "tool.run": () => answer })));
    assert.ok(!result.ok && result.error.kind === "crashed");
  }
});

test("the cached result of a tool's availability check is used immediately and refreshed later", async () => {
  const kept: [string, boolean][] = [];
  const client = scriptedClient({ "tool.check": () => true, "tool.run": () => text("ok") });
  const tool = toolOf(client, {}, { isAvailable: false }, { keepCheck: (...answer) => kept.push(answer) });
  const check = () => tool.check?.(new AbortController().signal);
  assert.equal(check(), false);
  await eventually(() => check() === true);
  assert.deepEqual(kept, [["forecast", true]]);
  assert.equal(toolOf(client).check, undefined);
});

test("the availability check of an available tool does not start the plugin's process", () => {
  const client = scriptedClient({});
  assert.equal(toolOf(client, {}, { isAvailable: true }).check?.(new AbortController().signal), true);
  assert.deepEqual(client.requests, []);
});

test("a plugin with the permission to call tools makes nested calls", async () => {
  const origins: string[] = [];
  const inner = defineTool({
    name: "inner",
    toolset: "test",
    description: "",
    input: fromJsonSchema({ type: "object", properties: {} }),
    run: async (_, { origin }) => {
      origins.push(origin);
      return text("inner");
    },
  });
  const runningCalls: PluginToolFacts["runningCalls"] = new Map();
  const client = scriptedClient({
    "tool.run": ({ call: { callId } }) => runningCalls.get(callId)?.("inner", {}, "plugin"),
  });
  const { result, requests } = await run(toolOf(client, { tools: ["inner"] }, {}, { runningCalls }), { city: "Oslo" }, [
    inner,
  ]);
  assert.deepEqual(result, text("inner"));
  assert.deepEqual(origins, ["plugin"]);
  assert.equal(requests[1]?.parentCallId, "call_1");
  assert.equal(runningCalls.size, 0);
});

test("scripts can call a plugin's tool only if the plugin allows scripts to call it", () => {
  assert.equal(toolOf(scriptedClient({})).traits.callers, "model");
  assert.equal(toolOf(scriptedClient({}), {}, { isForScripts: true }).traits.callers, "both");
});
