import assert from "node:assert/strict";
import { test } from "node:test";

import { z } from "zod";

import { call, dispatchRig } from "../../../../test/support/dispatch-rig.ts";
import { defineTool } from "../../../contracts/tool/define-tool.ts";
import { json, text, type ToolResult } from "../../../contracts/tool/tool-result.ts";

const words = "a page of a stranger with many words in it";

const page = defineTool({
  name: "page",
  toolset: "test",
  description: "Reads a page.",
  input: z.object({}),
  traits: { readOnly: true, callers: "both", untrusted: true },
  run: async () => text(words),
});

function script(name: string, inner: string | undefined, seen: string[], by?: "plugin") {
  return defineTool({
    name,
    toolset: "test",
    description: "Calls a tool.",
    input: z.object({}),
    needs: ["call"],
    traits: { readOnly: true, callers: "both" },
    async run(_, ctx) {
      if (inner !== undefined) seen.push(shown(await ctx.call(inner, {}, by)));
      return json({ output: "printed by the script, long enough to be marked" });
    },
  });
}

function shown(result: ToolResult): string {
  const content = result.ok ? result.value.content : [];
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}

test("a script receives untrusted text as data, and its own output is marked as untrusted", async () => {
  const seen: string[] = [];
  const rig = dispatchRig([script("run", "page", seen), page]);
  const result = await rig.dispatcher.dispatch(call("run"), rig.scope());
  assert.deepEqual(seen, [words]);
  assert.match(shown(result), /^<untrusted_tool_result source="page">/);
});

test("output of a script is untrusted if a script that it called read untrusted text", async () => {
  const seen: string[] = [];
  const rig = dispatchRig([script("outer", "inner", seen), script("inner", "page", seen), page]);
  const result = await rig.dispatcher.dispatch(call("outer"), rig.scope());
  assert.match(shown(result), /^<untrusted_tool_result source="page">/);
  assert.doesNotMatch(seen[1] ?? "", /untrusted/);
});

test("a script that calls no untrusted tool is not marked as untrusted, and a plugin gets fenced text", async () => {
  const seen: string[] = [];
  const rig = dispatchRig([script("plain", undefined, seen), script("plugged", "page", seen, "plugin"), page]);
  assert.doesNotMatch(shown(await rig.dispatcher.dispatch(call("plain"), rig.scope())), /untrusted/);
  await rig.dispatcher.dispatch(call("plugged", {}, "call_2"), rig.scope());
  assert.match(seen[0] ?? "", /^<untrusted_tool_result/);
});

test("a script gets the full text of a result that is too long for a model", async () => {
  const long = defineTool({
    name: "page",
    toolset: "test",
    description: "Prints much.",
    input: z.object({}),
    traits: { readOnly: true, callers: "both" },
    run: async () => text("x".repeat(5_000)),
  });
  const seen: string[] = [];
  const rig = dispatchRig([script("run", "page", seen), long], { limits: { resultChars: 1_000 } });
  await rig.dispatcher.dispatch(call("run"), rig.scope());
  assert.equal(seen[0]?.length, 5_000);
});
