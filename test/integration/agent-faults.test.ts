// covers: src/agents, src/runtime/agents, src/runtime/session, src/tools/delegation, src/kernel
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";

import type { JsonObject } from "../../src/base/json.ts";
import { agentRig, leaf, modelByGoal, never, reportOf, spawned, spawning } from "../support/agent-rig.ts";
import { eventually } from "../support/eventually.ts";
import { killParent } from "../support/killed-agents.ts";
import { processesWith, uniqueSeconds } from "../support/process-list.ts";
import type { ScriptedAnswer } from "../support/scripted-model.ts";

const call = (name: string, args: JsonObject): ScriptedAnswer => ({ calls: [{ name, args }] });
const yolo = { "approvals.mode": "yolo" };

describe("limits end a child agent that does not end by itself", { concurrency: 2 }, () => {
  test("a child agent that loops ends at its iteration limit and reports its work", async () => {
    const model = modelByGoal({ "run in circles": () => call("terminal", { command: "echo again" }) });
    await using at = await agentRig(model, { ...yolo, "delegation.max_iterations": 6 });
    const report = await reportOf(at.parent, leaf("run in circles", { maxIterations: 500 }));
    assert.equal(report.status, "failed");
    assert.ok(report.modelCalls <= 7, String(report.modelCalls));
    assert.match(report.why ?? "", /\d/u);
    assert.ok(report.commandsRun.length > 0);
  });

  test("a child agent that hangs in a model call ends at the time limit, with its text so far", async () => {
    const model = modelByGoal({ "think forever": [{ text: "so far", hangs: true }] });
    await using at = await agentRig(model, { "delegation.child_timeout_seconds": 5 });
    const report = await reportOf(at.parent, leaf("think forever"));
    assert.deepEqual([report.status, report.summary], ["timeout", "so far"]);
  });

  test("a child agent that hangs in a tool that ignores signals ends at the time limit and leaves no process", async () => {
    const seconds = uniqueSeconds();
    const command = `trap '' TERM INT HUP; setsid sleep ${seconds} & sleep ${seconds}`;
    const model = modelByGoal({ "sleep forever": [{ text: "Waiting.", ...call("terminal", { command }) }] });
    await using at = await agentRig(model, yolo);
    const report = await reportOf(at.parent, leaf("sleep forever", { budget: { seconds: 2 } }));
    assert.deepEqual([report.status, report.summary], ["timeout", "Waiting."]);
    await eventually(() => processesWith(seconds).length === 0);
  });

  test("a child agent that loses its provider fails with the reason, and its siblings and parent continue", async () => {
    const error = { kind: "auth", message: "the key was withdrawn" } as const;
    const model = modelByGoal({
      "lose the model": [call("terminal", { command: "echo first" }), { error }],
      "lose it at once": [{ error }],
      "go on": [{ text: "fine" }],
    });
    await using at = await agentRig(model, yolo);
    const ids = await spawned(
      at.parent,
      ["lose the model", "lose it at once", "go on"].map((goal) => leaf(goal)),
    );
    const reports = await at.parent.agents.wait(ids, { signal: never });
    assert.deepEqual(
      reports.map((report) => report?.status),
      ["failed", "failed", "completed"],
    );
    assert.match(reports[0]?.why ?? "", /withdrawn/u);
    assert.deepEqual(reports[0]?.commandsRun, ["echo first"]);
    const outcome = await at.parent.prompt([{ type: "text", text: "hello" }]).done;
    assert.equal(outcome.reason, "answered");
  });

  test("a child agent whose model throws fails, and no record is missing", async () => {
    const model = modelByGoal({
      "break the model": () => {
        throw new Error("the client broke");
      },
    });
    await using at = await agentRig(model);
    const report = await reportOf(at.parent, leaf("break the model"));
    assert.equal(report.status, "failed");
    assert.match(report.why ?? "", /broke/u);
  });
});

describe("child agents cannot get more permissions than their parent", { concurrency: 2 }, () => {
  test("a toolset that the parent lacks is refused, in a task and in an agent file", async () => {
    const model = modelByGoal({ "use the terminal": () => call("terminal", { command: "echo reached >reached.txt" }) });
    await using at = await agentRig(model, { ...yolo, "delegation.max_iterations": 3 });
    const folder = join(at.folder, ".hermes", "agents");
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, "greedy.md"),
      "---\nname: greedy\ndescription: Wants everything.\ntools: terminal, write_file, memory, clarify, delegate_task\npermissions: yolo\n---\nTake all.\n",
    );
    const narrow = await at.runtime.openSession({ source: "test", tools: { only: ["read_file", "delegate_task"] } });
    const refused = await narrow.agents.spawn([leaf("use the terminal", { toolsets: ["terminal"] })], spawning());
    assert.equal(refused.ok, false);
    const seen = new Set<string>();
    const before = model.requests.length;
    const named = await narrow.agents.spawn([leaf("use the terminal", { agent: "greedy" })], spawning());
    if (named.ok) await narrow.agents.wait(named.value, { signal: never });
    const plain = await reportOf(narrow, leaf("use the terminal"));
    for (const { tools } of model.requests.slice(before)) for (const { name } of tools) seen.add(name);
    for (const name of ["terminal", "write_file", "memory", "clarify", "delegate_task"])
      assert.ok(!seen.has(name), name);
    assert.ok(plain.toolTrace.every(({ status }) => status !== "ok"));
  });

  test("a leaf agent that calls delegate_task, and a child at the maximum depth, start no agents", async () => {
    const nested = call("delegate_task", { goal: "be started", role: "orchestrator" });
    const model = modelByGoal({
      "start another": [nested, { text: "tried" }],
      "start deep": [call("delegate_task", { goal: "start deeper", role: "orchestrator" }), { text: "tried" }],
      "start deeper": [nested, { text: "tried" }],
      "be started": [{ text: "started" }],
    });
    await using at = await agentRig(model, yolo);
    await reportOf(at.parent, leaf("start another"));
    await reportOf(at.parent, { goal: "start deep", role: "orchestrator" });
    const goals = (await at.parent.agents.list()).map(({ goal }) => goal);
    assert.deepEqual(goals.toSorted(), ["start another", "start deep", "start deeper"]);
    assert.doesNotMatch(JSON.stringify(model.requests.map(({ messages }) => messages[0])), /Task: be started/u);
  });

  test("a model that the operator did not allow is refused", async () => {
    await using at = await agentRig(modelByGoal({}));
    const refused = await at.parent.agents.spawn([leaf("x", { model: "expensive/largest" })], spawning());
    assert.equal(refused.ok, false);
    assert.deepEqual(await at.parent.agents.list(), []);
  });

  test("an action of a child that needs approval is denied if nobody can answer", async () => {
    const model = modelByGoal({
      "delete everything": [call("terminal", { command: "rm -rf build" }), { text: "tried" }],
    });
    await using at = await agentRig(model, { "approvals.mode": "manual", "delegation.subagent_auto_approve": false });
    mkdirSync(join(at.folder, "build"));
    const report = await reportOf(at.parent, leaf("delete everything"));
    assert.deepEqual(
      report.toolTrace.map(({ status }) => status),
      ["denied"],
    );
  });

  test("a call with more than ten tasks, an empty goal or an unknown agent starts no child", async () => {
    await using at = await agentRig(modelByGoal({}));
    const { agents } = at.parent;
    const many = Array.from({ length: 11 }, (_, index) => leaf(`task ${index}`));
    for (const tasks of [many, [leaf("good"), leaf("  ")], [leaf("good", { agent: "nobody" })], []])
      assert.equal((await agents.spawn(tasks, spawning())).ok, false);
    assert.deepEqual(await agents.list(), []);
  });
});

describe("many child agents stay within the limits of their parent", { concurrency: 2 }, () => {
  test("a flood of calls and output of a child fills neither the parent's events nor its memory", async () => {
    const model = modelByGoal({
      "flood the parent": (_, index) =>
        index < 40 ? call("terminal", { command: `seq 1 20000; echo round ${index}` }) : { text: "x".repeat(500_000) },
    });
    await using at = await agentRig(model, yolo);
    let events = 0;
    const reading = (async () => {
      for await (const event of at.parent.events(0)) if (event.type === "agent.changed") events += 1;
    })();
    const report = await reportOf(at.parent, leaf("flood the parent"));
    assert.equal(report.status, "completed");
    assert.ok(report.summary.length <= 24_000 + 200, String(report.summary.length));
    assert.ok(report.spill !== undefined);
    await at.parent[Symbol.asyncDispose]();
    await reading;
    // Two for each call, two for each model call, and some.
    assert.ok(events < 250, String(events));
  });

  test("if children are aborted while others wait, each child has one record, and none starts later", async () => {
    const model = modelByGoal({ "hang around": [{ text: "here", hangs: true }] });
    await using at = await agentRig(model, { "delegation.max_concurrent_children": 2 });
    const stop = new AbortController();
    const ids = await spawned(
      at.parent,
      Array.from({ length: 10 }, () => leaf("hang around")),
      { signal: stop.signal },
    );
    await eventually(() => model.requests.length === 2);
    stop.abort("stopped");
    const reports = await at.parent.agents.wait(ids, { signal: never });
    assert.deepEqual(new Set(reports.map((report) => report?.status)), new Set(["interrupted"]));
    assert.equal(new Set(reports.map((report) => report?.agentId)).size, 10);
    assert.equal(model.requests.length, 2);
  });

  test("if children are stopped twice, steered and resumed while they end, each run has one record", async () => {
    const model = modelByGoal({ "hang around": [{ text: "here", hangs: true }] });
    await using at = await agentRig(model);
    const { agents } = at.parent;
    const [id = assert.fail()] = await spawned(at.parent, [leaf("hang around")]);
    await eventually(() => model.requests.length === 1);
    const [first, second, resumed] = await Promise.all([
      agents.stop(id, "once"),
      agents.stop(id, "twice"),
      agents.resume(id, "go on", spawning()),
    ]);
    agents.steer(id, "too late");
    assert.deepEqual([first.ok, second.ok, resumed.ok], [true, true, false]);
    assert.equal((await agents.report(id))?.why, "once");
    const sessionId = (await agents.report(id))?.sessionId ?? assert.fail();
    const stored = (await at.runtime.sessions.entries(sessionId)).filter(
      (entry) => entry.type === "state" && entry.name === "agent_report",
    );
    assert.equal(stored.length, 1);
  });

  test("an exhausted budget of the parent ends all children before their next model call", async () => {
    const usage = { input: 1_000, output: 100, costUsd: 0.4 };
    const model = modelByGoal({ "spend it": () => ({ ...call("terminal", { command: "sleep 0.05" }), usage }) });
    await using at = await agentRig(model, { ...yolo, "budget.max_usd_per_session": 2 });
    const ids = await spawned(
      at.parent,
      Array.from({ length: 3 }, () => leaf("spend it", { budget: { costUsd: 1 } })),
    );
    const reports = await at.parent.agents.wait(ids, { signal: never });
    for (const report of reports) {
      assert.equal(report?.status, "failed");
      assert.ok((report?.costUsd ?? 0) <= 1.4, String(report?.costUsd));
    }
  });
});

describe("child agents end when their parent is killed with -9", { concurrency: 2 }, () => {
  // `npm run soak` does it at 20 points.
  for (const afterMs of [0, 600])
    test(`${afterMs} ms after it started its children: each child has one record and one report, and no process is left`, async () => {
      const { faults, states } = await killParent(afterMs);
      assert.deepEqual(faults, []);
      assert.ok(states.length >= 4, states.join());
    });
});
