// covers: src/providers, src/hosts
import assert from "node:assert/strict";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import type { ApprovalSurface } from "../../src/contracts/safety/approval.ts";
import type { Runtime, Session } from "../../src/contracts/session/runtime.ts";
import { createLibraryRuntime } from "../../src/hosts/library/create-library-runtime.ts";
import { localPrincipal } from "../../src/hosts/local-principal.ts";
import { tempHome } from "../support/temp-home.ts";

test("the offline model writes, reads, changes, searches and lists files", async () => {
  await using desk = await newDesk();
  assert.equal(
    await desk.say("create notes.txt with hello and then show it"),
    "Wrote 6 bytes to notes.txt.\n\nnotes.txt (1 line):\n\n```\nhello\n```",
  );
  assert.match(await desk.say('append "TODO bye" to it'), /^Changed the file:\n\n```[^]*\+TODO bye/u);
  assert.equal(await readFile(join(desk.folder, "notes.txt"), "utf8"), "hello\nTODO bye\n");
  assert.match(await desk.say("replace hello with good day in notes.txt"), /^Changed notes\.txt/u);
  assert.match(await desk.say("find TODO"), /^1 match for TODO:\n\n```\n.*notes\.txt:2: TODO bye\n```/u);
  await desk.say("append first line to 'new file.txt'");
  assert.equal(await readFile(join(desk.folder, "new file.txt"), "utf8"), "first line\n");
  assert.match(await desk.say("list the files here"), /\n```\n(?:\.hermes\/\n)?new file\.txt\nnotes\.txt\n```$/u);
  assert.match(await desk.say("find files named *.txt"), /^2 files for \*\.txt/u);
});

test("the offline model never overwrites a file by copying or renaming, and never empties one by creating", async () => {
  await using desk = await newDesk();
  await writeFile(join(desk.folder, "a.txt"), "a\n");
  await writeFile(join(desk.folder, "b.txt"), "b\n");
  await desk.say("copy a.txt to b.txt");
  await desk.say("rename a.txt to b.txt");
  await desk.say("create b.txt");
  assert.equal(await readFile(join(desk.folder, "a.txt"), "utf8"), "a\n");
  assert.equal(await readFile(join(desk.folder, "b.txt"), "utf8"), "b\n");
});

test("the offline model shows a file again when it is read twice", async () => {
  await using desk = await newDesk();
  await writeFile(join(desk.folder, "a.txt"), "text of a\n");
  const first = await desk.say("read a.txt");
  assert.match(first, /text of a/u);
  assert.equal(await desk.say("read a.txt"), first);
});

test("the offline model runs commands that keep their folder, and reports their failures", async () => {
  await using desk = await newDesk();
  await mkdir(join(desk.folder, "sub"));
  assert.equal(await desk.say("run `echo hi`"), "`echo hi` ran without error:\n\n```\nhi\n```");
  assert.match(await desk.say("run pwd in sub"), /sub\n```$/u);
  assert.match(await desk.say("run `echo oh; exit 3`"), /failed with exit code 3.*oh/su);
  await desk.say("go to sub");
  assert.match(await desk.say("where am i?"), /sub\n```$/u);
});

test("the offline model asks the user before deleting a folder, and a denial stops the remaining steps", async () => {
  await using desk = await newDesk();
  const folder = join(desk.folder, "old");
  await mkdir(folder);
  await writeFile(join(folder, "x"), "");
  const denied = await desk.say("delete the folder old and then list the files");
  assert.match(denied, /^Not allowed \(`rm -r -- old`\): .*\n\nNot done: `ls -Ap`\./su);
  assert.doesNotMatch(denied, /Do not try it again/u);
  assert.ok((await stat(folder)).isDirectory());
  const surface: ApprovalSurface = { name: "test", ask: async () => ({ scope: "once" }) };
  using _surface = desk.runtime.approvals.attach(surface, { principal: localPrincipal() });
  await desk.say("delete the folder old");
  await assert.rejects(stat(folder));
});

test("the offline model creates, changes and shows a plan", async () => {
  await using desk = await newDesk();
  assert.equal(
    await desk.say("plan: write the code, test it and ship it"),
    "The plan:\n1. [ ] write the code\n2. [ ] test it\n3. [ ] ship it",
  );
  assert.match(await desk.say("mark 1 as done"), /1\. \[x\] write the code/u);
  assert.match(await desk.say("add celebrate to my todo list"), /4\. \[ \] celebrate/u);
  assert.match(await desk.say("check off ship it"), /3\. \[x\] ship it/u);
  assert.equal(await desk.say("mark 17 as done"), "The plan has no such item.");
  await desk.say("clear the plan");
  assert.equal(desk.session.todos().length, 0);
});

test("the offline model starts, lists and stops background processes", async () => {
  await using desk = await newDesk();
  const id = /proc_\w+/u.exec(await desk.say("start `sleep 77` in the background"))?.[0] ?? "";
  assert.equal(await desk.say("show background processes"), `- ${id} \`sleep 77\` (running)`);
  assert.match(await desk.say(`show the output of ${id}`), /running/u);
  await desk.say(`stop ${id}`);
  assert.doesNotMatch(await desk.say("show background processes"), /running/u);
});

test("the offline model can call any tool by its name, and reports wrong arguments", async () => {
  await using desk = await newDesk();
  await writeFile(join(desk.folder, "a.txt"), "text of a\n");
  assert.match(await desk.say('use tool read_file with {"path": "a.txt"}'), /text of a/u);
  assert.match(await desk.say('use tool read_file with {"nothing": 1}'), /^Failed/u);
  assert.match(await desk.say("use tool no_such_tool with {}"), /does not have the tool|^Failed/u);
});

test("the offline model says honestly when a request needs a real model, at no cost", async () => {
  await using desk = await newDesk();
  assert.equal(desk.session.model().offline, true);
  for (const message of ["explain relativity", "write me a novel", "fix all bugs"])
    assert.match(await desk.say(message), /fixed rules, no AI\. I do not understand/u);
  const { session } = await desk.session.usage();
  assert.equal(session.costUsd ?? 0, 0);
});

interface Desk extends AsyncDisposable {
  readonly folder: string;
  readonly runtime: Runtime;
  readonly session: Session;
  /** Returns the answer. */
  say(text: string): Promise<string>;
}

/** A session without any model configured. */
async function newDesk(): Promise<Desk> {
  await using opening = new AsyncDisposableStack();
  const folder = opening.use(await tempHome());
  const env = { PATH: process.env["PATH"], HOME: folder.path };
  const runtime = opening.use(
    await createLibraryRuntime({
      cwd: folder.path,
      home: join(folder.path, ".hermes"),
      env,
      settings: { "isolation.mode": "off" },
    }),
  );
  const session = opening.use(await runtime.openSession({ source: "test" }));
  const open = opening.move();
  return {
    folder: folder.path,
    runtime,
    session,
    async say(message) {
      const { reason, text, why } = await session.prompt([{ type: "text", text: message }]).done;
      return reason === "answered" ? text : `${reason}: ${why}`;
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}
