// covers: src/kernel, src/store, src/runtime
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { isObject } from "../../src/base/json.ts";
import { userName } from "../../src/base/this-user.ts";
import type { Runtime } from "../../src/contracts/session/runtime.ts";
import type { Entry } from "../../src/contracts/session/session.ts";
import { createPaint } from "../../src/hosts/cli/paint.ts";
import { transcriptText } from "../../src/hosts/cli/session-transcript.ts";
import { sessionLines } from "../../src/sessions/export/session-lines.ts";
import { inChild, runAll } from "../support/child-process.ts";
import { eventually } from "../support/eventually.ts";
import { runtimeRig } from "../support/runtime-rig.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { tempHome } from "../support/temp-home.ts";
import { textOf } from "../support/turn-rig.ts";

const support = join(import.meta.dirname, "..", "support");
const plugin = pathToFileURL(join(import.meta.dirname, "..", "..", "src", "plugin.ts")).href;

/**
 * A user's tool that makes ten calls in parallel: one on a path that it holds itself, one denied, the others run
 * `command`.
 */
function manyTool(command: string): string {
  return `
    import { defineTool, json, z } from ${JSON.stringify(plugin)};
    export default defineTool({
      name: "many",
      toolset: "own",
      description: "Makes ten calls.",
      input: z.object({ path: z.string() }),
      needs: ["call"],
      effects: ({ path }) => [{ kind: "write", path }],
      async run({ path }, { call }) {
        const results = await Promise.all([
          call("write_file", { path, content: "nested" }),
          call("terminal", { command: "rm -rf /" }),
          ...Array.from({ length: 8 }, () => call("terminal", { command: ${JSON.stringify(command)} })),
        ]);
        return json(results.map((each) => (each.ok ? "ok" : each.error.kind)));
      },
    });`;
}

async function homeWith(command: string) {
  const home = await tempHome();
  const tools = join(home.path, ".hermes", "tools");
  await mkdir(tools, { recursive: true });
  await writeFile(join(tools, "many.tool.mjs"), manyTool(command));
  return home;
}

const settings = { "approvals.mode": "yolo" };

/** The outcomes of nested calls. Every call that was planned or refused is a key. */
function nestedOutcomes(entries: readonly Entry[]): ReadonlyMap<string, readonly string[]> {
  const outcomes = new Map<string, string[]>();
  for (const entry of entries) {
    if (entry.type === "planned" && entry.call.parentCallId === "many_1") outcomes.set(entry.call.callId, []);
    if (entry.type !== "settled" || entry.parentCallId !== "many_1") continue;
    const outcome = entry.result.ok ? "ok" : `${entry.result.error.kind} ${entry.result.error.effect}`;
    outcomes.set(entry.callId, [...(outcomes.get(entry.callId) ?? []), outcome]);
  }
  return outcomes;
}

async function latest(runtime: Runtime) {
  const record = await runtime.sessions.find("latest", { id: `local:${userName()}` });
  assert.ok(record.ok);
  return record.value.id;
}

const callMany = { calls: [{ id: "many_1", name: "many", args: { path: "held.txt" } }] };

test("a tool makes ten calls in parallel; the model sees one result, the store records all of them", async () => {
  await using home = await homeWith("echo hi");
  const model = scriptedModel([callMany, { text: "done" }]);
  await using runtime = await runtimeRig({ folder: home.path, model, settings });
  await using session = await runtime.openSession({ source: "test" });
  await session.prompt([{ type: "text", text: "go" }]).done;
  const results = session.history().flatMap((message) => (message.role === "tool" ? [message] : []));
  const expected = JSON.stringify(["ok", "denied", ...Array.from({ length: 8 }, () => "ok")]);
  assert.deepEqual(results.map(textOf), [expected]);
  assert.equal(await readFile(join(home.path, "held.txt"), "utf8"), "nested");
  const outcomes = [...nestedOutcomes(await runtime.sessions.entries(session.id)).values()];
  assert.deepEqual(
    outcomes.map((each) => each.length),
    Array.from({ length: 10 }, () => 1),
  );
  assert.deepEqual(outcomes.flat().toSorted(), [...Array.from({ length: 9 }, () => "ok"), "denied none"].toSorted());
});

const program = `
  import { writeSync } from "node:fs";
  import { eventually } from "../support/eventually.ts";
import { runtimeRig } from "./runtime-rig.ts";
  import { scriptedModel } from "./scripted-model.ts";
  const [folder] = process.argv.slice(1);
  const model = scriptedModel([${JSON.stringify(callMany)}]);
  const runtime = await runtimeRig({ folder, model, settings: ${JSON.stringify(settings)} });
  const session = await runtime.openSession({ source: "test" });
  session.prompt([{ type: "text", text: "go" }]);
  for await (const event of session.events(0))
    if (event.type === "tool.started" && event.args.command === "sleep 30") writeSync(1, "sleeping\\n");`;

test("after kill -9, every nested call has exactly one outcome, and none is repeated", async () => {
  await using home = await homeWith("sleep 30");
  const child = inChild(support, program, [home.path]);
  let output = "";
  child.process.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const model = scriptedModel([{ text: "I look first." }]);
  await using runtime = await runtimeRig({ folder: home.path, model, settings });
  await runAll([child], async () => {
    await eventually(() => {
      assert.equal(child.process.exitCode, null, `the program ended: ${output}`);
      return output.includes("sleeping");
    });
    // All but the denied one run or have run.
    await eventually(async () => nestedOutcomes(await runtime.sessions.entries(await latest(runtime))).size === 10);
  });
  const id = await latest(runtime);
  const before = nestedOutcomes(await runtime.sessions.entries(id));
  assert.equal(before.size, 10);
  await using session = await runtime.openSession({ source: "test", resume: id });
  await session.prompt([{ type: "text", text: "and now?" }]).done;
  const after = nestedOutcomes(await runtime.sessions.entries(id));
  assert.deepEqual([...after.keys()], [...before.keys()]);
  for (const [callId, outcomes] of after) {
    assert.equal(outcomes.length, 1, callId);
    const [outcome] = before.get(callId) ?? [];
    assert.equal(outcomes[0], outcome ?? "aborted unknown");
  }
  const results = session.history().flatMap((message) => (message.role === "tool" ? [message] : []));
  assert.deepEqual(
    results.map(({ callId }) => callId),
    ["many_1"],
  );
  assert.match(textOf(results[0]), /outcome is unknown/u);
});

test("nested calls appear in the export, the trajectory and the transcript, and never in the context", async () => {
  await using home = await homeWith("echo hi");
  const model = scriptedModel([callMany, { text: "done" }]);
  {
    await using runtime = await runtimeRig({
      folder: home.path,
      model,
      settings: { ...settings, "agent.save_trajectories": true },
    });
    await using session = await runtime.openSession({ source: "test" });
    await session.prompt([{ type: "text", text: "go" }]).done;
    assert.ok(!JSON.stringify(model.requests[1]?.messages).includes("echo hi"));
    const record = await runtime.sessions.find("latest", { id: `local:${userName()}` });
    assert.ok(record.ok);
    const entries = await runtime.sessions.entries(session.id);
    const lines = [...sessionLines(record.value, entries)].map((line): unknown => JSON.parse(line));
    const nested = lines.filter((line) => isObject(line) && line["type"] === "sandbox_tool_call");
    assert.deepEqual(nested.map((line) => (isObject(line) ? String(line["tool"]) : "")).toSorted(), [
      ...Array.from({ length: 9 }, () => "terminal"),
      "write_file",
    ]);
    const shown = transcriptText(entries, { paint: createPaint(false), io: { columns: 100 } });
    assert.match(shown, /many held\.txt[^]*10 calls:\n[^]*· write_file held\.txt/u);
  }
  const saved = await readFile(join(home.path, ".hermes", "trajectories", "trajectory_samples.jsonl"), "utf8");
  assert.equal(saved.split('"sandbox_tool_call"').length, 11);
});
