// covers: src/store, src/kernel
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { userName } from "../../src/base/this-user.ts";
import type { Message } from "../../src/contracts/model/message.ts";
import type { AgentEvent } from "../../src/contracts/session/event.ts";
import type { Session } from "../../src/contracts/session/runtime.ts";
import { inChild, runAll } from "../support/child-process.ts";
import { eventually } from "../support/eventually.ts";
import { runtimeRig } from "../support/runtime-rig.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { tempHome } from "../support/temp-home.ts";
import { textOf } from "../support/turn-rig.ts";

const support = join(import.meta.dirname, "..", "support");

/** A turn that plans, runs a long command, and has a queued prompt. `stopAt`: a call that never starts. */
const program = `
  import { writeSync } from "node:fs";
  import { runtimeRig } from "./runtime-rig.ts";
  import { scriptedModel } from "./scripted-model.ts";
  const [folder, stopAt] = process.argv.slice(1);
  const todos = [{ id: "1", content: "survive", status: "in_progress" }];
  const model = scriptedModel([
    { calls: [{ id: "plan", name: "todo", args: { todos } }] },
    { calls: [{ id: "long", name: "terminal", args: { command: "echo ran >> ran.txt; sleep 3" } }] },
  ]);
  const runtime = await runtimeRig({ folder, model, settings: { "approvals.mode": "yolo" } });
  runtime.hooks.add("test", {
    async beforeToolCall({ call }) {
      if (call.name === stopAt) await new Promise(() => setInterval(() => {}, 1000));
    },
  });
  const session = await runtime.openSession({ source: "test" });
  session.prompt([{ type: "text", text: "do it" }]);
  session.queue([{ type: "text", text: "and then?" }]);
  for await (const event of session.events(0)) {
    if (event.type === "tool.started") writeSync(1, event.name + "\\n");
    const isStored = event.type === "message.added" && event.message.calls?.some(({ name }) => name === stopAt);
    if (isStored) writeSync(1, "stopped\\n");
  }`;

interface Resumed {
  readonly session: Session;
  readonly events: readonly AgentEvent[];
  readonly requested: readonly Message[];
}

/** Runs the program until `isThere`, kills it, and resumes its session in this process. */
async function crash(
  { stopAt, isThere }: { stopAt: string; isThere(folder: string, output: string): boolean },
  check: (resumed: Resumed, folder: string) => Promise<void> | void,
): Promise<void> {
  await using home = await tempHome();
  const child = inChild(support, program, [home.path, stopAt]);
  let output = "";
  child.process.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  await runAll([child], () =>
    eventually(() => {
      assert.equal(child.process.exitCode, null, `the program ended: ${output}`);
      return isThere(home.path, output);
    }),
  );
  const model = scriptedModel([{ text: "I look first." }]);
  await using runtime = await runtimeRig({ folder: home.path, model });
  const match = await runtime.sessions.find("latest", { id: `local:${userName()}` });
  assert.ok(match.ok);
  await using session = await runtime.openSession({ source: "test", resume: match.value.id });
  assert.equal(session.heldPrompts, 1);
  assert.equal(session.turn, undefined);
  assert.equal(session.sendHeld(), true);
  const events: AgentEvent[] = [];
  for await (const event of session.events(0)) {
    events.push(event);
    if (event.type === "turn.finished") break;
  }
  await check({ session, events, requested: model.requests[0]?.messages ?? [] }, home.path);
}

function resultsOf(messages: readonly Message[], callId: string): readonly string[] {
  return messages.filter((each) => each.role === "tool" && each.callId === callId).map(textOf);
}

function noticesIn(events: readonly AgentEvent[]): readonly string[] {
  return events.flatMap((event) => (event.type === "notice" ? [event.text] : []));
}

function checkRestored({ session, events, requested }: Resumed): void {
  assert.deepEqual(
    session.todos().map(({ content, status }) => [content, status]),
    [["survive", "in_progress"]],
  );
  assert.equal(resultsOf(requested, "plan").length, 1);
  const prompts = events.flatMap((event) => (event.type === "turn.started" ? event.prompt : []));
  assert.deepEqual(prompts, [{ type: "text", text: "and then?" }]);
  assert.deepEqual(session.queued, []);
  assert.equal(textOf(session.history().at(-1)), "I look first.");
}

test("a call that was running when the program was killed has one result, with unknown outcome, and is not repeated", () =>
  crash({ stopAt: "", isThere: (folder) => existsSync(join(folder, "ran.txt")) }, (resumed, folder) => {
    const results = resultsOf(resumed.requested, "long");
    assert.equal(results.length, 1);
    assert.match(results[0] ?? "", /outcome is unknown/u);
    assert.deepEqual(resultsOf(resumed.session.history(), "long"), results);
    assert.match(noticesIn(resumed.events).join("\n"), /1 tool call still ran when this session ended/u);
    assert.equal(readFileSync(join(folder, "ran.txt"), "utf8"), "ran\n");
    checkRestored(resumed);
  }));

test("a call that had not started when the program was killed is reported as not run", () =>
  crash({ stopAt: "terminal", isThere: (_, output) => output.includes("stopped") }, (resumed, folder) => {
    const results = resultsOf(resumed.requested, "long");
    assert.equal(results.length, 1);
    assert.match(results[0] ?? "", /was not run/u);
    assert.deepEqual(noticesIn(resumed.events), []);
    assert.ok(!existsSync(join(folder, "ran.txt")));
    checkRestored(resumed);
  }));
