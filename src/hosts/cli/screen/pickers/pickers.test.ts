import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { eventually } from "../../../../../test/support/eventually.ts";
import { panelRig } from "../../../../../test/support/panel-rig.ts";
import { runtimeRig } from "../../../../../test/support/runtime-rig.ts";
import { scriptedModel } from "../../../../../test/support/scripted-model.ts";
import { tempHome } from "../../../../../test/support/temp-home.ts";
import { systemClock } from "../../../../base/clock.ts";
import type { CommandEffect, PanelName } from "../../../../contracts/host/command.ts";
import { servicesOf } from "../../../../operations/operation.ts";
import { createRunner } from "../../../../operations/run-operation.ts";
import { localPrincipal } from "../../../local-principal.ts";
import { openPanel } from "../panels/open-panel.ts";
import type { PanelHost } from "../panels/panel-host.ts";

/** Panels over a real session with its store, operations and tools; only the model is scripted. */
async function screenOver(model = scriptedModel(() => ({ text: "an answer" }))) {
  const stack = new AsyncDisposableStack();
  const { path: folder } = stack.use(await tempHome());
  const runtime = stack.use(await runtimeRig({ folder, model, settings: { "approvals.mode": "off" } }));
  const session = stack.use(await runtime.openSession({ source: "cli", cwd: folder }));
  const rig = panelRig({ columns: 80, rows: 22 });
  const submitted: string[] = [];
  const inserted: string[] = [];
  const effects: CommandEffect[] = [];
  const { signal } = new AbortController();
  const services = servicesOf(() => runtime.services, { session: () => session });
  const ctx = { principal: localPrincipal(), signal, clock: systemClock, cwd: folder, report() {} };
  const host: PanelHost = {
    ...rig,
    run: createRunner(services, ctx),
    sessionId: () => session.id,
    apply: async (effect) => void effects.push(effect),
    submit: (line) => void submitted.push(line),
    insert: (text) => void inserted.push(text),
    commands: () => [
      { name: "new", summary: "Start a new session", args: "[title]", run: async () => ({ text: "" }) },
      { name: "steer", summary: "Send text to the turn", args: "text", run: async () => ({ text: "" }) },
    ],
    keys: () => [{ action: "palette", chords: ["ctrl+p"], summary: "Find everything" }],
  };
  return {
    ...rig,
    folder,
    runtime,
    session,
    submitted,
    inserted,
    effects,
    open: (name: PanelName, about = "") => void openPanel(name, about, host),
    /** Waits until the panel shows the text. */
    async shows(pattern: RegExp) {
      await eventually(
        () => {
          rig.clock.advance(100);
          return pattern.test(rig.text());
        },
        `never shown: ${String(pattern)}`,
      );
    },
    async prompt(text: string) {
      await session.prompt([{ type: "text", text }]).done;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

test("the session picker shows a preview, searches texts, and can rename, delete, undelete and switch sessions", async () => {
  await using screen = await screenOver();
  const { runtime, session } = screen;
  const other = await runtime.openSession({ source: "cli", cwd: screen.folder, title: "Old work" });
  await other.prompt([{ type: "text", text: "where is the giraffe" }]).done;
  await other[Symbol.asyncDispose]();
  await screen.prompt("hello");
  screen.open("sessions");
  await screen.shows(/● hello/u);
  screen.type("old w");
  await screen.shows(/❯ +Old work/u);
  await screen.shows(/❯ where is the giraffe\n an answer/u);
  screen.press("ctrl+t", "ctrl+u");
  screen.type("New name");
  screen.press("enter");
  await screen.shows(/Renamed to New name/u);
  screen.press("ctrl+u");
  screen.type("giraffe");
  await screen.shows(/❯ +New name/u);
  screen.press("delete");
  await screen.shows(/✗ New name/u);
  assert.equal((await runtime.sessions.list({ limit: 10 }, localPrincipal())).length, 1);
  screen.press("delete");
  await screen.shows(/The session is back/u);
  assert.equal((await runtime.sessions.list({ limit: 10 }, localPrincipal())).length, 2);
  screen.press("enter");
  await eventually(() => screen.effects.length > 0);
  assert.deepEqual(screen.effects, [{ kind: "resume", session: other.id }]);
  screen.open("sessions");
  await screen.shows(/● hello/u);
  screen.press("delete");
  await screen.shows(/open here/u);
  screen.press("ctrl+n");
  assert.deepEqual(screen.submitted, ["/new"]);
  assert.equal(session.turn, undefined);
});

test("the branch picker can continue a session at a message or on a branch", async () => {
  await using screen = await screenOver();
  await screen.prompt("first");
  await screen.prompt("second");
  const branched = await screen.session.branch({ from: "1", name: "aside" }, new AbortController().signal);
  assert.ok(branched.ok);
  await screen.prompt("third");
  screen.open("tree");
  await screen.shows(/● 1 .*first/u);
  await screen.shows(/◉ 3 .*third.*\[aside\] ← here/u);
  screen.type("first");
  screen.press("enter");
  await eventually(() => screen.submitted.length === 1);
  screen.open("tree");
  await screen.shows(/◉ 3 /u);
  screen.type("second");
  screen.press("enter");
  await eventually(() => screen.submitted.length === 2);
  screen.open("tree");
  await screen.shows(/◉ 3 /u);
  screen.type("second");
  screen.press("ctrl+b");
  await eventually(() => screen.submitted.length === 3);
  assert.deepEqual(screen.submitted, ["/branch 1", "/branch switch main", "/branch 2"]);
});

test("the call picker shows the full output of a call, and the checkpoint picker shows a diff", async () => {
  const answers = [
    { calls: [{ name: "write_file", args: { path: "note.txt", content: "new text\n" } }] },
    { text: "written" },
  ];
  await using screen = await screenOver(scriptedModel(answers));
  await screen.session.prompt([{ type: "text", text: "write" }]).done;
  screen.open("calls");
  await screen.shows(/[✓✗] write_file note\.txt/u);
  screen.press("enter");
  await screen.shows(/Arguments\n +path: note\.txt\n +content:/u);
  screen.press("/");
  screen.type("Output");
  screen.press("enter", "escape", "escape");
  assert.equal(screen.panels.current, undefined);
  assert.equal(await readFile(join(screen.folder, "note.txt"), "utf8"), "new text\n");
  screen.open("checkpoints");
  await screen.shows(/write_file/u);
  await screen.shows(/\+new text/u);
  screen.press("enter");
  assert.match(screen.submitted.join(), /^\/rollback \S+$/u);
});

test("queued prompts can be edited, moved and removed", async () => {
  const hanging = scriptedModel(() => ({ text: "…", hangs: true }));
  await using screen = await screenOver(hanging);
  const turn = screen.session.prompt([{ type: "text", text: "begin" }]);
  for (const text of ["one", "two", "three"]) screen.session.queue([{ type: "text", text }]);
  const queued = () => screen.session.queued.map(([part]) => (part?.type === "text" ? part.text : ""));
  screen.open("queue");
  await screen.shows(/❯ 1\. one/u);
  screen.press("alt+down");
  await screen.shows(/❯ 2\. one/u);
  assert.deepEqual(queued(), ["two", "one", "three"]);
  screen.press("enter");
  screen.type(" more");
  screen.press("enter");
  await screen.shows(/2\. one more/u);
  screen.press("delete");
  await screen.shows(/2\. three/u);
  assert.deepEqual(queued(), ["two", "three"]);
  screen.session.clearQueue();
  turn.abort("test");
  await turn.done;
});

test("the list of queued prompts follows the queue, and an edit of a prompt that has started is kept", async () => {
  const hanging = scriptedModel(() => ({ text: "…", hangs: true }));
  await using screen = await screenOver(hanging);
  const turn = screen.session.prompt([{ type: "text", text: "begin" }]);
  for (const text of ["one", "two"]) screen.session.queue([{ type: "text", text }]);
  screen.open("queue");
  await screen.shows(/❯ 1\. one[^]*2\. two/u);
  turn.abort("test");
  await screen.shows(/❯ 1\. two/u);
  assert.doesNotMatch(screen.text(), /one/u);
  screen.press("enter");
  screen.type(" more");
  const second = screen.session.turn;
  second?.abort("test");
  await second?.done;
  screen.press("enter");
  await screen.shows(/There is no prompt 1/u);
  assert.deepEqual(screen.inserted, ["two more"]);
  screen.session.turn?.abort("test");
});

test("pickers for models, keys, the palette and the composer work", async () => {
  await using screen = await screenOver();
  await screen.prompt("hello");
  screen.open("keys");
  await screen.shows(/Find everything +Ctrl-P/u);
  screen.press("escape");
  screen.open("models");
  await screen.shows(/Models/u);
  screen.press("escape");
  screen.open("palette", "steer");
  await screen.shows(/❯ \/steer {2}Send text/u);
  screen.press("enter");
  assert.deepEqual(screen.inserted, ["/steer "]);
  screen.open("palette", "start a new");
  await screen.shows(/❯ \/new/u);
  screen.press("enter");
  assert.deepEqual(screen.submitted, ["/new"]);
  await writeFile(join(screen.folder, "my notes.md"), "");
  screen.open("files", "notes");
  await screen.shows(/❯ my notes\.md/u);
  screen.press("enter");
  assert.equal(screen.inserted[1], '@file:"my notes.md" ');
  screen.open("palette", "my notes.md");
  await screen.shows(/❯ my notes\.md +file/u);
  screen.press("escape");
  screen.open("prompt", "Dear");
  await screen.shows(/Write a prompt/u);
  screen.type(" model");
  screen.press("enter");
  screen.type("hi");
  screen.press("ctrl+d");
  await eventually(() => screen.submitted.length === 2);
  assert.equal(screen.submitted[1], "Dear model\nhi");
});
