import assert from "node:assert/strict";
import { test } from "node:test";

import { asId, type CallId } from "../../base/ids.ts";
import type { AssistantMessage, ToolCall } from "../../contracts/model/message.ts";
import type { Catalog } from "../../contracts/tool/registry.ts";
import { repairCalls } from "./repair-calls.ts";

// Only what a name is looked up by.
const catalog = { names: ["read"], find: (name: string) => (name === "read" ? {} : undefined) } as unknown as Catalog;
const call = (id: string, args: ToolCall["args"]): ToolCall => ({ id: asId<CallId>(id), name: "read", args });

function repaired(...calls: readonly ToolCall[]): AssistantMessage {
  const provider = { id: "p", data: { calls: calls.map(({ id }) => `signature of ${id}`) } };
  return repairCalls({ role: "assistant", content: [], calls, stop: "calls", provider }, catalog, () => false).message;
}

test("the same call is made once, and what the provider counted by calls goes with the other", () => {
  const message = repaired(call("a", { path: "x" }), call("b", { path: "x" }), call("c", { path: "y" }));
  assert.deepEqual(
    message.calls.map(({ id }) => id),
    ["a", "c"],
  );
  assert.equal(message.provider, undefined);
  assert.notEqual(repaired(call("a", { path: "x" }), call("b", { path: "y" })).provider, undefined);
});

test("arguments are mended before they are stored, so that the next request shows what was run", () => {
  assert.deepEqual(
    repaired(call("a", '{"path": "x",}'), call("b", ""), call("c", " not json ")).calls.map(({ args }) => args),
    ['{"path": "x"}', {}, "not json"],
  );
});

test("a name that can only mean one tool is that tool", () => {
  const names = ["read_file", "todo", "mcp_docs_get", "skills_list"];
  // Only what a name is looked up by.
  const tools = { names, find: (name: string) => (names.includes(name) ? {} : undefined) } as unknown as Catalog;
  const meant = (name: string) =>
    repairCalls(
      { role: "assistant", content: [], calls: [{ ...call("a", {}), name }], stop: "calls" },
      tools,
      () => false,
    ).message.calls[0]?.name;
  for (const [said, tool] of [
    ["READ_FILE", "read_file"],
    ["ReadFile", "read_file"],
    ["read-file_Tool", "read_file"],
    ["TodoTool_tool", "todo"],
    ["functions.read_file:0", "read_file"],
    ["read_file<|channel|>commentary", "read_file"],
    ["skills_listskills_list", "skills_list"],
    ["SKILLS_LISTSKILLS_LIST", "skills_list"],
    ["mcp_mcp_docs_get", "mcp_docs_get"],
    ["mmcp_docs_get", "mcp_docs_get"],
  ] as const)
    assert.equal(meant(said), tool, said);
  for (const said of ["read", "_tool", "tool", "docs_get", "read_fil", "readreadread", ""])
    assert.equal(meant(said), said);
  const began = performance.now();
  for (const said of [`${"_tool".repeat(40_000)}x`, "<|\n".repeat(60_000)]) assert.equal(meant(said), said);
  assert.ok(performance.now() - began < 1_000, "a name without an end takes no time");
});
