import assert from "node:assert/strict";
import { test } from "node:test";

import { z } from "zod";

import { defineTool } from "../../contracts/tool/define-tool.ts";
import { text } from "../../contracts/tool/tool-result.ts";
import type { ToolTraits } from "../../contracts/tool/tool.ts";
import { describeScripts, scriptTools } from "./script-tools.ts";

function tool(name: string, traits: Partial<ToolTraits> = { callers: "both" }) {
  return defineTool({
    name,
    toolset: "test",
    description: `${name}: {stubs}; {seconds} s, {calls} calls`,
    input: z.object({ command: z.string(), background: z.boolean().optional() }),
    traits,
    run: async () => text(""),
  });
}

test("scripts can call tools that are marked for them, and never tools of the deny list, even from a plugin", () => {
  const tools = ["write_file", "read_file", "clarify", "process", "browser_vision", "execute_code", "rl_test"];
  const names = scriptTools([...tools.map((name) => tool(name)), tool("todo", { callers: "model" })]);
  assert.deepEqual(
    names.map(({ name }) => name),
    ["read_file", "write_file"],
  );
});

test("a stub has the arguments that scripts may pass, and the alias of its tool", () => {
  const [stub] = scriptTools([
    tool("terminal", { callers: "both", scriptArguments: ["command"], scriptAlias: "shell" }),
  ]);
  assert.equal(stub?.alias, "shell");
  assert.deepEqual(Object.keys((stub?.inputSchema["properties"] ?? {}) as object), ["command"]);
});

test("the description of execute_code lists the existing stubs and the limits, or says that there are no stubs", () => {
  const runner = tool("execute_code", { callers: "model" });
  const limits = { seconds: 12, calls: 3 };
  const { description } = describeScripts(runner, [runner, tool("read_file"), tool("todo", {})], limits);
  assert.equal(description, "execute_code: read_file; 12 s, 3 calls");
  assert.match(describeScripts(runner, [runner], limits).description, /: no tool; /);
});
