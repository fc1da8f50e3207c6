import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { assertFails } from "../../../test/support/failure.ts";
import { runtimeRig } from "../../../test/support/runtime-rig.ts";
import { scriptedModel, type ScriptedAnswer } from "../../../test/support/scripted-model.ts";
import { tempHome } from "../../../test/support/temp-home.ts";
import type { Session } from "../../contracts/session/runtime.ts";
import { exchangesUpTo } from "../../sessions/branches.ts";

const never = new AbortController().signal;

async function ask(session: Session, text: string): Promise<string> {
  const { text: answer } = await session.prompt([{ type: "text", text }]).done;
  return answer;
}

const echo = scriptedModel((request) => ({ text: `re ${lastText(request.messages.at(-1))}` }));

function lastText(message: unknown): string {
  return /"text":"([^"]*)"/u.exec(JSON.stringify(message))?.[1] ?? "";
}

function textsOf(session: Session): readonly string[] {
  return session.history().map((message) => lastText(message));
}

async function ways(session: Session): Promise<readonly string[]> {
  const tree = await session.tree();
  return tree.branches.map(
    ({ name, last, isCurrent }) => `${name}: ${exchangesUpTo(tree, last).join(" ")}${isCurrent ? "*" : ""}`,
  );
}

test("branches can start from here or anywhere, switch back and forth, and survive a restart", async () => {
  await using home = await tempHome();
  await using runtime = await runtimeRig({ folder: home.path, model: echo });
  const session = await runtime.openSession({ source: "test" });
  await ask(session, "one");
  await ask(session, "two");
  assert.ok((await session.branch({ name: "idea" }, never)).ok);
  await ask(session, "three");
  assert.deepEqual(textsOf(session), ["one", "re one", "two", "re two", "three", "re three"]);
  const early = await session.branch({ from: "1" }, never);
  assert.equal(early.ok && early.value.branch.name, "branch-3");
  await ask(session, "other");
  assert.deepEqual(textsOf(session), ["one", "re one", "other", "re other"]);
  assert.deepEqual(await ways(session), ["main: 1 2", "idea: 1 2 3", "branch-3: 1 4*"]);
  assert.ok((await session.switchTo("idea", never)).ok);
  assert.deepEqual(textsOf(session).at(-1), "re three");
  await session[Symbol.asyncDispose]();

  await using again = await runtime.openSession({ source: "test", resume: session.id });
  assert.deepEqual(await ways(again), ["main: 1 2", "idea: 1 2 3*", "branch-3: 1 4"]);
  assert.deepEqual(textsOf(again).at(-1), "re three");
  await again[Symbol.asyncDispose]();
  await using there = await runtime.openSession({ source: "test", resume: session.id, branch: "4" });
  assert.deepEqual(textsOf(there).at(-1), "re other");
  await there[Symbol.asyncDispose]();
  await assert.rejects(
    runtime.openSession({ source: "test", resume: session.id, branch: "none" }),
    /no branch "none"; there are: main, idea, branch-3/u,
  );
});

test("a branch from a prompt starts before it, a branch from 0 is empty, and both keep the system prompt", async () => {
  await using home = await tempHome();
  const model = scriptedModel((request) => ({ text: `re ${lastText(request.messages.at(-1))}` }));
  await using runtime = await runtimeRig({ folder: home.path, model });
  await using session = await runtime.openSession({ source: "test" });
  await ask(session, "one");
  await ask(session, "two");
  const { exchanges } = await session.tree();
  const before = await session.branch({ from: exchanges[1]?.entry ?? "" }, never);
  assert.deepEqual(before.ok && before.value.prompt, [{ type: "text", text: "two" }]);
  assert.deepEqual(textsOf(session), ["one", "re one"]);
  assert.ok((await session.branch({ from: "0", name: "anew" }, never)).ok);
  assert.deepEqual(textsOf(session), []);
  await ask(session, "first");
  assert.deepEqual(model.requests.at(-1)?.system, model.requests[0]?.system);
  assert.deepEqual(model.requests.at(-1)?.messages.length, 1);
});

test("the head does not move during a turn; invalid and duplicate names are refused with a hint", async () => {
  await using home = await tempHome();
  const answers: readonly ScriptedAnswer[] = [{ text: "a" }, { text: "b", hangs: true }];
  await using runtime = await runtimeRig({ folder: home.path, model: scriptedModel(answers) });
  await using session = await runtime.openSession({ source: "test" });
  await ask(session, "one");
  const message = async (moved: ReturnType<Session["branch"]>) => {
    const result = await moved;
    return result.ok ? "" : result.error.message;
  };
  assert.match(await message(session.branch({ name: "main" }, never)), /branch main already/u);
  assert.match(await message(session.branch({ name: "12" }, never)), /cannot be the name/u);
  assert.match(await message(session.branch({ from: "7" }, never)), /no exchange 7/u);
  assert.match(await message(session.branch({ from: "e999999" }, never)), /no exchange or entry/u);
  assert.ok((await session.switchTo("main", never)).ok);
  assert.deepEqual(await ways(session), ["main: 1*"]);
  const turn = session.prompt([{ type: "text", text: "two" }]);
  assert.match(await message(session.branch({}, never)), /a turn is running/u);
  turn.abort("enough");
  await turn.done;
});

test("a prompt sent while the head moves goes to the new branch", async () => {
  await using home = await tempHome();
  await using runtime = await runtimeRig({ folder: home.path, model: echo });
  await using session = await runtime.openSession({ source: "test" });
  await ask(session, "one");
  const moving = session.branch({ name: "B", from: "0" }, never);
  const request = ask(session, "early");
  assert.ok((await moving).ok);
  await request;
  assert.deepEqual(textsOf(session), ["early", "re early"]);
  assert.deepEqual(await ways(session), ["main: 1", "B: 2*"]);
});

test("each branch has its own plan", async () => {
  await using home = await tempHome();
  const todo = (content: string) => ({
    calls: [{ name: "todo", args: { todos: [{ id: "1", content, status: "pending" }] } }],
  });
  const model = scriptedModel([todo("A"), { text: "ok" }, todo("B"), { text: "ok" }]);
  await using runtime = await runtimeRig({ folder: home.path, model });
  await using session = await runtime.openSession({ source: "test" });
  const plan = () => session.todos().map(({ content }) => content);
  await ask(session, "plan A");
  assert.ok((await session.branch({ name: "B" }, never)).ok);
  await ask(session, "plan B");
  assert.deepEqual(plan(), ["B"]);
  assert.ok((await session.switchTo("main", never)).ok);
  assert.deepEqual(plan(), ["A"]);
  assert.ok((await session.switchTo("B", never)).ok);
  assert.deepEqual(plan(), ["B"]);
  assert.ok((await session.undo(2)).ok);
  assert.deepEqual(plan(), []);
});

test("each branch has its files, and switching branches restores them", async () => {
  await using home = await tempHome();
  const project = join(home.path, "project");
  await mkdir(join(project, ".git"), { recursive: true });
  const file = join(project, "a.txt");
  await writeFile(file, "start\n");
  const write = (content: string) => ({ calls: [{ name: "write_file", args: { path: "a.txt", content } }] });
  const model = scriptedModel([write("A\n"), { text: "ok" }, write("B\n"), { text: "ok" }]);
  await using runtime = await runtimeRig({
    folder: home.path,
    cwd: project,
    model,
    settings: { "approvals.mode": "yolo" },
  });
  await using session = await runtime.openSession({ source: "test" });
  await ask(session, "write A");
  assert.equal(await readFile(file, "utf8"), "A\n");
  assert.ok((await session.branch({ name: "B" }, never)).ok);
  await ask(session, "write B");
  assert.equal(await readFile(file, "utf8"), "B\n");
  for (const [name, text] of [
    ["main", "A\n"],
    ["B", "B\n"],
    ["main", "A\n"],
  ] as const) {
    assert.ok((await session.switchTo(name, never)).ok);
    const branch = (await session.tree()).branches.find(({ isCurrent }) => isCurrent);
    assert.equal(branch?.name, name);
    const restored = await session.checkpoints?.restore(branch?.checkpoint ?? "", {}, never);
    assert.ok(restored?.ok, restored?.ok === false ? restored.error.message : "");
    assert.equal(await readFile(file, "utf8"), text);
  }
  // A branch from an earlier point restores the files of that point; one from the head has nothing to restore.
  const early = await session.branch({ name: "early", from: "0" }, never);
  assert.ok(early.ok && early.value.filesAt !== undefined);
  assert.ok((await session.checkpoints?.restore(early.value.filesAt, {}, never))?.ok);
  assert.equal(await readFile(file, "utf8"), "start\n");
  const here = await session.branch({ name: "here" }, never);
  assert.ok(here.ok && here.value.filesAt === undefined);
});

test("a title is cleaned and unique; a duplicate gets a number", async () => {
  await using home = await tempHome();
  await using runtime = await runtimeRig({ folder: home.path, model: echo });
  await using first = await runtime.openSession({ source: "test", title: "Plans" });
  await using second = await runtime.openSession({ source: "test", title: "Plans" });
  assert.equal((await second.record()).title, "Plans #2");
  const titled = await first.setTitle("  a\u202eb\u0000\u200b\n c ");
  assert.equal(titled.ok && titled.value, "ab c");
  assert.equal((await first.record()).title, "ab c");
  const result = await second.setTitle("ab c");
  assert.equal(result.ok && result.value, "ab c #2");
  const same = await second.setTitle("ab c #2");
  assert.equal(same.ok && same.value, "ab c #2");
  assertFails(await second.setTitle("\u200b"), /A title needs at least one letter/u);
  const long = await second.setTitle("x".repeat(500));
  assert.equal(long.ok && long.value.length, 100);
});

test("undo also works across a compaction, and restores the messages that the summary replaced", async () => {
  await using home = await tempHome();
  const model = scriptedModel(({ tools, messages }) => {
    const answer = `re ${lastText(messages.findLast(({ role }) => role === "user"))} ${"and more words of it ".repeat(400)}`;
    const usage = { input: Math.ceil(JSON.stringify(messages).length / 4), output: 10 };
    return { text: tools.length === 0 ? "## Goal\nAnswer one after the other, as asked for." : answer, usage };
  });
  const settings = { "compression.threshold_tokens": 10_000, "compression.protect_last_n": 3 };
  await using runtime = await runtimeRig({ folder: home.path, model, settings });
  await using session = await runtime.openSession({ source: "test" });
  const names = Array.from({ length: 8 }, (_, index) => `prompt ${index + 1}`);
  for (const name of names) await ask(session, name);
  const before = textsOf(session);
  assert.ok(!before.includes("prompt 1"), "it was summed up");
  const last = await session.undo(1);
  assert.deepEqual(last.ok && last.value.prompt, [{ type: "text", text: "prompt 8" }]);
  const older = await session.undo(5);
  assert.deepEqual(older.ok && older.value.prompt, [{ type: "text", text: "prompt 3" }]);
  assert.deepEqual(
    textsOf(session).filter((each) => each.startsWith("prompt")),
    ["prompt 1", "prompt 2"],
  );
  const tooMany = await session.undo(3);
  assert.equal(!tooMany.ok && tooMany.error.message, "there are only 2 exchanges to undo");
});
