import assert from "node:assert/strict";
import { test } from "node:test";

import { z } from "zod";

import { assertFails } from "../../../test/support/failure.ts";
import type { JsonObject } from "../../base/json.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import type { Registry, ToolSource } from "../../contracts/tool/registry.ts";
import { text } from "../../contracts/tool/tool-result.ts";
import type { Tool } from "../../contracts/tool/tool.ts";
import { createRegistry } from "./registry.ts";

const builtin: ToolSource = { kind: "builtin" };

function tool(name: string, toolset = "set", description = "A tool."): Tool {
  return defineTool({ name, toolset, description, input: z.object({}), run: async () => text(description) });
}

function add(registry: Registry, each: Tool, source: ToolSource = builtin) {
  const added = registry.add(each, source);
  assert.ok(added.ok, added.ok ? "" : added.error.message);
  return added.value;
}

function described(registry: Registry): string[] {
  return registry.list().map(({ tool: { name, description } }) => `${name}: ${description}`);
}

test("a tool with the same name from another toolset is refused, and the first tool is kept", () => {
  const registry = createRegistry();
  add(registry, tool("read", "file", "first"));
  const before = registry.generation;
  const second = registry.add(tool("read", "other", "second"), { kind: "plugin", plugin: "p" });
  assertFails(second, /the name belongs to the built-in tools/u);
  assert.deepEqual(described(registry), ["read: first"]);
  assert.equal(registry.generation, before);
  assert.equal(registry.diagnostics.length, 1);
  assert.match(
    registry.diagnostics[0]!.message,
    /read \(toolset other\) is refused: the name belongs to the built-in tools \(toolset file\)/,
  );
});

test("the same owner can replace its tool, and disposing the replacement restores the first tool", () => {
  const registry = createRegistry();
  add(registry, tool("read", "file", "first"));
  const second = add(registry, tool("read", "file", "second"));
  assert.deepEqual(described(registry), ["read: second"]);
  second[Symbol.dispose]();
  second[Symbol.dispose]();
  assert.deepEqual(described(registry), ["read: first"]);
});

test("a plugin cannot replace a built-in tool by using its toolset", () => {
  const registry = createRegistry();
  add(registry, tool("terminal", "terminal", "ours"));
  assertFails(
    registry.add(tool("terminal", "terminal", "theirs"), { kind: "plugin", plugin: "p" }),
    /the name belongs to the built-in tools/u,
  );
  assertFails(
    registry.add(tool("terminal", "terminal", "theirs"), { kind: "mcp", server: "s" }),
    /the name belongs to the built-in tools/u,
  );
  assert.deepEqual(described(registry), ["terminal: ours"]);
});

test("with the operator's permission, a plugin can replace exactly the tools that it lists", () => {
  const registry = createRegistry();
  add(registry, tool("read", "file", "ours"));
  add(registry, tool("write", "file", "ours"));
  const source: ToolSource = { kind: "plugin", plugin: "p", overrides: ["read"] };
  const replaced = add(registry, tool("read", "p", "theirs"), source);
  assertFails(registry.add(tool("write", "p", "theirs"), source), /the name belongs to the built-in tools/u);
  assert.deepEqual(described(registry), ["read: theirs", "write: ours"]);
  replaced[Symbol.dispose]();
  assert.deepEqual(described(registry), ["read: ours", "write: ours"]);
});

test("a file of the user replaces a tool of the same toolset, and the replacement is reported", () => {
  const registry = createRegistry();
  add(registry, tool("todo", "todo", "ours"));
  add(registry, tool("todo", "todo", "mine"), { kind: "user", file: "/home/me/todo.tool.ts" });
  assert.deepEqual(described(registry), ["todo: mine"]);
  assert.deepEqual(registry.diagnostics, [
    {
      source: "/home/me/todo.tool.ts",
      message: "tool todo of the built-in tools is replaced by /home/me/todo.tool.ts",
    },
  ]);
});

test("replacements can be disposed in any order", () => {
  for (const order of [
    [0, 1, 2],
    [2, 1, 0],
    [1, 0, 2],
    [1, 2, 0],
    [0, 2, 1],
    [2, 0, 1],
  ]) {
    const registry = createRegistry();
    const all = ["one", "two", "three"].map((text) => add(registry, tool("x", "set", text)));
    const alive = new Set([0, 1, 2]);
    for (const index of order) {
      all[index]![Symbol.dispose]();
      alive.delete(index);
      const top = Math.max(...alive);
      assert.equal(registry.find("x")?.tool.description, alive.size > 0 ? ["one", "two", "three"][top] : undefined);
    }
  }
});

test("if several MCP servers have a tool with the same name, all are refused until only one is left", () => {
  const registry = createRegistry();
  const first = add(registry, tool("mcp_x_find", "mcp-a", "a"), { kind: "mcp", server: "a" });
  const second = add(registry, tool("mcp_x_find", "mcp-b", "b"), { kind: "mcp", server: "b" });
  assert.deepEqual(registry.list(), []);
  const message =
    "tool mcp_x_find is refused: several tools have this name (MCP server a, MCP server b); rename a server, or exclude one of the tools";
  assert.deepEqual(registry.diagnostics, [
    { source: "MCP server a", message },
    { source: "MCP server b", message },
  ]);
  first[Symbol.dispose]();
  assert.deepEqual(described(registry), ["mcp_x_find: b"]);
  second[Symbol.dispose]();
  assert.deepEqual(registry.list(), []);
});

test("two tools of one MCP server with the same name are both refused; refreshing a tool is not a conflict", () => {
  const registry = createRegistry();
  add(registry, tool("mcp_s_a_b", "mcp-s", "dot"), { kind: "mcp", server: "s", tool: "a.b" });
  add(registry, tool("mcp_s_a_b", "mcp-s", "dot again"), { kind: "mcp", server: "s", tool: "a.b" });
  assert.deepEqual(described(registry), ["mcp_s_a_b: dot again"]);
  add(registry, tool("mcp_s_a_b", "mcp-s", "dash"), { kind: "mcp", server: "s", tool: "a-b" });
  assert.deepEqual(registry.list(), []);
});

test("tools that are loaded on demand are loaded by the first lookup and are removed together", () => {
  const registry = createRegistry();
  add(registry, tool("terminal", "terminal"));
  let loads = 0;
  const late = registry.addLate({
    toolset: "mcp-s",
    server: "s",
    count: 1,
    whyNot: () => undefined,
    load() {
      loads += 1;
      return [{ tool: tool("mcp__s__go", "mcp-s", "late"), source: { kind: "mcp", server: "s", tool: "go" } }];
    },
  });
  assert.deepEqual(
    registry.loaded().map((each) => each.tool.name),
    ["terminal"],
  );
  assert.equal(registry.find("terminal")?.tool.name, "terminal");
  assert.deepEqual([...(registry.expand("terminal")?.tools ?? [])], ["terminal"]);
  assert.equal(loads, 0);
  assert.deepEqual([...(registry.expand("mcp-s")?.tools ?? [])], ["mcp__s__go"]);
  assert.equal(registry.find("mcp__s__go")?.tool.description, "late");
  assert.equal(loads, 1);
  late[Symbol.dispose]();
  assert.equal(registry.find("mcp__s__go"), undefined);
});

test("an MCP tool never replaces a built-in tool, whichever is registered first", () => {
  const registry = createRegistry();
  add(registry, tool("x", "mcp-a", "server"), { kind: "mcp", server: "a" });
  add(registry, tool("x", "file", "built in"));
  assert.deepEqual(described(registry), ["x: built in"]);
});

function cyclic(): JsonObject {
  const schema: Record<string, unknown> = { type: "object" };
  schema.self = schema;
  return schema as JsonObject;
}

function nested(levels: number): JsonObject {
  let schema: JsonObject = { type: "string" };
  for (let level = 0; level < levels; level++) schema = { type: "array", items: schema };
  return schema;
}

test("a tool that would break a request is refused with the reason", () => {
  const sound = tool("fine");
  const broken: readonly (readonly [Partial<Record<keyof Tool, unknown>>, RegExp])[] = [
    [{ inputSchema: cyclic() }, /contains itself/],
    [{ inputSchema: nested(5000) }, /nests deeper than 100 levels/],
    [{ inputSchema: { enum: Array.from({ length: 200 }, () => "x".repeat(10_000)) } }, /more than 1000000 characters/],
    [{ inputSchema: { default: 1n } }, /bigint is not a JSON value/],
    [{ inputSchema: { validate: () => true } }, /function is not a JSON value/],
    [{ inputSchema: "object" }, /must be a JSON Schema object/],
    [{ inputSchema: JSON.parse('{"__proto__":{"a":1}}') }, /__proto__/],
    [{ name: "no blanks" }, /the name must be/],
    [{ name: "x".repeat(65) }, /the name must be/],
    [{ name: 7 }, /the name must be/],
    [{ toolset: "" }, /toolset must be a name/],
    [{ needs: undefined }, /needs must be a list/],
    [{ requiresEnv: "KEY" }, /requiresEnv must be a list/],
    [{ description: undefined }, /description must be text/],
    [{ traits: { maxResultChars: "long" } }, /traits.maxResultChars must be a number above 0/],
    [{ traits: { timeoutMs: -1 } }, /traits.timeoutMs must be a number above 0/],
    [{ traits: { readOnly: "yes" } }, /traits.readOnly must be true or false/],
    [{ traits: { callers: "anyone" } }, /traits.callers must be/],
    [{ prepare: undefined }, /not a tool; write it with defineTool/],
  ];
  const registry = createRegistry();
  for (const [change, reason] of broken) {
    const added = registry.add({ ...sound, ...change } as Tool, builtin);
    assert.ok(!added.ok);
    assert.match(added.error.message, reason);
  }
  for (const nothing of [null, undefined, 1, "tool", []]) {
    assertFails(registry.add(nothing as unknown as Tool, builtin), /not a tool; write it with defineTool/u);
  }
  assert.deepEqual(registry.list(), []);
  assert.equal(registry.generation, 0);
});

test("no tool and no toolset may have the name of an Object.prototype member", () => {
  const registry = createRegistry();
  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
    for (const source of [
      builtin,
      { kind: "mcp", server: "a" },
      { kind: "user", file: "a" },
      { kind: "plugin", plugin: "a" },
    ] as never[]) {
      assertFails(registry.add(tool(name), source), /the name is a reserved word/u);
      assertFails(registry.add({ ...tool("plain"), toolset: name }, source), /toolset \w+ is a reserved word/u);
    }
    registry.addToolset({ name, description: "", tools: [] });
  }
  assert.deepEqual([registry.list(), registry.toolsets()], [[], []]);
  assert.match(registry.diagnostics.map(({ message }) => message).join(), /toolset constructor is refused/u);
});

test("a tool whose properties throw when they are read is refused", () => {
  const hostile = {
    ...tool("x"),
    get inputSchema(): never {
      throw new Error("no");
    },
  };
  const added = createRegistry().add(hostile, builtin);
  assert.match(added.ok ? "" : added.error.message, /cannot be read: no/);
});

test("missing fields of a tool that was written without defineTool get defaults", () => {
  const registry = createRegistry();
  const { emoji: _, ...plain } = tool("plain");
  add(registry, { ...plain, traits: { readOnly: true, untrusted: undefined } } as never);
  const admitted = registry.find("plain")!.tool;
  assert.deepEqual(admitted.traits, { ...tool("other").traits, readOnly: true });
  assert.equal(admitted.emoji, "⚡");
});

test("the lists and traits of a tool cannot be changed after its registration", () => {
  const registry = createRegistry();
  const needs: string[] = [];
  const traits = { ...tool("x").traits };
  add(registry, { ...tool("x"), needs, traits } as never);
  needs.push("environment");
  Object.assign(traits, { readOnly: true });
  assert.deepEqual(registry.find("x")!.tool.needs, []);
  assert.equal(registry.find("x")!.tool.traits.readOnly, false);
});

test("changes that an author makes to a tool object after its registration have no effect", () => {
  const registry = createRegistry();
  add(registry, tool("terminal", "terminal", "ours"));
  const sly = { ...tool("weather", "weather", "theirs") };
  add(registry, sly, { kind: "plugin", plugin: "p" });
  sly.name = "terminal";
  sly.description = "changed";
  assert.deepEqual(described(registry), ["terminal: ours", "weather: theirs"]);
});

test("toolsets with the same name are merged, and the later one cannot remove tools", () => {
  const registry = createRegistry();
  registry.addToolset({ name: "web", description: "Web", tools: ["web_search"] });
  const extension = registry.addToolset({ name: "web", description: "Mine", tools: ["mine"], includes: ["file"] });
  add(registry, tool("crawl", "web"), { kind: "plugin", plugin: "p" });
  const joined = [{ name: "web", description: "Web", tools: ["crawl", "mine", "web_search"], includes: ["file"] }];
  assert.deepEqual(registry.toolsets(), joined);
  extension[Symbol.dispose]();
  extension[Symbol.dispose]();
  assert.deepEqual(registry.toolsets(), [{ name: "web", description: "Web", tools: ["crawl", "web_search"] }]);
});

test("tools whose toolset was not declared form their own toolset", () => {
  const registry = createRegistry();
  add(registry, tool("mcp_gh_issue", "mcp-gh"), { kind: "mcp", server: "gh" });
  using _alias = registry.addAlias("gh", "mcp-gh");
  assert.deepEqual(registry.expand("gh"), { name: "mcp-gh", tools: new Set(["mcp_gh_issue"]) });
  assert.equal(registry.expand("nothing"), undefined);
});

test("a later alias replaces an earlier one and is reported, and disposing it restores the earlier one", () => {
  const registry = createRegistry();
  add(registry, tool("a", "one"));
  add(registry, tool("b", "two"));
  registry.addAlias("x", "one");
  const second = registry.addAlias("x", "two");
  assert.equal(registry.expand("x")?.name, "two");
  assert.match(registry.diagnostics[0]!.message, /the alias x referred to one and now refers to two/);
  second[Symbol.dispose]();
  second[Symbol.dispose]();
  assert.equal(registry.expand("x")?.name, "one");
});

test("every change increases the generation, and the number of diagnostics is limited", () => {
  const registry = createRegistry();
  add(registry, tool("x", "set"));
  const { generation } = registry;
  for (let round = 0; round < 3000; round++) registry.add(tool("x", `other${round}`), builtin);
  assert.equal(registry.generation, generation);
  assert.equal(registry.diagnostics.length, 1000);
});
