import assert from "node:assert/strict";
import { test } from "node:test";

import { type AgentId, asId, type CallId } from "../../base/ids.ts";
import { textWidth } from "../../base/text/text-width.ts";
import type { AgentStatus } from "../../contracts/session/agents.ts";
import { drawAgents } from "./agent-tree.ts";

function agent(id: string, more: Partial<AgentStatus> = {}): AgentStatus {
  return {
    agentId: asId<AgentId>(id),
    callId: asId<CallId>("c"),
    depth: 1,
    goal: `Work on part ${id} of the parser`,
    role: "leaf",
    isBackground: false,
    state: "running",
    startedAt: 0,
    modelCalls: 2,
    toolCalls: 4,
    tokens: 12_345,
    costUsd: 0.0042,
    context: { tokens: 6_000, window: 100_000 },
    ...more,
  };
}

const family: readonly AgentStatus[] = [
  agent("1", { agent: "review", doing: "read_file src/parse/expression.ts" }),
  agent("2", { state: "completed", endedAt: 4_000 }),
  agent("3", { parentAgentId: asId<AgentId>("1"), state: "failed", endedAt: 3_000 }),
  agent("4", { state: "waiting" }),
];

test("at 80 columns the tree of agents shows each agent with its figures on one line", () => {
  assert.deepEqual(drawAgents(family, { columns: 80, now: 12_000 }), [
    "├ ● review Work on part 1 of the p…  12 s · 4 calls · 12k tokens · $0.0042 · 6 %",
    "│ │ read_file src/parse/expression.ts",
    "│ └ ✗ agent Work on part 3 of the p…  3 s · 4 calls · 12k tokens · $0.0042 · 6 %",
    "├ ✓ agent Work on part 2 of the par…  4 s · 4 calls · 12k tokens · $0.0042 · 6 %",
    "└ ○ agent Work on part 4 of the parser  waiting",
  ]);
});

test("at 40 columns the tree of agents shows the figures on a separate line", () => {
  assert.deepEqual(drawAgents(family, { columns: 40, now: 12_000 }), [
    "├ ● review Work on part 1 of the parser",
    "│ │ 12 s · 4 calls · 12k · $0.0042 · 6 %",
    "│ │ read_file src/parse/expression.ts",
    "│ └ ✗ agent Work on part 3 of the parser",
    "│     3 s · 4 calls · 12k · $0.0042 · 6…",
    "├ ✓ agent Work on part 2 of the parser",
    "│   4 s · 4 calls · 12k · $0.0042 · 6 %",
    "└ ○ agent Work on part 4 of the parser",
    "    waiting",
  ]);
});

test("no line is wider than the terminal, whatever the width", () => {
  const wide = family.map((each) => ({ ...each, goal: "漢字 and a long goal ".repeat(20), doing: "x".repeat(300) }));
  for (let columns = 30; columns <= 160; columns++)
    for (const line of drawAgents(wide, { columns, now: 12_000 }))
      assert.ok(textWidth(line) <= columns, `${columns}: ${line}`);
});

test("in a small window the tree omits agents that have ended and shows how many are omitted", () => {
  const many = [
    ...Array.from({ length: 20 }, (_, index) => agent(`done${index}`, { state: "completed", endedAt: 1 })),
    agent("a"),
    agent("b"),
  ];
  const lines = drawAgents(many, { columns: 120, now: 12_000, maxLines: 4 });
  assert.equal(lines.length, 5);
  assert.match(lines.join("\n"), /part a .*\n.*part b .*\n {2}… 18 more$/u);
});

test("an agent whose parent is not shown is drawn at the top", () => {
  const lines = drawAgents([agent("x", { parentAgentId: asId<AgentId>("elsewhere") })], { columns: 100, now: 0 });
  assert.equal(lines.length, 1);
});
