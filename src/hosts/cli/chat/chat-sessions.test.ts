import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { chatTerminal } from "../../../../test/support/chat-terminal.ts";
import { scriptedModel } from "../../../../test/support/scripted-model.ts";
import { tempHome } from "../../../../test/support/temp-home.ts";

const echo = () => scriptedModel((request) => ({ text: `answer ${request.messages.length}` }));
const end = /❯ $/u;

test("a session is branched, drawn, navigated, renamed and exported", async () => {
  await using home = await tempHome();
  await using terminal = chatTerminal([], { home: home.path, model: echo() });
  const say = async (line: string, words: string | RegExp) => {
    terminal.type(`${line}\r`);
    await terminal.until(words);
    await terminal.until(end);
  };
  await terminal.until("❯");
  await say("one", "answer 1");
  await say("two", "answer 3");
  await say("/branch idea", "Switched to the new branch idea, after exchange 2");
  await say("three", "answer 5");
  await say("/branch 1", "Switched to the new branch branch-3, after exchange 1");
  await say("other", "answer 3");
  await say(
    "/tree",
    /● 1 +\d\d:\d\d +one\n├─● 2 +\d\d:\d\d +two +\[main\]\n│ ● 3 +\d\d:\d\d +three +\[idea\]\n◉ 4 +\d\d:\d\d +other +\[branch-3\] ← here/u,
  );
  await say("/tree idea", /Switched to idea, after exchange 3\.\n +❯ three\n +answer 5/u);
  await say("/branch switch main", "Switched to main, after exchange 2");
  await say("/branch switch nothing", /no branch "nothing"; there are: main, idea, branch-3/u);
  await say("/branch idea", "there is a branch idea already");
  await say("/branch list", "◉ main, after exchange 2\n○ idea");
  await say("/title", "No title yet");
  await say("/title The \u202eplan", 'to "The plan"');
  await say("/title", "\nThe plan\n");
  await say("/export talk.html", /talk\.html \(\d+ KB\)/u);
  assert.match(await readFile(join(home.path, "talk.html"), "utf8"), /<title>The plan<\/title>/u);
  await say("/export talk.html", "exists already");
  await say("/export talk.pdf", "The file name must end in");
  terminal.type("\x04");
  assert.equal(await terminal.code, 0);
  assert.match(terminal.said(), /messages saved as "The plan", \d+ s here\.\nResume: hermes -r \d{8}_\d{6}_/u);
});

test("sessions are listed and resumed by number or title, with their last exchange", async () => {
  await using home = await tempHome();
  await using terminal = chatTerminal([], { home: home.path, model: echo() });
  const say = async (line: string, words: string | RegExp) => {
    terminal.type(`${line}\r`);
    await terminal.until(words);
    await terminal.until(end);
  };
  await terminal.until("❯");
  await say("/resume", "There are no other conversations.");
  await say("first question", "answer 1");
  await say("/title Old plan", "Renamed");
  await say("/new now", "session ");
  await say("second question", "answer 1");
  await say("/sessions", /← here[\s\S]*Old plan/u);
  await say("/resume", /1 {2}\d{8}_\S+ +\d+ s ago · \/.* · .*Old plan/u);
  await say("/resume 1", /╭─ Old plan · 1 exchange\n│ ❯ first question\n│ answer 1\n╰─/u);
  await say("and more", "answer 3");
  await say("/resume old", /There is no session "old"/u);
  await say("/resume Old plan", "This session is already open.");
  terminal.type("/quit\r");
  assert.equal(await terminal.code, 0);
});

test("with --files, switching to a branch shows the changes and then restores its files", async () => {
  await using home = await tempHome();
  await using folder = await tempHome();
  const project = folder.path;
  await mkdir(join(project, ".git"));
  await writeFile(join(project, "a.txt"), "start\n");
  const write = (content: string) => ({ calls: [{ name: "write_file", args: { path: "a.txt", content } }] });
  const model = scriptedModel([write("A\n"), { text: "wrote A" }, write("B\n"), { text: "wrote B" }]);
  const args = ["--set", "isolation.mode=off", "--set", "approvals.mode=yolo", "--cwd", project];
  await using terminal = chatTerminal(args, { home: home.path, model });
  const say = async (line: string, words: string | RegExp) => {
    terminal.type(`${line}\r`);
    await terminal.until(words);
    await terminal.until(end);
  };
  const file = () => readFile(join(project, "a.txt"), "utf8");
  await terminal.until("❯");
  await say("write A", "wrote A");
  await say("/branch B", "Switched to the new branch B");
  await say("write B", "wrote B");
  await say("/branch switch main", "1 file differs from this branch: /branch files restores it");
  assert.equal(await file(), "B\n");
  terminal.type("/branch files\r");
  await terminal.until("Restore these files");
  terminal.type("y\r");
  await terminal.until("Done");
  await terminal.until(end);
  assert.equal(await file(), "A\n");
  await say("/branch switch B --files now", "Done");
  assert.equal(await file(), "B\n");
  terminal.type("/quit\r");
  assert.equal(await terminal.code, 0);
});
