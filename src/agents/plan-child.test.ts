import assert from "node:assert/strict";
import { test } from "node:test";

import { asId, type SessionId } from "../base/ids.ts";
import type { AgentDefinition, AgentTask } from "../contracts/session/agents.ts";
import type { AgentPorts } from "./agent-ports.ts";
import { planChildren } from "./plan-child.ts";

const toolsets: Readonly<Record<string, readonly string[]>> = {
  file: ["read_file", "write_file"],
  terminal: ["terminal"],
  web: ["web_search"],
};

type Parent = AgentPorts["parent"];

function plan(
  tasks: readonly Partial<AgentTask>[],
  parent: Partial<Parent> = {},
  definitions: readonly AgentDefinition[] = [],
  settings: Partial<AgentPorts["settings"]> = {},
) {
  return planChildren(
    tasks.map((task) => ({ goal: "look around", role: "leaf", ...task })),
    definitions,
    {
      parent: {
        sessionId: asId<SessionId>("p"),
        principal: { id: "me" },
        isWritable: true,
        depth: 0,
        tools: { never: [] },
        cwd: () => "/",
        model: () => "p/m",
        hasTool: (name) => ["read_file", "write_file", "terminal"].includes(name),
        toolsIn: (name) => (toolsets[name] ? new Set(toolsets[name]) : undefined),
        refusal: async () => undefined,
        ...parent,
      },
      settings: {
        batch: 10,
        concurrent: 3,
        depth: 2,
        maxIterations: 50,
        models: [],
        idleMs: 1,
        toolMs: 1,
        ...settings,
      },
    },
  );
}

function one(...args: Parameters<typeof plan>) {
  const plans = plan(...args);
  assert.ok(plans.ok, plans.ok ? "" : plans.error);
  return plans.value[0] ?? assert.fail();
}

const fault = (...args: Parameters<typeof plan>) => {
  const plans = plan(...args);
  return plans.ok ? "" : plans.error;
};

const definition = (more: Partial<AgentDefinition>): AgentDefinition => ({
  name: "look",
  description: "",
  source: "home",
  path: "",
  prompt: "Look hard.",
  ...more,
});

test("a batch of tasks has a maximum size, and one invalid task rejects the whole batch", () => {
  assert.match(fault(Array.from({ length: 11 }, () => ({}))), /11 tasks in one call; at most 10/u);
  assert.match(fault([]), /no task/u);
  assert.match(fault([{}, { goal: " " }]), /^Task 2: The goal is empty/u);
  assert.match(fault([{ agent: "lok" }], {}, [definition({})]), /no agent "lok"\. Did you mean look\?/u);
});

test("a leaf agent starts no agents, and every agent at the maximum depth is a leaf", () => {
  assert.match(fault([{}], { role: "leaf", depth: 1 }), /role leaf cannot start agents/u);
  assert.match(fault([{}], { role: "orchestrator", depth: 2 }), /2 deep/u);
  const first = one([{ role: "orchestrator" }]);
  assert.deepEqual([first.role, first.depth, first.tools.never.includes("delegate_task")], ["orchestrator", 1, false]);
  const last = one([{ role: "orchestrator" }], { role: "orchestrator", depth: 1 });
  assert.deepEqual([last.role, last.depth, last.tools.never.includes("delegate_task")], ["leaf", 2, true]);
});

test("the parent, the agent file and the task can each only remove tools, in that order", () => {
  assert.deepEqual(one([{}]).tools, {
    never: ["clarify", "delegate_task", "memory", "send_message", "sessions_send"],
  });
  assert.deepEqual(one([{ toolsets: ["file"] }]).tools.only, ["read_file", "write_file"]);
  const parent = { tools: { only: ["read_file", "terminal"], never: ["terminal"] } };
  const child = one([{ toolsets: ["file", "terminal"] }], parent).tools;
  assert.deepEqual([child.only, child.never.includes("terminal")], [["read_file", "terminal"], true]);
  const file = definition({ tools: ["file", "web"], withoutTools: ["write_file"] });
  const own = one([{ agent: "look", toolsets: ["file", "terminal"] }], {}, [file]).tools;
  assert.deepEqual([own.only, own.never.includes("write_file")], [["read_file", "write_file"], true]);
  assert.match(fault([{ toolsets: ["web"] }]), /no tool of the toolset "web"/u);
});

test("a task may choose only models that the operator allows; an agent file in the home counts as the operator's choice", () => {
  assert.match(fault([{ model: "x/y" }]), /do not let you choose a model/u);
  assert.match(fault([{ model: "x/y" }], {}, [], { models: ["a/b"] }), /Allowed: a\/b/u);
  assert.equal(one([{ model: "a/b" }], {}, [], { models: ["a/b"] }).model, "a/b");
  assert.equal(one([{}], {}, [], { model: "cheap" }).model, "cheap");
  const task = { agent: "look" };
  assert.equal(one([task], {}, [definition({ model: "x/y" })]).model, "x/y");
  assert.equal(one([task], {}, [definition({ model: "x/y", source: "project" })]).model, "p/m");
});

test("the iterations and time limits of a child can only be lower than those of its parent", () => {
  assert.equal(one([{ maxIterations: 500 }]).maxIterations, 50);
  assert.equal(one([{ maxIterations: 5 }]).maxIterations, 5);
  assert.equal(one([{ budget: { seconds: 100 } }], {}, [], { maxSeconds: 60 }).maxSeconds, 60);
  assert.equal(one([{ budget: { seconds: 10 } }], {}, [], { maxSeconds: 60 }).maxSeconds, 10);
});
