import assert from "node:assert/strict";
import { test } from "node:test";

import { coreTools, builtinToolsets } from "./toolsets.ts";

const byName = new Map(builtinToolsets.map((set) => [set.name, set]));

test("toolset names are unique and every included toolset exists", () => {
  assert.equal(byName.size, builtinToolsets.length);
  for (const set of builtinToolsets) {
    assert.equal(new Set(set.tools).size, set.tools.length, set.name);
    for (const name of set.includes ?? []) assert.ok(byName.has(name), `${set.name} includes ${name}`);
  }
});

test("every tool of a preset or posture is in a toolset that can be disabled by name", () => {
  const plain = new Set(
    builtinToolsets.filter(({ role }) => role !== "preset" && role !== "posture").flatMap(({ tools }) => tools),
  );
  for (const { name, role, tools } of builtinToolsets) {
    if (role !== "preset" && role !== "posture") continue;
    for (const tool of tools) assert.ok(plain.has(tool), `${tool} of ${name}`);
  }
});

test("disabling the browser keeps web search", () => {
  assert.ok(!byName.get("browser")?.tools.includes("web_search"));
});

test("a webhook gets no tool with effects, because its payload is untrusted", () => {
  assert.deepEqual(byName.get("hermes-webhook")?.tools, ["web_search", "web_extract", "vision_analyze", "clarify"]);
});

test("the toolset of the shared board is not part of any preset and is enabled only by name", () => {
  assert.equal(byName.get("kanban")?.role, "explicit");
  assert.ok(!coreTools.some((tool) => tool.startsWith("kanban_")));
});
