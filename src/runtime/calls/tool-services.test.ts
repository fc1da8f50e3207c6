import assert from "node:assert/strict";
import { test } from "node:test";

import { z } from "zod";

import { runtimeRig } from "../../../test/support/runtime-rig.ts";
import { scriptedModel } from "../../../test/support/scripted-model.ts";
import { tempHome } from "../../../test/support/temp-home.ts";
import { asId, type CallId } from "../../base/ids.ts";
import { err } from "../../base/result.ts";
import { loadConfig } from "../../config/load.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import { type ServiceName, serviceNames } from "../../contracts/tool/services.ts";
import { text } from "../../contracts/tool/tool-result.ts";
import { openToolbox } from "./open-toolbox.ts";

const never = new AbortController().signal;
const off = { "memory.memory_enabled": false, "memory.user_profile_enabled": false, "checkpoints.enabled": false };
const on = { "checkpoints.enabled": true };

/** A tool that is available only if the service exists. */
const probe = (name: ServiceName) =>
  defineTool({
    name: `probe_${name}`,
    toolset: "test",
    description: `Needs ${name}`,
    input: z.object({}),
    needs: [name],
    traits: { readOnly: true, parallel: true },
    run: async () => text(name),
  });

for (const [title, settings, hasPeople] of [
  ["with everything on and a person", on, true],
  ["with memory and checkpoints off and nobody there", off, false],
] as const) {
  test(`a session offers a tool if and only if the service that it needs is available, ${title}`, async () => {
    await using home = await tempHome();
    const calls = serviceNames.map((name) => ({ name: `probe_${name}`, args: {} }));
    const model = scriptedModel([{ calls }, { text: "done" }]);
    await using runtime = await runtimeRig({ folder: home.path, model, settings });
    for (const name of serviceNames) runtime.registry.add(probe(name), { kind: "plugin", plugin: "test" });
    const nobody = async () => err({ reason: "declined" } as const);
    await using session = await runtime.openSession({
      source: "test",
      tools: { enabled: [], disabled: [], enabledTools: calls.map(({ name }) => name), disabledTools: [] },
      ...(hasPeople && { asker: { ask: nobody, fillIn: nobody }, secrets: { askSecret: nobody } }),
    });
    await session.prompt([{ type: "text", text: "go" }]).done;
    const worked = session
      .history()
      .flatMap((message) => (message.role === "tool" && !message.failed ? message.name : []));
    const offered = calls.flatMap(({ name }) => (session.catalog.has(name) ? name : []));
    assert.deepEqual(worked, offered);
    assert.equal(offered.includes("probe_memory"), settings === on);
    assert.equal(offered.includes("probe_checkpoints"), settings === on);
    assert.equal(offered.includes("probe_asker"), hasPeople);
    assert.ok(offered.includes("probe_transcript"));
  });
}

async function toolbox(settings: Readonly<Record<string, unknown>>) {
  const home = await tempHome();
  const env = { PATH: process.env["PATH"], HOME: home.path, HERMES_HOME: home.path };
  const config = await loadConfig({ env, cwd: home.path, overrides: { "isolation.mode": "off", ...settings } });
  assert.ok(config.ok);
  const opened = await openToolbox(config.value, { cwd: home.path, principal: { id: "local:me" }, signal: never });
  const states = new Map((await opened.overview(never)).map((each) => [each.tool.name, each]));
  return {
    states,
    run: (name: string, args: Record<string, string> = {}) =>
      opened.call({ id: asId<CallId>("call_1"), name, args }, never),
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

test("the list of tools follows the settings for memory and checkpoints", async () => {
  await using without = await toolbox(off);
  assert.equal(without.states.get("memory")?.why, "needs the memory store (memory.memory_enabled)");
  assert.equal(without.states.get("checkpoint")?.why, "needs file checkpoints (checkpoints.enabled)");
  await using all = await toolbox(on);
  assert.equal(all.states.get("memory")?.why, undefined);
  assert.equal(all.states.get("checkpoint")?.why, undefined);
});

test("read_back is listed as available in sessions", async () => {
  await using rig = await toolbox(on);
  const { state, why, needsConversation } = rig.states.get("read_back") ?? {};
  assert.notEqual(state, "unavailable");
  assert.deepEqual({ why, needsConversation }, { why: undefined, needsConversation: true });
});

test("a call outside of sessions gets the services that its tool names, except session services", async () => {
  await using rig = await toolbox(on);
  for (const name of ["memory", "skills_list", "tool_search"]) {
    const result = await rig.run(
      name,
      name === "tool_search" ? { query: "file" } : name === "memory" ? { action: "read", target: "memory" } : {},
    );
    assert.ok(result.ok || result.error.kind !== "unavailable", `${name}: ${JSON.stringify(result)}`);
  }
  const todo = await rig.run("todo");
  assert.equal(todo.ok ? "" : todo.error.message, "todo needs a session (service todos), which is not available here");
});
