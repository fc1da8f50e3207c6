// covers: src/runtime, src/sessions, src/safety, src/kernel
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { asId, type SessionId } from "../../src/base/ids.ts";
import type { PendingApproval } from "../../src/contracts/safety/approval.ts";
import type { Runtime, Session } from "../../src/contracts/session/runtime.ts";
import { localPrincipal } from "../../src/hosts/local-principal.ts";
import { call, obedientModel, say } from "../support/obedient-model.ts";
import { runtimeRig } from "../support/runtime-rig.ts";
import { tempHome } from "../support/temp-home.ts";

const { signal } = new AbortController();

interface Family extends AsyncDisposable {
  readonly folder: string;
  readonly runtime: Runtime;
  readonly parent: Session;
  readonly child: Session;
}

async function family(settings: Readonly<Record<string, unknown>> = {}): Promise<Family> {
  const home = await tempHome();
  const runtime = await runtimeRig({ folder: home.path, model: obedientModel(), settings });
  const parent = await runtime.openSession({ source: "test" });
  const child = await runtime.openSession({ source: "subagent", parent: parent.id });
  return {
    folder: home.path,
    runtime,
    parent,
    child,
    async [Symbol.asyncDispose]() {
      await runtime[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

test("a child uses the environment and the folder of its parent, and has its own history", async () => {
  await using at = await family();
  const { parent, child } = at;
  await mkdir(join(at.folder, "sub"));
  await call(parent, "terminal", { command: "cd sub && export FRUIT=quince" });
  assert.match(await call(child, "terminal", { command: 'echo "$FRUIT in $PWD"' }), /quince in .*\/sub/u);
  await call(child, "terminal", { command: "cd .." });
  assert.doesNotMatch(await call(parent, "terminal", { command: "pwd" }), /\/sub/u);
  assert.equal((await child.record()).parent, parent.id);
  assert.equal(parent.history().filter(({ role }) => role === "user").length, 2);
  assert.equal(child.history().filter(({ role }) => role === "tool").length, 2);
});

test("the spend of a child counts against the budget of its parent", async () => {
  await using at = await family({ "budget.max_usd_per_session": 1 });
  assert.equal((await say(at.parent, "one")).reason, "answered");
  assert.equal((await say(at.child, "two")).reason, "answered");
  assert.equal((await say(at.child, "three")).reason, "budget");
  assert.equal((await say(at.parent, "four")).reason, "budget");
  await using other = await at.runtime.openSession({ source: "test" });
  assert.equal((await say(other, "five")).reason, "answered");
});

test("closing a child session leaves the environment of its parent open", async () => {
  await using at = await family();
  const { parent, child } = at;
  await call(parent, "terminal", { command: "sleep 300", background: true });
  await call(child, "terminal", { command: "sleep 301", background: true });
  await child[Symbol.asyncDispose]();
  assert.match(await call(parent, "process", { action: "list" }), /sleep 300/u);
  assert.match(await call(parent, "terminal", { command: "echo still here" }), /still here/u);
});

test("a child stops only its own processes", async () => {
  await using at = await family();
  const { parent, child } = at;
  await call(parent, "terminal", { command: "sleep 300", background: true });
  await call(child, "terminal", { command: "sleep 301", background: true });
  assert.equal(await child.stopProcesses(signal), 1);
  assert.equal(await parent.stopProcesses(signal), 1);
});

test("closing a parent session closes its children and their children", async () => {
  await using at = await family();
  const { runtime, parent, child } = at;
  const grandchild = await runtime.openSession({ source: "subagent", parent: child.id });
  const turn = grandchild.prompt([
    { type: "text", text: JSON.stringify({ name: "terminal", args: { command: "sleep 60" } }) },
  ]);
  for await (const event of turn.events()) if (event.type === "tool.started") break;
  await parent[Symbol.asyncDispose]();
  assert.equal((await turn.done).reason, "aborted");
  assert.equal((await say(child, "are you there?")).reason, "aborted");
  await using resumed = await runtime.openSession({ source: "test", resume: grandchild.id });
  assert.equal(resumed.heldBy, undefined);
  await assert.rejects(runtime.openSession({ source: "subagent", parent: parent.id }), /is not open here/u);
});

test("a child's question appears in its parent's interface, and the parent's mode and grants apply", async () => {
  await using at = await family();
  const { runtime, parent, child, folder } = at;
  await mkdir(join(folder, "build"));
  const questions: PendingApproval[] = [];
  using _person = parent.approvals.attach({
    name: "test",
    async ask(question) {
      questions.push(question);
      return { scope: "session" };
    },
  });
  await call(child, "terminal", { command: "rm -rf build" });
  assert.ok(!existsSync(join(folder, "build")));
  assert.deepEqual(
    questions.map(({ sessionId, shownIn, principal }) => [sessionId, shownIn, principal]),
    [[child.id, parent.id, localPrincipal().id]],
  );
  await mkdir(join(folder, "build"));
  await call(parent, "terminal", { command: "rm -rf build" });
  assert.ok(!existsSync(join(folder, "build")));
  assert.equal(questions.length, 1);
  parent.approvals.setMode("readonly");
  assert.match(await call(child, "terminal", { command: "touch a" }), /denied|read-?only/iu);
  await assert.rejects(
    runtime.openSession({ source: "subagent", parent: asId<SessionId>("nobody") }),
    /is not open here/u,
  );
});

test("a session and its child ask one question at a time, and one answer can settle both questions", async () => {
  await using at = await family();
  const { parent, child, folder } = at;
  await mkdir(join(folder, "build"));
  const texts: string[] = [];
  using _person = parent.approvals.attach({
    name: "test",
    async ask({ text }) {
      texts.push(text);
      return { scope: "session" };
    },
  });
  await Promise.all([parent, child].map((session) => call(session, "terminal", { command: "rm -rf build" })));
  assert.deepEqual(texts, ["rm -rf build"]);
});
