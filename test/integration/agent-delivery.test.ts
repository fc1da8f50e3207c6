// covers: src/agents, src/runtime/agents, src/runtime/session, src/kernel, src/store
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import type { JsonObject } from "../../src/base/json.ts";
import type { Session } from "../../src/contracts/session/runtime.ts";
import { agentRig, answersByGoal, leaf, modelByGoal, reportOf, spawned } from "../support/agent-rig.ts";
import { eventually } from "../support/eventually.ts";
import { say } from "../support/obedient-model.ts";
import { scriptedModel } from "../support/scripted-model.ts";

/** Messages in the history that give reports to the session. */
function deliveries(session: Session): readonly string[] {
  return session
    .history()
    .flatMap(({ role, content }) =>
      content.flatMap((part) =>
        role === "user" && part.type === "text" && /^Agent agent_\w+ .*has ended/mu.test(part.text) ? [part.text] : [],
      ),
    );
}

test("the report of a background child agent arrives once, in a later turn", async () => {
  const model = modelByGoal({ "count the files": [{ text: "There are 7." }] });
  await using at = await agentRig(model);
  const { parent } = at;
  const [id = assert.fail()] = await spawned(parent, [leaf("count the files")], { isBackground: true });
  await eventually(async () => (await parent.agents.list())[0]?.state === "completed");
  assert.deepEqual(parent.agents.undelivered(), [id]);
  await say(parent, "anything new?");
  assert.match(deliveries(parent).join(), /count the files[^]*There are 7\./u);
  await say(parent, "and now?");
  assert.equal(deliveries(parent).length, 1);
  assert.deepEqual(parent.agents.undelivered(), []);
  const runtime = await at.restart();
  const resumed = await runtime.openSession({ source: "test", resume: parent.id });
  await say(resumed, "and after the restart?");
  assert.equal(deliveries(resumed).length, 1);
  assert.deepEqual(
    (await resumed.agents.list()).map(({ agentId, state }) => [agentId, state]),
    [[id, "completed"]],
  );
  assert.equal((await resumed.agents.report(id))?.summary, "There are 7.");
});

test("an undelivered report of a child agent arrives once after a restart", async () => {
  const model = modelByGoal({
    "count the files": [{ text: "There are 7." }],
    "count the folders": [{ text: "I see", hangs: true }],
  });
  await using at = await agentRig(model);
  await say(at.parent, "hello");
  await spawned(at.parent, [leaf("count the files"), leaf("count the folders")], { isBackground: true });
  await eventually(async () => (await at.parent.agents.list()).some(({ state }) => state === "completed"));
  for (const expected of [2, 2]) {
    const runtime = await at.restart();
    const resumed = await runtime.openSession({ source: "test", resume: at.parent.id });
    await say(resumed, "what did they say?");
    const texts = deliveries(resumed).join("\n");
    assert.equal(deliveries(resumed).length, expected);
    assert.match(texts, /ended: completed\. .*count the files/u);
    assert.match(
      texts,
      /ended: interrupted \(The session that started it was closed\.\)\..*count the folders[^]*I see/u,
    );
  }
});

test("a report in the result of a delegate call is not delivered again, even after a restart", async () => {
  const children = answersByGoal({
    "count the files": [{ text: "There are 7." }],
    "count the folders": [
      { calls: [{ name: "terminal", args: { command: "until [ -e go ]; do sleep 0.05; done" } }] },
      { text: "There are 8." },
    ],
  });
  const calls = [
    { goal: "count the files" },
    { goal: "count the folders", background: true },
    { action: "wait" },
  ] satisfies readonly JsonObject[];
  const model = scriptedModel((request, index) => {
    if (!JSON.stringify(request.messages[0]).includes("how many?")) return children(request, index);
    const args = calls[request.messages.filter(({ role }) => role === "tool").length];
    return args ? { calls: [{ name: "delegate_task", args }] } : { text: "15" };
  });
  await using at = await agentRig(model);
  const { parent } = at;
  const asking = say(parent, "how many?");
  await eventually(async () => JSON.stringify(parent.history()).includes('"wait"'));
  await writeFile(join(at.folder, "go"), "");
  assert.equal((await asking).text, "15");
  const results = parent.history().filter(({ role }) => role === "tool");
  assert.match(JSON.stringify(results), /There are 7\.[^]*There are 8\./u);
  assert.deepEqual(parent.agents.undelivered(), []);
  const runtime = await at.restart();
  const resumed = await runtime.openSession({ source: "test", resume: parent.id });
  await say(resumed, "thanks");
  assert.deepEqual(deliveries(resumed), []);
});

test("an orchestrator starts its own agents, and events and the agent list show the whole tree", async () => {
  const call = (args: JsonObject) => ({ calls: [{ name: "delegate_task", args }] });
  const model = modelByGoal({
    "plan the work": ({ messages }, index) => {
      if (index === 0) return call({ tasks: [{ goal: "paint the wall" }, { goal: "clean the floor" }] });
      return { text: `they said ${JSON.stringify(messages.at(-1))}` };
    },
    "paint the wall": [call({ goal: "buy some paint" }), { text: "painted" }],
    "clean the floor": [{ text: "cleaned" }],
  });
  await using at = await agentRig(model);
  const seen = new Map<string, number>();
  const reading = (async () => {
    for await (const event of at.parent.events(0))
      if (event.type === "agent.changed") seen.set(event.agent.goal, event.agent.depth);
  })();
  const report = await reportOf(at.parent, { goal: "plan the work", role: "orchestrator" });
  assert.match(report.summary, /painted[^]*cleaned/u);
  const wall = model.requests.find(({ messages }) => JSON.stringify(messages).includes("Task: paint the wall"));
  assert.ok(wall && !wall.tools.some(({ name }) => name === "delegate_task"), "a leaf cannot delegate");
  const tree = (await at.parent.agents.list()).map(({ goal, depth, state }) => [goal, depth, state]);
  assert.deepEqual(
    tree.toSorted(([one], [two]) => String(one).localeCompare(String(two))),
    [
      ["clean the floor", 2, "completed"],
      ["paint the wall", 2, "completed"],
      ["plan the work", 1, "completed"],
    ],
  );
  await at.parent[Symbol.asyncDispose]();
  await reading;
  assert.deepEqual(Object.fromEntries(seen), { "plan the work": 1, "paint the wall": 2, "clean the floor": 2 });
});
