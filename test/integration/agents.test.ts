// covers: src/agents, src/runtime/agents, src/runtime/session
import assert from "node:assert/strict";
import { test } from "node:test";

import { asId, type CallId } from "../../src/base/ids.ts";
import type { AgentSpawn, AgentTask } from "../../src/contracts/session/agents.ts";
import type { Runtime, Session } from "../../src/contracts/session/runtime.ts";
import { runtimeRig } from "../support/runtime-rig.ts";
import { type ScriptedModel, scriptedModel } from "../support/scripted-model.ts";
import { tempHome } from "../support/temp-home.ts";

interface AgentRig extends AsyncDisposable {
  readonly folder: string;
  readonly runtime: Runtime;
  readonly parent: Session;
}

async function agentRig(model: ScriptedModel, settings: Readonly<Record<string, unknown>> = {}): Promise<AgentRig> {
  const home = await tempHome();
  const runtime = await runtimeRig({ folder: home.path, model, settings });
  const parent = await runtime.openSession({ source: "test" });
  return {
    folder: home.path,
    runtime,
    parent,
    async [Symbol.asyncDispose]() {
      await runtime[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

const never = new AbortController().signal;

function spawning(more: Partial<AgentSpawn> = {}): AgentSpawn {
  return { callId: asId<CallId>("call_1"), isBackground: false, signal: never, ...more };
}

function leaf(goal: string, more: Partial<AgentTask> = {}): AgentTask {
  return { goal, role: "leaf", ...more };
}

test("a child works in a session of its own, and its report has what it did", async () => {
  const model = scriptedModel([
    { calls: [{ name: "write_file", args: { path: "a.txt", content: "quince" } }] },
    { calls: [{ name: "terminal", args: { command: "cat a.txt" } }] },
    { text: "Done.\n\n## Findings\n- a.txt contains quince\n- nothing else" },
  ]);
  await using at = await agentRig(model);
  const { agents } = at.parent;
  const ids = await agents.spawn([leaf("write a.txt", { context: "the word is quince" })], spawning());
  assert.ok(ids.ok, JSON.stringify(ids));
  const [report] = await agents.wait(ids.value, { signal: never });
  assert.ok(report);
  assert.equal(report.status, "completed");
  assert.match(report.summary, /^Done\./u);
  assert.deepEqual(report.findings, ["a.txt contains quince", "nothing else"]);
  assert.deepEqual(report.commandsRun, ["cat a.txt"]);
  assert.deepEqual(
    report.filesChanged.map((path) => path.split("/").at(-1)),
    ["a.txt"],
  );
  assert.deepEqual(
    report.toolTrace.map(({ tool, status }) => [tool, status]),
    [
      ["write_file", "ok"],
      ["terminal", "ok"],
    ],
  );
  assert.deepEqual([report.modelCalls, report.tokens], [3, { input: 300, output: 30 }]);
  const [first] = model.requests;
  assert.match(JSON.stringify(first?.messages), /Task: write a\.txt.*the word is quince/u);
  assert.match(first?.system[0]?.text ?? "", /^You are an agent of Hermes, started by another agent/u);
  const names = first?.tools.map(({ name }) => name) ?? [];
  for (const name of ["clarify", "memory", "send_message", "delegate_task"]) assert.ok(!names.includes(name), name);
  assert.equal(at.parent.history().length, 0);
});
