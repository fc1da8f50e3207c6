import assert from "node:assert/strict";
import { test } from "node:test";

import { assertGrowsLinearly } from "../../../../test/support/growth.ts";
import { asId, type CallId } from "../../../base/ids.ts";
import type { AssistantMessage, ToolCall } from "../../../contracts/model/message.ts";
import type { Catalog } from "../../../contracts/tool/registry.ts";
import { repairCalls } from "./repair-calls.ts";

// A catalog that contains only the names that the lookup needs.
const catalog = { names: ["read"], find: (name: string) => (name === "read" ? {} : undefined) } as unknown as Catalog;
const call = (id: string, args: ToolCall["args"]): ToolCall => ({ id: asId<CallId>(id), name: "read", args });

function repaired(...calls: readonly ToolCall[]): AssistantMessage {
  const provider = { id: "p", data: { calls: calls.map(({ id }) => `signature of ${id}`) } };
  return repairCalls({ role: "assistant", content: [], calls, stop: "calls", provider }, catalog, () => false).message;
}

test("duplicate calls run once, and the provider's data is dropped because it describes all calls", () => {
  const message = repaired(call("a", { path: "x" }), call("b", { path: "x" }), call("c", { path: "y" }));
  assert.deepEqual(
    message.calls.map(({ id }) => id),
    ["a", "c"],
  );
  assert.equal(message.provider, undefined);
  assert.notEqual(repaired(call("a", { path: "x" }), call("b", { path: "y" })).provider, undefined);
});

test("arguments are repaired before they are stored, so that the next request shows what ran", () => {
  assert.deepEqual(
    repaired(call("a", '{"path": "x",}'), call("b", ""), call("c", " not json ")).calls.map(({ args }) => args),
    ['{"path": "x"}', {}, "not json"],
  );
});

function repairedName(name: string): string | undefined {
  const names = ["read_file", "todo", "mcp_docs_get", "skills_list"];
  // A catalog with only the functions that look up names.
  const tools = { names, find: (other: string) => (names.includes(other) ? {} : undefined) } as unknown as Catalog;
  return repairCalls(
    { role: "assistant", content: [], calls: [{ ...call("a", {}), name }], stop: "calls" },
    tools,
    () => false,
  ).message.calls[0]?.name;
}

test("a misspelled name that can mean only one tool resolves to that tool", () => {
  for (const [name, tool] of [
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
    assert.equal(repairedName(name), tool, name);
  for (const name of ["read", "_tool", "tool", "docs_get", "read_fil", "readreadread", ""])
    assert.equal(repairedName(name), name);
});

test("the time to repair a name is proportional to its length", async () => {
  for (const part of ["_tool", "<|\n"])
    await assertGrowsLinearly(40_000, (size) => {
      const name = `${part.repeat(size)}x`;
      assert.equal(repairedName(name), name);
    });
});
