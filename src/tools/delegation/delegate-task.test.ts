import assert from "node:assert/strict";
import { test } from "node:test";

import { systemClock } from "../../base/clock.ts";
import { type AgentId, asId, type SessionId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import { silentLog } from "../../base/log/log.ts";
import { ok } from "../../base/result.ts";
import type { AgentReport, AgentSpawn, AgentSpawner, AgentStatus, AgentTask } from "../../contracts/session/agents.ts";
import type { ToolResult } from "../../contracts/tool/tool-result.ts";
import delegateTask from "./delegate-task.tool.ts";

const id = (text: string) => asId<AgentId>(text);

function reportOf(agentId: AgentId, goal: string, more: Partial<AgentReport> = {}): AgentReport {
  return {
    agentId,
    sessionId: asId<SessionId>("ses_child"),
    parentId: asId<SessionId>("ses_test"),
    goal,
    role: "leaf",
    status: "completed",
    summary: `Did: ${goal}`,
    findings: [],
    filesChanged: [],
    commandsRun: [],
    toolTrace: [],
    model: "m",
    modelCalls: 2,
    tokens: { input: 100, output: 10 },
    startedAt: 0,
    durationMs: 1_234,
    ...more,
  };
}

/** Children that end as soon as a caller waits for them, unless they run in the background. */
function fakeSpawner(more: Partial<AgentReport> = {}, limits: Partial<AgentSpawner["limits"]> = {}) {
  const started: { readonly tasks: readonly AgentTask[]; readonly options: AgentSpawn }[] = [];
  const children = new Map<AgentId, AgentStatus>();
  const events: string[] = [];
  const spawner: AgentSpawner = {
    limits: { batch: 3, concurrent: 3, depthLeft: 2, ...limits },
    definitions: async () => [{ name: "review", description: "", source: "bundled", path: "", prompt: "" }],
    async spawn(tasks, options) {
      started.push({ tasks, options });
      const ids = tasks.map((task, index) => {
        const agentId = id(`agent_${children.size + index + 1}`);
        return [agentId, task] as const;
      });
      for (const [agentId, { goal, role }] of ids)
        children.set(agentId, {
          agentId,
          callId: options.callId,
          depth: 1,
          goal,
          role,
          isBackground: options.isBackground,
          state: "running",
          startedAt: systemClock.now(),
          modelCalls: 1,
          toolCalls: 2,
          tokens: 3_000,
          context: { tokens: 3_000, window: 10_000 },
          doing: "read_file a.ts",
        });
      return ok(ids.map(([agentId]) => agentId));
    },
    async wait(ids) {
      return ids.map((agentId) => {
        const child = children.get(agentId);
        if (!child) return undefined;
        children.set(agentId, { ...child, state: more.status ?? "completed" });
        return reportOf(agentId, child.goal, more);
      });
    },
    list: async () => [...children.values()],
    report: async (agentId) => {
      const child = children.get(agentId);
      return child && child.state !== "running" ? reportOf(agentId, child.goal, more) : undefined;
    },
    steer(agentId, text) {
      events.push(`steer ${agentId} ${text}`);
      return ok(undefined);
    },
    async stop(agentId, why) {
      events.push(`stop ${agentId} ${why}`);
      const child = children.get(agentId);
      if (child) children.set(agentId, { ...child, state: "interrupted" });
      return ok(undefined);
    },
    async resume(agentId, text) {
      events.push(`resume ${agentId} ${text}`);
      return ok(agentId);
    },
  };
  const call = async (args: JsonObject): Promise<ToolResult> => {
    const prepared = await delegateTask.prepare(args);
    if (!prepared.ok) return prepared;
    return prepared.value.run({
      sessionId: asId("ses_test"),
      callId: asId("call_test"),
      origin: "model",
      principal: { id: "test" },
      cwd: "/",
      effects: [],
      signal: new AbortController().signal,
      clock: systemClock,
      log: silentLog,
      secrets: {},
      progress: (note) => void events.push(note),
      printed() {},
      agents: spawner,
    });
  };
  return { call, started, events };
}

function data(result: ToolResult): unknown {
  return result.ok ? result.value.data : result.error.message;
}

test("a call with one goal starts one child and returns its report without empty fields", async () => {
  const trace = [
    { tool: "read_file", argsBytes: 1, resultBytes: 1, status: "ok" },
    { tool: "terminal", argsBytes: 1, resultBytes: 1, status: "failed" },
    { tool: "read_file", argsBytes: 1, resultBytes: 1, status: "denied" },
  ] as const;
  const { call, started } = fakeSpawner({ filesChanged: ["/a"], toolTrace: trace, costUsd: 0.012_345_67, spill: "/s" });
  assert.deepEqual(data(await call({ goal: "Count files", context: "In /x", agent: "", max_usd: 0, toolsets: [] })), {
    subagent_id: "agent_1",
    status: "completed",
    summary: "Did: Count files",
    full_report: "/s",
    files_changed: ["/a"],
    tool_trace: "read_file 2 (1 denied), terminal 1 (1 failed)",
    model: "m",
    model_calls: 2,
    tokens: { input: 100, output: 10 },
    cost_usd: 0.012_346,
    duration_seconds: 1.2,
  });
  assert.deepEqual(started[0]?.tasks, [{ goal: "Count files", context: "In /x", role: "leaf" }]);
  assert.equal(started[0]?.options.isBackground, false);
});

test("top-level fields of a call apply to each task of a batch, and results are in the order of the tasks", async () => {
  const { call, started, events } = fakeSpawner();
  const result = await call({
    tasks: [
      { goal: "Look at the parser", role: "orchestrator" },
      { goal: "Look at the printer", context: "own", output_schema: '{"type":"object"}', agent: null },
    ],
    context: "common",
    agent: "review",
    isolation: "worktree",
    max_iterations: 4.2,
    max_tokens: 1_000,
    share: false,
  });
  const common = { agent: "review", isolation: "worktree", maxIterations: 5, budget: { tokens: 1_000 } };
  assert.deepEqual(started[0]?.tasks, [
    { goal: "Look at the parser", context: "common", role: "orchestrator", ...common },
    {
      goal: "Look at the printer",
      context: "common\n\nown",
      role: "leaf",
      outputSchema: { type: "object" },
      ...common,
    },
  ]);
  const { results } = data(result) as { results: readonly { goal: string; summary: string }[] };
  assert.deepEqual(
    results.map(({ goal, summary }) => [goal, summary]),
    [
      ["Look at the parser", "Did: Look at the parser"],
      ["Look at the printer", "Did: Look at the printer"],
    ],
  );
  assert.deepEqual(events, ["1 of 2 done", "2 of 2 done"]);
});

test("a background call returns the ids of the children immediately", async () => {
  const { call } = fakeSpawner();
  const result = data(await call({ goal: "Count files", background: true })) as JsonObject;
  assert.deepEqual(
    [result["status"], result["subagents"]],
    ["dispatched", [{ subagent_id: "agent_1", goal: "Count files" }]],
  );
});

test("a call with an invalid task starts no child, and the error says what to do", async () => {
  const { call, started } = fakeSpawner();
  const faults: readonly (readonly [JsonObject, RegExp])[] = [
    [{}, /^Pass goal \(one task\) or tasks/u],
    [{ goal: "  ", tasks: [] }, /^Pass goal/u],
    [{ goal: "a b c", tasks: [{ goal: "Count the files" }] }, /^Pass either goal or tasks/u],
    [{ goal: "<task>" }, /placeholder/u],
    [{ goal: "TODO" }, /placeholder/u],
    [{ goal: "..." }, /placeholder/u],
    [{ goal: "Summarise {{file}} for me" }, /template marker \{\{file\}\}/u],
    [{ goal: "Fix [insert bug here] now" }, /template marker/u],
    [{ goal: "Read ${path} and report" }, /template marker/u],
    [{ tasks: [{ goal: "Count the files" }, { goal: "short" }] }, /^tasks\[1\]\.goal: "short" is too short/u],
    [{ tasks: [{ goal: "Count the files" }, { goal: "Count the files" }] }, /tasks\[0\] and tasks\[1\] are the same/u],
    [{ tasks: [1, 2, 3, 4].map((n) => ({ goal: `Count the files ${n}` })) }, /^4 tasks are too many: at most 3/u],
    [{ goal: "Count files", output_schema: "not json" }, /output_schema is not a JSON Schema/u],
    [{ goal: "Count files", agent: "reviewer" }, /no agent "reviewer"\. Did you mean review\?/u],
    [{ tasks: [{ prompt: "Count the files" }] }, /^tasks\[0\] has the unknown field prompt\. Fields: goal, context/u],
    [{ tasks: [{ goal: "Count the files", context: 1 }] }, /^tasks\[0\]\.context is not a string/u],
    [{ tasks: [7] }, /^tasks\[0\] is not an object/u],
    [{ tasks: [{ goal: "Count the files", role: "boss" }] }, /"boss" is not leaf or orchestrator/u],
  ];
  for (const [args, message] of faults) {
    const result = await call(args);
    assert.equal(result.ok, false, JSON.stringify(args));
    assert.match(String(data(result)), message);
  }
  assert.deepEqual(started, []);
});

test("template markers in backticks, quotes or code are treated as literal text", async () => {
  const { call } = fakeSpawner();
  for (const goal of ["Replace `{{name}}` in a.html", "Find 'your ${x}'", "Why is <div> empty in a.tsx?", "Fix a[i]"])
    assert.equal((await call({ goal })).ok, true, goal);
});

test("a child without the orchestrator role cannot delegate", async () => {
  const { call } = fakeSpawner({}, { depthLeft: 0 });
  assert.match(String(data(await call({ goal: "Count files" }))), /depth limit/u);
});

test("the result of a child that did not complete is a failure that contains its report", async () => {
  const { call } = fakeSpawner({ status: "timeout", why: "450 s idle", summary: "half" });
  const result = await call({ goal: "Count files" });
  assert.ok(!result.ok);
  assert.equal(result.error.message, "The agent did not complete its task (timeout).");
  assert.equal((result.error.data as JsonObject)["summary"], "half");
});

test("children can be listed, shown, steered, awaited, stopped and resumed, even by a part of their id", async () => {
  const { call, events } = fakeSpawner();
  await call({ goal: "Count files", background: true });
  const [child] = (data(await call({ action: "list" })) as { subagents: readonly JsonObject[] }).subagents;
  assert.deepEqual(
    { ...child, seconds: 0 },
    {
      subagent_id: "agent_1",
      goal: "Count files",
      status: "running",
      background: true,
      model_calls: 1,
      tool_calls: 2,
      tokens: 3_000,
      context_used: "30 %",
      seconds: 0,
      doing: "read_file a.ts",
    },
  );
  assert.equal((data(await call({ action: "status", subagent_id: "gent_1" })) as JsonObject)["status"], "running");
  assert.match(String(data(await call({ action: "resume", subagent_id: "agent_1", message: "x" }))), /still works/u);
  await call({ action: "send", subagent_id: "agent_1", message: "hurry" });
  const { results } = data(await call({ action: "wait" })) as { results: readonly JsonObject[] };
  assert.equal(results[0]?.["summary"], "Did: Count files");
  assert.match(String(data(await call({ action: "wait" }))), /^No child agent is running/u);
  assert.match(String(data(await call({ action: "steer", subagent_id: "agent_1", message: "x" }))), /has ended/u);
  await call({ action: "send", subagent_id: "agent_1", message: "again" });
  await call({ action: "stop", subagent_id: "agent_1" });
  assert.deepEqual(events, ["steer agent_1 hurry", "resume agent_1 again", "stop agent_1 the parent stopped it"]);
  assert.match(String(data(await call({ action: "status" }))), /subagent_id is missing\. action list/u);
  assert.match(String(data(await call({ action: "status", subagent_id: "other" }))), /no child agent "other"/u);
});

test("the description lists the agents that are defined in files, and the definition stays small", () => {
  const view = { has: () => true, names: [], agents: ["explore", "review", "test"] };
  const tool = delegateTask.refine?.(view) ?? delegateTask;
  assert.match(tool.description, /agent: explore, review, test\.$/u);
  const { name, description, inputSchema } = tool;
  const bytes = JSON.stringify({ name, description, input_schema: inputSchema }).length;
  assert.ok(bytes <= 1_150, `${bytes} bytes`);
});

test("starting a child is an effect, and looking at children is not", async () => {
  const effectsOf = async (args: JsonObject) => {
    const prepared = await delegateTask.prepare(args);
    return prepared.ok ? prepared.value.effects({ cwd: "/", backend: "local" }) : [];
  };
  assert.deepEqual(await effectsOf({ tasks: [{ goal: "a" }, { goal: "b", agent: "review" }] }), [
    { kind: "spawn", agent: "general" },
    { kind: "spawn", agent: "review" },
  ]);
  assert.deepEqual(await effectsOf({ action: "list" }), []);
});
