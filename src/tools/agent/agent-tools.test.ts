import assert from "node:assert/strict";
import { test } from "node:test";

import { systemClock } from "../../base/clock.ts";
import { asId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import { silentLog } from "../../base/log/log.ts";
import type { TodoItem, TodoList } from "../../contracts/session/todo.ts";
import type { Services } from "../../contracts/tool/services.ts";
import type { ToolIndex } from "../../contracts/tool/tool-index.ts";
import type { ToolResult } from "../../contracts/tool/tool-result.ts";
import type { Tool } from "../../contracts/tool/tool.ts";
import skillManage from "../skills/skill-manage.tool.ts";
import memory from "./memory.tool.ts";
import todo from "./todo.tool.ts";
import toolCall from "./tool-call.tool.ts";
import toolDescribe from "./tool-describe.tool.ts";
import toolSearch from "./tool-search.tool.ts";

async function call(tool: Tool, args: JsonObject, services: Partial<Services>): Promise<ToolResult> {
  const prepared = await tool.prepare(args);
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
    progress() {},
    printed() {},
    ...services,
  });
}

function data(result: ToolResult): unknown {
  return result.ok ? result.value.data : result.error;
}

/** The simplest todo list that fulfils the contract of the service. */
function listOf(items: readonly TodoItem[]): TodoList {
  let now = items;
  return {
    read: () => now,
    replace: (next) => (now = next),
    merge: (changes) => (now = [...now.filter(({ id }) => !changes.some((change) => change.id === id)), ...changes]),
  };
}

const plan: readonly TodoItem[] = [
  { id: "1", content: "look", status: "completed" },
  { id: "2", content: "leap", status: "in_progress" },
];
const counted = { total: 2, pending: 0, in_progress: 1, completed: 1, cancelled: 0 };

test("a call of todo without todos reads the list", async () => {
  assert.deepEqual(data(await call(todo, {}, { todos: listOf(plan) })), { todos: plan, summary: counted });
});

test("todo replaces the list, or merges into it", async () => {
  const todos = listOf(plan);
  const rest = { id: "3", content: "rest", status: "pending" };
  assert.deepEqual(data(await call(todo, { todos: [rest], merge: true }, { todos })), {
    todos: [...plan, rest],
    summary: { ...counted, total: 3, pending: 1 },
  });
  assert.deepEqual(data(await call(todo, { todos: [] }, { todos })), {
    todos: [],
    summary: { total: 0, pending: 0, in_progress: 0, completed: 0, cancelled: 0 },
  });
});

test("todo rejects invalid items, long texts and too many items", async () => {
  const bad: readonly JsonObject[] = [
    { todos: [{ id: "1", content: "x", status: "done" }] },
    { todos: [{ id: "1", content: "x" }] },
    { todos: [{ id: "", content: "x", status: "pending" }] },
    { todos: [{ id: "1", content: "x".repeat(4001), status: "pending" }] },
    { todos: Array.from({ length: 257 }, (_, offset) => ({ id: `${offset}`, content: "x", status: "pending" })) },
    { todos: "all" },
  ];
  for (const args of bad) {
    const result = await call(todo, args, { todos: listOf([]) });
    assert.equal(result.ok ? "ok" : result.error.kind, "invalid_args");
  }
  const full = Array.from({ length: 256 }, (_, position) => ({
    id: `${position}`,
    content: "x",
    status: "pending" as const,
  }));
  const todos = listOf(full);
  const more = await call(todo, { todos: [{ id: "new", content: "x", status: "pending" }], merge: true }, { todos });
  assert.match(more.ok ? "" : more.error.message, /would have 257 items; at most 256 fit/);
  assert.equal(todos.read(), full);
});

test("todo declares no effects", async () => {
  const prepared = await todo.prepare({});
  assert.deepEqual(prepared.ok && prepared.value.effects({ cwd: "/", backend: "local" }), []);
});

const weather = {
  name: "weather",
  toolset: "weather",
  description: "x".repeat(500),
  inputSchema: { type: "object" },
  needs: [],
  requiresEnv: [],
  traits: todo.traits,
  emoji: "",
};
const toolIndex: ToolIndex = {
  search: (query, limit = 5) => ({
    total: 7,
    matches:
      query === "weather"
        ? [{ name: `weather${limit}`, description: weather.description, source: "mcp", sourceName: "sky", score: 1 }]
        : [],
  }),
  sources: () => [{ name: "sky", tools: 7 }],
  describe: (name) => (name === "weather" ? weather : undefined),
  forScripts: () => [],
  nearest: (name) => (name === "wether" ? ["weather"] : []),
};

test("tool_search returns matches with short descriptions", async () => {
  assert.deepEqual(data(await call(toolSearch, { query: "weather", limit: 2 }, { toolIndex })), {
    query: "weather",
    total_available: 7,
    matches: [{ name: "weather2", source: "mcp", source_name: "sky", description: "x".repeat(400) }],
  });
});

test("tool_search without a match lists the names of the sources", async () => {
  assert.deepEqual(data(await call(toolSearch, { query: "nothing" }, { toolIndex })), {
    query: "nothing",
    total_available: 7,
    matches: [],
    available_sources: [{ name: "sky", tools: 7 }],
    hint: "Nothing matched. Try other words, or the name of one of the available sources.",
  });
});

test("tool_describe returns the parameters, or the most similar names", async () => {
  assert.deepEqual(data(await call(toolDescribe, { name: "weather" }, { toolIndex })), {
    name: "weather",
    description: weather.description,
    parameters: { type: "object" },
  });
  const unknown = await call(toolDescribe, { name: "wether" }, { toolIndex });
  assert.deepEqual(unknown.ok ? "" : [unknown.error.kind, unknown.error.message], [
    "unknown_tool",
    'There is no tool "wether" here. Did you mean weather?',
  ]);
});

test("tool_call reports an unknown tool, and arguments that are not an object", async () => {
  for (const args of [{ name: "x" }, { name: "x", arguments: { a: 1 } }]) {
    const result = await call(toolCall, args, { toolIndex });
    assert.equal(result.ok ? "" : result.error.message, 'There is no tool "x" here. Find its name with tool_search.');
  }
  const odd = await call(toolCall, { name: "x", arguments: 7 }, { toolIndex });
  assert.equal(odd.ok ? "" : odd.error.kind, "invalid_args");
});

test("a person who approves a change of the memory or of a skill sees the new text", async () => {
  const previewOf = async (tool: Tool, args: JsonObject, services: Partial<Services> = {}) => {
    const prepared = await tool.prepare(args);
    const { signal } = new AbortController();
    return prepared.ok && prepared.value.preview?.({ ...services, effects: [], signal });
  };
  const change = { action: "replace", target: "user", old_text: "likes tea", content: "likes coffee\nand milk" };
  assert.equal(await previewOf(memory, change), "user: 1 change\n-likes tea\n+likes coffee\n+and milk");
  const skills = {
    source: async () => ({ ok: true, value: { text: "one\ntwo\n", origin: "agent" } }),
  } as unknown as Services["skills"];
  const edit = { action: "patch", name: "mine", old_string: "two", new_string: "2" };
  assert.match(String(await previewOf(skillManage, edit, { skills })), /^--- mine\/SKILL\.md\n[^]* one\n-two\n\+2$/u);
  const create = { action: "create", name: "mine", content: "one\n" };
  assert.equal(await previewOf(skillManage, create, { skills }), "new file: 1 line, 4 bytes\n+one\n");
});
