import assert from "node:assert/strict";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import type { ApprovalSurface } from "../../src/contracts/safety/approval.ts";
import type { TurnOutcome } from "../../src/contracts/session/event.ts";
import type { Runtime, Session } from "../../src/contracts/session/runtime.ts";
import { createRuntime } from "../../src/hosts/library/create-runtime.ts";
import { tempHome } from "../support/temp-home.ts";

test("files are written, read, changed, searched and listed", async () => {
  await using desk = await newDesk();
  assert.deepEqual(await desk.say("create notes.txt with hello and then show it"), [
    "Wrote 6 bytes to notes.txt.\n\nnotes.txt (1 line):\n\n```\nhello\n```",
  ]);
  assert.deepEqual(await desk.say('append "TODO bye" to it'), ["Added 1 line to notes.txt."]);
  assert.equal(await readFile(join(desk.folder, "notes.txt"), "utf8"), "hello\nTODO bye\n");
  assert.match((await desk.say("replace hello with good day in notes.txt"))[0] ?? "", /^Changed notes\.txt/u);
  assert.match((await desk.say("find TODO"))[0] ?? "", /^1 match for "TODO":\n\n```\n.*notes\.txt:2: TODO bye\n```/u);
  assert.match((await desk.say("append first line to 'new file.txt'"))[0] ?? "", /^Wrote 11 bytes to new file\.txt\./u);
  assert.match((await desk.say("list the files"))[0] ?? "", /\n```\n(?:\.hermes\/\n)?new file\.txt\nnotes\.txt\n```$/u);
  assert.match((await desk.say("find files named *.txt"))[0] ?? "", /^2 files like \*\.txt/u);
  assert.match((await desk.say("read it again please"))[0] ?? "", /not understand|new file\.txt/u);
});

test("reading the same file twice shows it twice", async () => {
  await using desk = await newDesk();
  await writeFile(join(desk.folder, "a.txt"), "text of a\n");
  const [first] = await desk.say("read a.txt");
  const [second] = await desk.say("read a.txt");
  assert.match(first ?? "", /text of a/u);
  assert.equal(second, first);
});

test("commands run, keep their folder, and their failures are told", async () => {
  await using desk = await newDesk();
  await mkdir(join(desk.folder, "sub"));
  assert.deepEqual(await desk.say("run `echo hi`"), ["`echo hi` ran without error:\n\n```\nhi\n```"]);
  assert.match((await desk.say("run pwd in sub"))[0] ?? "", /sub\n```$/u);
  assert.match((await desk.say("run `echo oh; exit 3`"))[0] ?? "", /failed with exit code 3.*oh/su);
  await desk.say("go to sub");
  assert.match((await desk.say("where am i?"))[0] ?? "", /sub\n```$/u);
});

test("deleting a folder asks the person, and what was answered is told", async () => {
  await using desk = await newDesk();
  const folder = join(desk.folder, "old");
  await mkdir(folder);
  await writeFile(join(folder, "x"), "");
  const [denied] = await desk.say("delete the folder old and then list the files");
  assert.match(denied ?? "", /^I was not allowed to do that \(`rm -r -- old`\): .*\n\nNot done: list\./su);
  assert.doesNotMatch(denied ?? "", /Do not try it again/u);
  assert.ok((await stat(folder)).isDirectory());
  const surface: ApprovalSurface = { name: "test", ask: async () => ({ scope: "once" }) };
  using _surface = desk.runtime.approvals.attach(surface);
  assert.deepEqual(await desk.say("delete the folder old"), ["Deleted old."]);
  await assert.rejects(stat(folder));
});

test("a plan is made, changed and shown", async () => {
  await using desk = await newDesk();
  assert.deepEqual(await desk.say("plan: write the code, test it and ship it"), [
    "The plan is written down:\n1. [ ] write the code\n2. [ ] test it\n3. [ ] ship it",
  ]);
  assert.match((await desk.say("mark 1 as done"))[0] ?? "", /1\. \[x\] write the code/u);
  assert.match((await desk.say("add celebrate to my todo list"))[0] ?? "", /4\. \[ \] celebrate/u);
  assert.match((await desk.say("check off ship it"))[0] ?? "", /3\. \[x\] ship it/u);
  assert.match((await desk.say("mark 17 as done"))[0] ?? "", /no such item/u);
  assert.deepEqual(await desk.say("clear the plan"), ["The plan is empty now."]);
  assert.equal(desk.session.todos().length, 0);
});

test("background processes are started, looked at and stopped by name", async () => {
  await using desk = await newDesk();
  const [started] = await desk.say("start `sleep 77` in the background");
  const id = /proc_\w+/u.exec(started ?? "")?.[0] ?? "";
  assert.match(
    (await desk.say("show background processes"))[0] ?? "",
    new RegExp(`${id} \`sleep 77\` \\(running\\)`, "u"),
  );
  assert.match((await desk.say(`show the output of ${id}`))[0] ?? "", /is running/u);
  assert.deepEqual(await desk.say("stop the process sleep"), [`${id} is stopped.`]);
  await desk.say("start `sleep 78` in the background");
  await desk.say("start `sleep 79` in the background");
  assert.match((await desk.say("kill sleep"))[0] ?? "", /^Which one\?/u);
  assert.deepEqual(await desk.say("stop all processes"), ["Ended 2 background processes."]);
});

test("any tool can be called by its name, and wrong arguments are told", async () => {
  await using desk = await newDesk();
  await writeFile(join(desk.folder, "a.txt"), "text of a\n");
  assert.match((await desk.say('use tool read_file with {"path": "a.txt"}'))[0] ?? "", /text of a/u);
  assert.match((await desk.say('use tool read_file with {"nothing": 1}'))[0] ?? "", /^That did not work/u);
  assert.match((await desk.say("use tool no_such_tool with {}"))[0] ?? "", /not there|did not work/u);
});

test("nothing is claimed that did not happen, and the model is named for what it is", async () => {
  await using desk = await newDesk();
  assert.equal(desk.session.model().offline, true);
  for (const said of ["explain relativity", "write me a novel", "fix all bugs"]) {
    const [answer] = await desk.say(said);
    assert.match(answer ?? "", /rule-based, no AI\. I do not understand/u);
  }
  const { session } = await desk.session.usage();
  assert.equal(session.costUsd ?? 0, 0);
});

interface Desk extends AsyncDisposable {
  readonly folder: string;
  readonly runtime: Runtime;
  readonly session: Session;
  /** The answer to each. */
  say(...texts: readonly string[]): Promise<readonly string[]>;
}

/** A session without any model configured. */
async function newDesk(): Promise<Desk> {
  await using opening = new AsyncDisposableStack();
  const folder = opening.use(await tempHome());
  const env = { PATH: process.env["PATH"], HOME: folder.path };
  const runtime = opening.use(
    await createRuntime({
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
    async say(...texts) {
      const outcomes: TurnOutcome[] = [];
      for (const text of texts) outcomes.push(await session.prompt([{ type: "text", text }]).done);
      return outcomes.map(({ reason, text, why }) => (reason === "answered" ? text : `${reason}: ${why}`));
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}
