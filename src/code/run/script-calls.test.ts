import assert from "node:assert/strict";
import { test } from "node:test";

import { fakeClock } from "../../../test/support/fake-clock.ts";
import type { ScriptTool } from "../../contracts/code/code-run.ts";
import { fail, json, text, type ToolResult } from "../../contracts/tool/tool-result.ts";
import { createScriptCalls } from "./script-calls.ts";

const search: ScriptTool = {
  name: "search_files",
  alias: "search",
  description: "Searches.",
  inputSchema: { type: "object", properties: { pattern: { type: "string" } } },
};
const terminal: ScriptTool = {
  name: "terminal",
  description: "Runs.",
  inputSchema: { type: "object", properties: { command: {}, timeout: {}, workdir: {} } },
};

function rig(answer: (tool: string) => ToolResult | Promise<ToolResult> = () => json({ ok: 1 }), maxCalls = 50) {
  const clock = fakeClock();
  const dispatched: unknown[] = [];
  const notes: string[] = [];
  let waited = 0;
  const calls = createScriptCalls(
    {
      tools: [search, terminal],
      isExcluded: (name) => name === "vision_analyze",
      async call(tool, args) {
        dispatched.push([tool, args]);
        return answer(tool);
      },
      progress: (note) => notes.push(note),
      waitedMs: () => waited,
    },
    { maxCalls, callMs: 300_000 },
    clock,
  );
  return { calls, dispatched, notes, clock, wait: (ms: number) => (waited += ms) };
}

test("calling an unknown tool, an excluded tool or execute_code itself gives an error that says what to do", async () => {
  const { calls, dispatched } = rig();
  const errorOf = async (tool: string) => (await calls.answer({ tool, args: {} })) as { readonly error: string };
  assert.deepEqual(await errorOf("foo"), { error: "Unknown tool: foo. Available: search_files, terminal" });
  assert.deepEqual(await errorOf("vision_analyze"), {
    error: "Tool 'vision_analyze' is not available in execute_code. Use it as a normal tool call instead.",
  });
  assert.match((await errorOf("execute_code")).error, /^execute_code cannot be called from a script/);
  assert.deepEqual(dispatched, []);
  assert.equal(calls.count(), 0);
});

test("without tools, every call returns an error that says so", async () => {
  const clock = fakeClock();
  const call = async () => json({});
  const deps = { tools: [], isExcluded: () => false, call, progress() {}, waitedMs: () => 0 };
  const calls = createScriptCalls(deps, { maxCalls: 50, callMs: 1 }, clock);
  assert.deepEqual(await calls.answer({ tool: "terminal", args: {} }), {
    error: "Unknown tool: terminal. Available: none",
  });
});

test("search is an alias of search_files", async () => {
  const { calls, dispatched } = rig();
  await calls.answer({ tool: "search", args: { pattern: "x" } });
  assert.deepEqual(dispatched, [["search_files", { pattern: "x" }]]);
});

test("background and pty are errors when they are on, and have no effect when off or unset", async () => {
  const { calls, dispatched } = rig();
  const refused = await calls.answer({ tool: "terminal", args: { command: "ls", background: true, pty: true } });
  assert.deepEqual(refused, {
    error:
      "terminal: background, pty cannot be used in execute_code. A script can pass: command, timeout, workdir. Use a normal tool call instead.",
  });
  await calls.answer({ tool: "terminal", args: { command: "ls", background: false, pty: null, timeout: null } });
  assert.deepEqual(dispatched, [["terminal", { command: "ls" }]]);
});

test("calls beyond the maximum are errors, even when all of them start at the same time", async () => {
  const { calls, dispatched } = rig(undefined, 3);
  const one = () => calls.answer({ tool: "search", args: {} });
  const answers = await Promise.all([one(), one(), one(), one()]);
  assert.deepEqual(
    answers.map((answer) => typeof answer === "object" && answer !== null && "error" in answer),
    [false, false, false, true],
  );
  assert.match(JSON.stringify(answers[3]), /Tool call limit reached \(3\)/);
  assert.equal(dispatched.length, 3);
  assert.equal(calls.count(), 3);
});

test("a value is data, parsed JSON or text, and a failure keeps its data", async () => {
  const value = async (result: ToolResult) => rig(() => result).calls.answer({ tool: "search", args: {} });
  assert.deepEqual(await value(json({ a: 1 })), { a: 1 });
  assert.deepEqual(await value(text('{"b": [2]}')), { b: [2] });
  assert.equal(await value(text("plain")), "plain");
  assert.equal(await value(text("{not json")), "{not json");
  assert.deepEqual(await value(fail("it broke", "failed", { data: { at: 3 } })), { at: 3, error: "it broke" });
});

test("progress names the number of calls and the last tool", async () => {
  const { calls, notes } = rig();
  await calls.answer({ tool: "search", args: {} });
  await calls.answer({ tool: "terminal", args: { command: "ls" } });
  assert.deepEqual(notes, ["1 call, search", "2 calls, terminal"]);
});

test("a call that takes longer than its limit gives an error; waiting for a person does not count", async () => {
  const { promise, resolve } = Promise.withResolvers<ToolResult>();
  const { calls, clock, wait } = rig(() => promise);
  let answer: unknown;
  const work = calls.answer({ tool: "search", args: {} }).then((value) => (answer = value));
  wait(200_000);
  clock.advance(300_001);
  assert.equal(answer, undefined);
  clock.advance(200_000);
  await work;
  assert.deepEqual(answer, { error: "search took longer than 300 s. It may have had an effect." });
  resolve(text("late"));
});

test("calls after the end of the script are refused", async () => {
  const { calls, dispatched } = rig();
  calls.close();
  assert.match(JSON.stringify(await calls.answer({ tool: "search", args: {} })), /the script has ended/);
  assert.deepEqual(dispatched, []);
});
