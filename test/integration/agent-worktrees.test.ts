// covers: src/agents, src/runtime/agents
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { asId, type CallId, type SessionId } from "../../src/base/ids.ts";
import type { ModelClient } from "../../src/contracts/model/model.ts";
import type { AgentReport, AgentTask } from "../../src/contracts/session/agents.ts";
import { inChild, runAll } from "../support/child-process.ts";
import { eventually } from "../support/eventually.ts";
import { runtimeRig } from "../support/runtime-rig.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { tempHome } from "../support/temp-home.ts";

const { signal } = new AbortController();

async function rig(model: ModelClient, settings: Readonly<Record<string, unknown>> = {}) {
  const home = await tempHome();
  const folder = await realpath(home.path);
  const root = join(folder, "project");
  await mkdir(root);
  await writeFile(join(root, "a.txt"), "one\n");
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, { cwd: root, env: { PATH: process.env["PATH"], HOME: folder }, encoding: "utf8" });
  git("init", "-q");
  git("add", "-A");
  git("-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-qm", "first");
  const runtime = await runtimeRig({ folder, cwd: root, model, settings: { "approvals.mode": "off", ...settings } });
  const parent = await runtime.openSession({ source: "test" });
  return {
    folder,
    root,
    git,
    parent,
    async run(...tasks: readonly Partial<AgentTask>[]): Promise<readonly AgentReport[]> {
      const full = tasks.map((task, index): AgentTask => ({
        goal: `task ${index}`,
        role: "leaf",
        isolation: "worktree",
        ...task,
      }));
      const ids = await parent.agents.spawn(full, { callId: asId<CallId>("call_1"), isBackground: false, signal });
      assert.ok(ids.ok, JSON.stringify(ids));
      const reports = await parent.agents.wait(ids.value, { signal });
      return reports.map((report) => report ?? assert.fail("no report"));
    },
    async [Symbol.asyncDispose]() {
      await runtime[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

test("a child in a worktree changes its copy, and its report has a patch that can be applied", async () => {
  const model = scriptedModel([
    { calls: [{ name: "read_file", args: { path: "a.txt" } }] },
    { calls: [{ name: "write_file", args: { path: "a.txt", content: "two\n" } }] },
    { calls: [{ name: "terminal", args: { command: "echo new > new.txt; git status --short; pwd" } }] },
    { calls: [{ name: "terminal", args: { command: "sleep 300", background: true } }] },
    { text: "done" },
  ]);
  await using at = await rig(model);
  const [report] = await at.run({});
  assert.ok(report?.patch, JSON.stringify(report));
  assert.deepEqual(report.filesChanged.toSorted(), ["a.txt", "new.txt"]);
  assert.match(JSON.stringify(model.requests.at(-2)?.messages), /M a\.txt.*\?\? new\.txt/su);
  assert.equal(await readFile(join(at.root, "a.txt"), "utf8"), "one\n");
  assert.equal(at.git("status", "--short"), "");
  await eventually(async () => (await readdir(join(at.folder, ".hermes", "worktrees"))).length === 0);
  at.git("apply", report.patch);
  assert.equal(at.git("status", "--short"), " M a.txt\n?? new.txt\n");
});

test("a resumed child in a worktree still has its earlier changes, unless the project already contains them", async () => {
  const model = scriptedModel(({ messages }) => {
    const last = messages.at(-1);
    if (last?.role !== "user") return { text: "done" };
    return { calls: [{ name: "terminal", args: { command: "cat a.txt; echo more >> new.txt" } }] };
  });
  await using at = await rig(model);
  const [first] = await at.run({});
  assert.ok(first?.patch);
  const spawning = { callId: asId<CallId>("call_2"), isBackground: false, signal };
  const resume = async (id: AgentReport["agentId"]) => {
    const next = await at.parent.agents.resume(id, "again", spawning);
    assert.ok(next.ok, JSON.stringify(next));
    const [report] = await at.parent.agents.wait([next.value], { signal });
    return report ?? assert.fail("no report");
  };
  const second = await resume(first.agentId);
  assert.match(await readFile(second.patch ?? "", "utf8"), /\+more\n\+more\n/u);
  at.git("apply", second.patch ?? "");
  const third = await resume(second.agentId);
  assert.match(await readFile(third.patch ?? "", "utf8"), / more\n more\n\+more\n/u);
});

test("in the sandbox a child in a worktree uses git in its copy, and reaches neither the project nor siblings", async () => {
  const model = scriptedModel(({ messages }) => {
    const calls = messages.filter(({ role }) => role === "tool").length;
    const command = [
      "echo two > a.txt && git add -A && git -c user.name=A -c user.email=a@b commit -qm second && git log --oneline | wc -l",
      "echo three > ../../../../project/a.txt; echo trees: $(ls ../.. | wc -l)",
    ][calls];
    return command === undefined ? { text: "done" } : { calls: [{ name: "terminal", args: { command } }] };
  });
  await using at = await rig(model, { "isolation.mode": "on", "approvals.mode": "manual" });
  const reports = await at.run({}, {});
  for (const report of reports)
    assert.match(await readFile(report.patch ?? "", "utf8"), /\+two/u, JSON.stringify(report));
  const seen = JSON.stringify(model.requests.at(-1)?.messages);
  assert.match(seen, /Read-only file system.*trees: 1\b/u);
  assert.equal(await readFile(join(at.root, "a.txt"), "utf8"), "one\n");
  assert.equal(at.git("log", "--oneline").trim().split("\n").length, 1);
});

test("an agent that shares the terminal of its parent cannot have its own copy", async () => {
  await using at = await rig(scriptedModel([{ text: "done" }]));
  const [report] = await at.run({ share: true });
  assert.match(report?.why ?? "", /not both/u);
});

test("outside of a repository, and on other backends, worktree isolation fails with a reason and starts nothing", async () => {
  await using home = await tempHome();
  const model = scriptedModel([{ text: "done" }]);
  for (const [settings, why] of [
    [{}, /needs a git repository/u],
    [{ "terminal.backend": "docker" }, /on this machine only, and this session runs them on docker/u],
  ] as const) {
    await using runtime = await runtimeRig({ folder: home.path, model, settings });
    const { agents } = await runtime.openSession({ source: "test" });
    const tasks = [{ goal: "x", role: "leaf", isolation: "worktree" } as const];
    const ids = await agents.spawn(tasks, { callId: asId<CallId>("call_1"), isBackground: false, signal });
    assert.ok(ids.ok);
    const [report] = await agents.wait(ids.value, { signal });
    assert.equal(report?.status, "failed");
    assert.match(report.why ?? "", why);
  }
  assert.ok(!existsSync(join(home.path, ".hermes", "worktrees")));
  assert.equal(model.requests.length, 0);
});

test("after kill -9, the report of the lost child includes its patch, and its copy is removed", async () => {
  await using at = await rig(scriptedModel([{ text: "done" }]));
  const child = inChild(join(import.meta.dirname, "..", "support"), program, [at.folder, at.root]);
  let id = "";
  await runAll([child], async () => {
    child.process.stdout?.on("data", (chunk: Buffer) => (id += chunk.toString()));
    await eventually(() => id.endsWith("\n"));
    child.process.kill("SIGKILL");
    await child.ended;
  });
  await using runtime = await runtimeRig({ folder: at.folder, cwd: at.root, model: scriptedModel([{ text: "ok" }]) });
  const resumed = await runtime.openSession({ source: "test", resume: asId<SessionId>(id.trim()) });
  const [lost] = await resumed.agents.list();
  assert.ok(lost);
  const report = await resumed.agents.report(lost.agentId);
  assert.equal(report?.status, "lost");
  assert.match(await readFile(report.patch ?? "", "utf8"), /\+half done/u);
  assert.deepEqual(await readdir(join(at.folder, ".hermes", "worktrees")), []);
  assert.equal(at.git("status", "--short"), "");
});

const program = `
  import { runtimeRig } from "./runtime-rig.ts";
  import { scriptedModel } from "./scripted-model.ts";
  const [folder, cwd] = process.argv.slice(1);
  const model = scriptedModel([
    { calls: [{ name: "write_file", args: { path: "a.txt", content: "half done" } }] },
    { text: "waiting", hangs: true },
  ]);
  const runtime = await runtimeRig({ folder, cwd, model, settings: { "approvals.mode": "off" } });
  const parent = await runtime.openSession({ source: "test" });
  const task = { goal: "work", role: "leaf", isolation: "worktree" };
  await parent.agents.spawn([task], { callId: "call_1", isBackground: true, signal: new AbortController().signal });
  while (model.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
  console.log(parent.id);
`;
