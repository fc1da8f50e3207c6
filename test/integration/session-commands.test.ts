// covers: src/sessions, src/runtime/session, src/commands/turns, src/commands/agents, src/commands/settings, src/operations
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import type { AssistantMessage } from "../../src/contracts/model/message.ts";
import { localPrincipal } from "../../src/hosts/local-principal.ts";
import { changedSelection } from "../../src/operations/tools/changed-selection.ts";
import { type RequestWithoutModel, type ScriptedAnswer, scriptedModel } from "../support/scripted-model.ts";
import { slashSession, type SlashSession } from "../support/slash-session.ts";
import { tempHome } from "../support/temp-home.ts";

const lastText = ({ messages }: RequestWithoutModel) => JSON.stringify(messages.at(-1)?.content);

test("/btw answers about the conversation, runs no tool, and leaves the history unchanged", async () => {
  await using home = await tempHome();
  const model = scriptedModel((request, index): ScriptedAnswer => {
    if (index === 0) return { text: "I chose a map." };
    // The first answer to the side question only calls a tool, which must not run.
    if (request.tools.length > 0) return { calls: [{ name: "write_file", args: { path: "no.txt", content: "x" } }] };
    return { text: "Because of the order." };
  });
  await using rig = await slashSession({ folder: home.path, model });
  await rig.ask("write a cache");
  const before = rig.session.history();
  assert.equal((await rig.command("/btw why a map?")).text, "Because of the order.");
  assert.deepEqual(rig.session.history(), before);
  assert.match(lastText(model.requests[1] ?? model.requests[0]!), /side question.*why a map\?/u);
  assert.match(JSON.stringify(model.requests[1]?.messages), /I chose a map/u);
  assert.equal((await readdir(home.path)).includes("no.txt"), false);
  const path = await rig.runtime.sessions.path(rig.session.id);
  assert.ok(path.some((entry) => entry.type === "usage" && entry.task === "side_question"));
});

test("/background runs in parallel to a turn, without its history, and reports when it is done", async () => {
  await using home = await tempHome();
  const model = scriptedModel((request): ScriptedAnswer => {
    const all = JSON.stringify(request.messages);
    if (all.includes("count the files")) {
      assert.doesNotMatch(all, /a long task/u);
      return request.messages.at(-1)?.role === "tool"
        ? { text: "There are 3." }
        : { calls: [{ name: "terminal", args: { command: "ls" } }] };
    }
    return { text: "busy", hangs: true };
  });
  await using rig = await slashSession({ folder: home.path, model });
  const turn = rig.session.prompt([{ type: "text", text: "a long task" }]);
  assert.match((await rig.command("/background count the files")).text, /Started background session 1/u);
  await rig.noticed(/Background 1 \(count the files\) is done:\nThere are 3\./u);
  assert.match((await rig.command("/bg list")).text, /1 {2}done, \d+ s: count the files/u);
  assert.equal((await rig.command("/bg show 1")).text, "There are 3.");
  await rig.command("/bg another long one");
  assert.match((await rig.command("/bg stop 2")).text, /Stopped background 2/u);
  await rig.noticed(/Background 2 .* ended without an answer/u);
  turn.abort("enough");
  await rig.idle();
  assert.doesNotMatch(JSON.stringify(rig.session.history()), /There are 3/u);
});

test("background sessions stay in the list after a restart, and each end is reported exactly once", async () => {
  await using home = await tempHome();
  const model = scriptedModel((request): ScriptedAnswer =>
    JSON.stringify(request.messages).includes("never ends") ? { text: "busy", hangs: true } : { text: "There are 3." },
  );
  const about = { folder: home.path, model };
  const first = await slashSession(about);
  const { id } = first.session;
  try {
    await first.ask("hello");
    await first.command("/bg count the files");
    await first.noticed(/Background 1 \(count the files\) is done/u);
    await first.command("/bg this never ends");
    // An undo in this session must not change the list.
    await first.command("/undo now");
  } finally {
    await first[Symbol.asyncDispose]();
  }
  // A program that was killed after the answer was stored, and before anybody saw it.
  const killed = { number: 3, prompt: "killed late", startedAt: 1 };
  const reports = (rig: SlashSession) => rig.notices().filter((text) => text.startsWith("Background"));
  {
    await using rig = await slashSession({
      ...about,
      session: { resume: id },
      async prepare({ sessions }) {
        const principal = localPrincipal();
        const late = await sessions.create({ source: "background", principal, parent: id });
        const lease = await sessions.lease(late.id, "test");
        assert.ok(lease.ok);
        await using _held = lease.value;
        const message = { role: "assistant", content: [{ type: "text", text: "late answer" }], calls: [], stop: "end" };
        await sessions.append(late.id, [
          { type: "state", name: "background", value: killed },
          { type: "message", message: message as AssistantMessage },
        ]);
      },
    });
    await rig.noticed(/Background 3 \(killed late\) is done:\nlate answer/u);
    assert.equal(reports(rig).length, 2, reports(rig).join("\n"));
    assert.match(reports(rig)[0] ?? "", /^Background 2 \(this never ends\) ended without an answer:[^]*hermes -r /u);
    const { text } = await rig.command("/bg list");
    assert.match(
      text,
      /1 {2}done, [^\n]*count the files\n +2 {2}aborted[^\n]*never ends\n +3 {2}done[^\n]*killed late/u,
    );
    assert.equal((await rig.command("/bg show 1")).text, "There are 3.");
    assert.match((await rig.command("/bg stop 2")).text, /has ended already/u);
    for (const wrong of ["/bg stop", "/bg stop x", "/bg show"])
      assert.match((await rig.command(wrong)).text, /Pass the number/u, wrong);
    await rig.command("/bg one more");
    await rig.noticed(/Background 4 \(one more\) is done/u);
  }
  await using again = await slashSession({ ...about, session: { resume: id } });
  assert.match((await again.command("/bg")).text, /1 {2}done[^]*4 {2}done[^\n]*one more$/u);
  assert.deepEqual(reports(again), []);
});

test("/diff shows the changes of the session, /diff git those of git; /review asks the bundled agent", async () => {
  await using home = await tempHome();
  const { path: folder } = home;
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.org", ...args], { cwd: folder });
  git("init", "-q");
  await writeFile(join(folder, "a.txt"), "one\n");
  git("add", "a.txt");
  git("commit", "-qm", "first");
  const model = scriptedModel((request): ScriptedAnswer => {
    const first = JSON.stringify(request.messages[0]);
    if (first.includes("Review the uncommitted changes")) return { text: "No findings. a.txt is sound." };
    if (request.messages.at(-1)?.role === "tool") return { text: "done" };
    return { calls: [{ name: "write_file", args: { path: "b.txt", content: "two\n" } }] };
  });
  await using rig = await slashSession({ folder, model });
  assert.match((await rig.command("/diff")).text, /has not changed any files/u);
  await rig.ask("write b.txt");
  assert.match((await rig.command("/diff")).output ?? "", /b\.txt[^]*\+two/u);
  await writeFile(join(folder, "a.txt"), "changed\n");
  assert.match((await rig.command("/diff git")).output ?? "", /-one\n\+changed/u);
  assert.match((await rig.command("/diff HEAD; rm -rf .")).text, /is not a range/u);
  const review = await rig.command("/review");
  assert.match(review.text, /No findings\. a\.txt is sound\./u);
  await rig.ask("go on");
  assert.match(JSON.stringify(rig.session.history()), /a\.txt is sound/u);
});

test("/tools disable and enable continue in a new session with other tools", async () => {
  await using home = await tempHome();
  const model = scriptedModel(() => ({ text: "ok" }));
  await using rig = await slashSession({ folder: home.path, model });
  const off = await rig.command("/tools disable terminal write_file now");
  assert.equal(off.effect?.kind, "new");
  const tools = off.effect?.kind === "new" ? off.effect.tools : undefined;
  assert.ok(tools);
  const next = await rig.runtime.openSession({ source: "cli", cwd: home.path, tools });
  assert.equal(next.catalog.has("terminal"), false);
  assert.equal(next.catalog.has("write_file"), false);
  assert.equal(next.catalog.has("read_file"), true);
  assert.match((await rig.command("/tools disable nothing-like-it")).text, /There is no tool or toolset/u);
  const kinds = (name: string) => (name === "web" ? "toolset" : "tool");
  const back = changedSelection({ ...tools }, { enable: ["write_file", "web"], disable: [] }, kinds);
  assert.equal(back.ok && back.value.disabledTools?.includes("write_file"), false);
});

test("/init and /learn send a prompt; /journey and /curator print a report", async () => {
  await using home = await tempHome();
  const prompts: string[] = [];
  const model = scriptedModel((request) => {
    prompts.push(lastText(request));
    return { text: "written" };
  });
  await using rig = await slashSession({ folder: home.path, model });
  await rig.command("/init mention the port");
  await rig.idle();
  assert.match(prompts[0] ?? "", /AGENTS\.md[^]*The person adds: mention the port/u);
  await rig.command("/learn docs/deploy.md");
  await rig.idle();
  assert.match(prompts[1] ?? "", /Keep this as a skill[^]*docs\/deploy\.md/u);
  assert.match((await rig.command("/journey")).text, /Nothing yet\. 0 notes, 0 learnings/u);
  assert.match((await rig.command("/curator")).text, /The curator has not run yet/u);
  assert.match((await rig.command("/curator run --dry-run")).text, /nothing to archive/u);
  assert.match((await rig.command("/curator pin")).text, /Name a skill/u);
});

test("/worktree starts a session in its own worktree, lists it, and removes it only if nothing would be lost", async () => {
  await using home = await tempHome();
  const { path: folder } = home;
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.org", ...args], { cwd: folder });
  git("init", "-q");
  await writeFile(join(folder, "a.txt"), "one\n");
  git("add", "a.txt");
  git("commit", "-qm", "first");
  const model = scriptedModel(() => ({ text: "ok" }));
  await using rig = await slashSession({ folder, model });
  assert.match((await rig.command("/worktree")).text, /There are no worktrees/u);
  const { effect } = await rig.command("/worktree new now");
  const cwd = effect?.kind === "new" ? (effect.cwd ?? "") : "";
  assert.match(cwd, /\.worktrees\/hermes-/u);
  await using inside = await rig.runtime.openSession({ source: "cli", cwd });
  assert.equal(inside.place().cwd, cwd);
  const name = /hermes-\w+$/u.exec(cwd)?.[0] ?? "";
  assert.match((await rig.command("/worktree list")).text, new RegExp(`${name} +hermes/${name}`, "u"));
  await writeFile(join(cwd, "a.txt"), "work\n");
  assert.match((await rig.command(`/worktree remove ${name}`)).text, /was not removed, because it has changes/u);
  await writeFile(join(cwd, "a.txt"), "one\n");
  assert.match((await rig.command(`/worktree remove ${name}`)).text, /^Removed /u);
  assert.match((await rig.command("/worktree")).text, /There are no worktrees/u);
});
