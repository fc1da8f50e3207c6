// covers: src/agents, src/runtime/agents, src/runtime/session, src/kernel
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import type { AgentStatus } from "../../src/contracts/session/agents.ts";
import { agentRig, leaf, modelByGoal, never, reportOf, spawned, spawning } from "../support/agent-rig.ts";
import { eventually } from "../support/eventually.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { tempHome } from "../support/temp-home.ts";

test("a child agent works in its own session and reports its work", async () => {
  const model = scriptedModel([
    { calls: [{ name: "write_file", args: { path: "a.txt", content: "quince" } }] },
    { calls: [{ name: "terminal", args: { command: "cat a.txt" } }] },
    { text: "Done.\n\n## Findings\n- a.txt contains quince\n- nothing else" },
  ]);
  await using at = await agentRig(model);
  await writeFile(join(at.folder, "AGENTS.md"), "Always answer in verse.");
  const report = await reportOf(at.parent, leaf("write a.txt", { context: "the word is quince" }));
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
  assert.doesNotMatch(JSON.stringify(first?.system), /in verse/u);
  const names = first?.tools.map(({ name }) => name) ?? [];
  for (const name of ["clarify", "memory", "send_message", "delegate_task"]) assert.ok(!names.includes(name), name);
  assert.equal(at.parent.history().length, 0);
  assert.equal((await at.runtime.sessions.find("latest", (await at.parent.record()).principal)).ok, true);
});

test("a child sees context files only if its task asks for them", async () => {
  const model = modelByGoal({});
  await using at = await agentRig(model);
  await writeFile(join(at.folder, "AGENTS.md"), "Always answer in verse.");
  await reportOf(at.parent, leaf("look around", { withKnowledge: true }));
  assert.match(JSON.stringify(model.requests[0]?.system), /in verse/u);
});

test("only as many children as the settings allow run in parallel; the others wait in order", async () => {
  let running = 0;
  let maxRunning = 0;
  const model = modelByGoal({});
  await using at = await agentRig(model, { "delegation.max_concurrent_children": 2 });
  at.runtime.hooks.add("test", {
    subagentStart: () => void (maxRunning = Math.max(maxRunning, ++running)),
    subagentStop: () => void running--,
  });
  const goals = ["one", "two", "three", "four", "five"].map((word) => `count to ${word}`);
  const ids = await spawned(
    at.parent,
    goals.map((goal) => leaf(goal)),
  );
  const states = (await at.parent.agents.list()).map(({ state }) => state);
  assert.deepEqual(states.toSorted(), ["running", "running", "waiting", "waiting", "waiting"]);
  const reports = await at.parent.agents.wait(ids, { signal: never });
  assert.deepEqual(
    reports.map((report) => report?.goal),
    goals,
  );
  // The first child may end before the hook of the second has run.
  assert.ok(maxRunning <= 2, `${maxRunning} ran at the same time`);
  const refused = await at.parent.agents.spawn(
    Array.from({ length: 11 }, (_, n) => leaf(`count to ${n}`)),
    spawning(),
  );
  assert.match(refused.ok ? "" : refused.error, /11 tasks in one call; at most 10/u);
});

test("hooks and events of the parent report the start, progress and end of a child", async () => {
  const model = modelByGoal({
    "list files": [{ calls: [{ name: "terminal", args: { command: "ls" } }] }, { text: "There are none." }],
  });
  await using at = await agentRig(model);
  const hooks: string[] = [];
  at.runtime.hooks.add("test", {
    subagentStart: ({ goal, role, parentId }) => void hooks.push(`start ${goal} ${role} ${parentId === at.parent.id}`),
    subagentStop: ({ status, summary, calls }) => void hooks.push(`stop ${status} ${summary} ${calls[0]?.tool}`),
  });
  const events: AgentStatus[] = [];
  const reading = (async () => {
    for await (const event of at.parent.events(0)) if (event.type === "agent.changed") events.push(event.agent);
  })();
  await reportOf(at.parent, leaf("list files"));
  await eventually(() => hooks.length === 2);
  assert.deepEqual(hooks, ["start list files leaf true", "stop completed There are none. terminal"]);
  await at.parent[Symbol.asyncDispose]();
  await reading;
  assert.deepEqual([...new Set(events.map(({ state }) => state))], ["waiting", "running", "completed"]);
  const last = events.at(-1);
  assert.deepEqual([last?.modelCalls, last?.toolCalls, last?.tokens, last?.depth], [2, 1, 220, 1]);
  assert.ok((last?.context?.tokens ?? 0) > 0);
});

test("an answer of a child that does not match the schema is requested once more", async () => {
  const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
  const model = modelByGoal({
    "count once": [{ text: "seven" }, { text: '```json\n{"n": 7}\n```' }],
    "count wrong": [{ text: "seven" }, { text: '{"n": "seven"}' }],
  });
  await using at = await agentRig(model);
  const good = await reportOf(at.parent, leaf("count once", { outputSchema: schema }));
  assert.deepEqual([good.status, good.output], ["completed", { n: 7 }]);
  const bad = await reportOf(at.parent, leaf("count wrong", { outputSchema: schema }));
  assert.deepEqual([bad.status, bad.output, bad.modelCalls], ["failed", undefined, 2]);
  assert.match(bad.why ?? "", /does not match the schema/u);
});

test("a child agent has no more tools than its parent, whatever its task names", async () => {
  const model = modelByGoal({
    "try all": [
      { calls: [{ name: "write_file", args: { path: "x", content: "1" } }] },
      { calls: [{ name: "read_file", args: { path: "x" } }] },
      { text: "done" },
    ],
  });
  await using at = await agentRig(model, { "tools.disabled": ["write_file"] });
  const report = await reportOf(at.parent, leaf("try all", { toolsets: ["file"] }));
  assert.deepEqual(
    report.toolTrace.map(({ tool, status }) => [tool, status]),
    [
      ["write_file", "failed"],
      ["read_file", "failed"],
    ],
  );
  const names = model.requests[0]?.tools.map(({ name }) => name) ?? [];
  assert.ok(names.includes("read_file") && !names.includes("write_file") && !names.includes("terminal"), String(names));
  const refused = await at.parent.agents.spawn([leaf("try all", { toolsets: ["no such"] })], spawning());
  assert.match(refused.ok ? "" : refused.error, /no tool of the toolset "no such"/u);
  await using narrow = await at.runtime.openSession({ source: "test", tools: { enabled: ["file"] } });
  await reportOf(narrow, leaf("look"));
  const own = new Set(narrow.catalog.names);
  assert.deepEqual(
    model.requests.at(-1)?.tools.filter(({ name }) => !own.has(name)),
    [],
  );
});

test("a task can name only a model that the operator allows", async () => {
  const model = modelByGoal({});
  await using at = await agentRig(model, { "delegation.models": ["scripted/small"] });
  const refused = await at.parent.agents.spawn([leaf("look around", { model: "big/one" })], spawning());
  assert.match(refused.ok ? "" : refused.error, /do not allow the model "big\/one"\. Allowed: scripted\/small/u);
  assert.equal((await reportOf(at.parent, leaf("look around", { model: "scripted/small" }))).model, "scripted/small");
});

const busy = () => ({
  calls: [{ name: "terminal", args: { command: "true" } }],
  usage: { input: 100, output: 10, costUsd: 0.5 },
});

test("a child's budget ends it before its next model call, with its results so far", async () => {
  const model = modelByGoal({ "work forever": busy });
  await using at = await agentRig(model);
  const cost = await reportOf(at.parent, leaf("work forever", { budget: { costUsd: 1 } }));
  assert.deepEqual([cost.status, cost.modelCalls, cost.costUsd], ["failed", 2, 1]);
  assert.match(cost.why ?? "", /budget of this agent is \$1/u);
  const tokens = await reportOf(at.parent, leaf("work forever", { budget: { tokens: 330 } }));
  assert.deepEqual([tokens.status, tokens.modelCalls], ["failed", 3]);
  const iterations = await reportOf(at.parent, leaf("work forever", { maxIterations: 2 }));
  assert.deepEqual([iterations.status, iterations.toolTrace.length], ["failed", 2]);
  assert.match(iterations.why ?? "", /used its 2 model calls/u);
});

test("the budget of the parent's turn and session counts the calls of its children", async () => {
  const model = modelByGoal({ "work forever": busy });
  await using at = await agentRig(model, { "budget.max_usd_per_turn": 2 });
  await at.parent.prompt([{ type: "text", text: "hello" }]).done;
  const bySpend = await reportOf(at.parent, leaf("work forever"));
  assert.deepEqual([bySpend.status, bySpend.modelCalls], ["failed", 4]);
  assert.match(bySpend.why ?? "", /budget of this turn is \$2/u);
});

test("model calls of children count against those of the parent's turn", async () => {
  const model = modelByGoal({ "work forever": busy });
  await using at = await agentRig(model, { "agent.max_turns": 4 });
  await at.parent.prompt([{ type: "text", text: "hello" }]).done;
  const report = await reportOf(at.parent, leaf("work forever"));
  assert.deepEqual([report.status, report.modelCalls], ["failed", 3]);
  assert.match(report.why ?? "", /used its 4 model calls/u);
});

test("aborting a delegate call ends its children, each with one record; background children continue", async () => {
  const model = modelByGoal({
    "hang in the model": [{ text: "so far", hangs: true }],
    "hang in a tool": [{ text: "Waiting.", calls: [{ name: "terminal", args: { command: "sleep 60" } }] }],
    "stay behind": [{ text: "here", hangs: true }],
  });
  await using at = await agentRig(model, { "delegation.max_concurrent_children": 3 });
  const { agents } = at.parent;
  const [background] = await spawned(at.parent, [leaf("stay behind")], { isBackground: true });
  const stop = new AbortController();
  const tasks = ["hang in the model", "hang in a tool", "never begin"].map((goal) => leaf(goal));
  const ids = await spawned(at.parent, tasks, { signal: stop.signal });
  await eventually(async () => (await agents.list()).some(({ doing }) => doing?.includes("sleep 60")));
  stop.abort("stopped");
  const reports = await agents.wait(ids, { signal: never });
  assert.deepEqual(
    reports.map((report) => [report?.status, report?.summary]),
    [
      ["interrupted", "so far"],
      ["interrupted", "Waiting."],
      ["interrupted", ""],
    ],
  );
  const states = (await agents.list()).map(({ state }) => state);
  assert.deepEqual(states.toSorted(), ["interrupted", "interrupted", "interrupted", "running"]);
  assert.deepEqual(await agents.stop(background ?? assert.fail(), "enough"), { ok: true, value: undefined });
  assert.equal((await agents.report(background ?? assert.fail()))?.why, "enough");
});

test("a running child can be steered, and a finished one continues with its history", async () => {
  const model = modelByGoal({
    "name a fruit": ({ messages }, index) => {
      const text = JSON.stringify(messages);
      if (index === 0)
        return { calls: [{ name: "terminal", args: { command: "while ! [ -e go ]; do sleep 0.05; done" } }] };
      if (text.includes("And a vegetable")) return { text: "a leek" };
      return { text: text.includes("a yellow one") ? "a quince" : "an apple" };
    },
  });
  await using at = await agentRig(model);
  const { agents } = at.parent;
  const [id = assert.fail()] = await spawned(at.parent, [leaf("name a fruit")]);
  await eventually(async () => (await agents.list())[0]?.doing !== undefined);
  assert.equal(agents.steer(id, "a yellow one, please").ok, true);
  await writeFile(join(at.folder, "go"), "");
  const [first] = await agents.wait([id], { signal: never });
  assert.equal(first?.summary, "a quince");
  assert.match((agents.steer(id, "hello") as { error: string }).error, /has ended \(completed\)/u);
  const resumed = await agents.resume(id, "And a vegetable?", spawning());
  assert.ok(resumed.ok);
  const [second] = await agents.wait([resumed.value], { signal: never });
  assert.deepEqual([second?.summary, second?.sessionId, second?.modelCalls], ["a leek", first?.sessionId, 1]);
});

test("an agent file can make the agent stricter than its parent, but never less strict", async () => {
  const model = modelByGoal({
    "touch a file": [{ calls: [{ name: "terminal", args: { command: "touch made.txt" } }] }, { text: "done" }],
  });
  await using at = await agentRig(model, { "approvals.mode": "yolo" });
  await mkdir(join(at.folder, ".hermes", "agents"), { recursive: true });
  const file = "---\nname: careful\ndescription: Looks only\npermissions: readonly\n---\nLook, change nothing.";
  await writeFile(join(at.folder, ".hermes", "agents", "careful.md"), file);
  const strict = await reportOf(at.parent, leaf("touch a file", { agent: "careful" }));
  assert.deepEqual(
    strict.toolTrace.map(({ status }) => status),
    ["denied"],
  );
  assert.match(model.requests[0]?.system[0]?.text ?? "", /^Look, change nothing\./u);
  assert.ok(!existsSync(join(at.folder, "made.txt")));
  const plain = await reportOf(at.parent, leaf("touch a file"));
  assert.deepEqual([plain.toolTrace[0]?.status, existsSync(join(at.folder, "made.txt"))], ["ok", true]);
});

test("untrusted text that the parent has read taints its children, and text that children read taints the parent", async () => {
  const outside = await tempHome();
  await writeFile(join(outside.path, "letter.txt"), "a letter from outside\n".repeat(5));
  const path = join(outside.path, "letter.txt");
  const model = modelByGoal({
    "read the letter": [{ calls: [{ name: "read_file", args: { path } }] }, { text: "It is a letter." }],
    "look around": [{ text: "nothing" }],
  });
  await using at = await agentRig(model, { "approvals.mode": "yolo" });
  const reader = await reportOf(at.parent, leaf("read the letter"));
  assert.deepEqual(
    reader.readTexts?.map(({ kind }) => kind),
    ["file"],
  );
  await spawned(at.parent, [leaf("read the letter")], { isBackground: true });
  await eventually(async () => (await at.parent.agents.list()).every(({ state }) => state === "completed"));
  await at.parent.prompt([{ type: "text", text: "hello" }]).done;
  const child = await reportOf(at.parent, leaf("look around"));
  assert.deepEqual(child.readTexts, reader.readTexts);
  await outside[Symbol.asyncDispose]();
});
