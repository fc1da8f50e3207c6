import assert from "node:assert/strict";
import { mkdir, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import { chatTerminal } from "../../../../test/support/chat-terminal.ts";
import { hermes } from "../../../../test/support/fake-terminal.ts";
import { type ScriptedAnswer, scriptedModel } from "../../../../test/support/scripted-model.ts";
import { tempHome } from "../../../../test/support/temp-home.ts";
import { textOf } from "../../../../test/support/turn-rig.ts";
import { ok } from "../../../base/result.ts";

type Script = Parameters<typeof scriptedModel>[0];

async function chatting(script: Script, args: readonly string[] = [], offline = false) {
  const folder = await tempHome();
  const model = scriptedModel(script, offline ? { offline } : {});
  const terminal = chatTerminal(["--set", "isolation.mode=off", ...args], { home: folder.path, model });
  return {
    ...terminal,
    model,
    home: folder.path,
    async [Symbol.asyncDispose]() {
      await terminal[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const call = (command: string): ScriptedAnswer => ({ calls: [{ name: "terminal", args: { command } }] });

test("a chat shows prompts, answers and one line per tool call, and Ctrl-D prints how to resume", async () => {
  await using at = await chatting([call("echo hi"), { text: "I said **hi**" }, { text: "and bye" }]);
  await at.until("❯");
  at.type("say hi\r");
  // On a slow machine the unfinished line is drawn first, and replaced.
  await at.until(/terminal echo hi ✓ [\d.]+ m?s\n┊ {3}hi\n(?:I said \*\*hi\*\*\n)+scripted\/test · .*\n❯ $/u);
  at.type("say bye\r");
  await at.until(/and bye\n.*\n❯ $/u);
  at.type("\x04");
  assert.equal(await at.code, 0);
  assert.match(at.said(), /messages saved(?: as "[^"]*")?, \d+ s here\.\nResume: hermes -r \d{8}_\d{6}_/u);
  assert.deepEqual(
    at.model.requests
      .at(-1)
      ?.messages.filter(({ role }) => role === "user")
      .map(textOf),
    ["say hi", "say bye"],
  );
});

test("the first start introduces Hermes in five lines and says that the built-in model is not an AI", async () => {
  await using at = await chatting([], [], true);
  await at.until("❯");
  const lines = at
    .said()
    .split("\n")
    .filter((line) => !line.startsWith("⚠ isolation.mode is off"));
  assert.equal(
    lines.findIndex((line) => line.startsWith("❯")),
    5,
  );
  assert.ok(lines.every((line) => line.length <= 80));
  assert.match(lines[1] ?? "", /not an AI/u);
  assert.match(lines[2] ?? "", /^Try: .* · .* · /u);
  assert.match(lines[3] ?? "", /^To connect a real model: hermes setup/u);
});

test("Ctrl-C stops an answer that hangs; a second Ctrl-C leaves the chat", async () => {
  await using at = await chatting([{ text: "a long ans", hangs: true }, { text: "back" }]);
  await at.until("❯");
  at.type("go\r");
  await at.until("a long ans");
  at.type("\x03");
  await at.until(/stopped\n.*\n❯ $/u);
  at.type("again\r");
  await at.until(/back\n.*\n❯ $/u);
  at.type("half a line\x03");
  await at.until("❯ ");
  at.type("\x03");
  assert.equal(await at.code, 130);
  assert.equal(at.model.requests.length, 2, "what was thrown away is not asked");
});

test("approvals appear inline: keys typed without a pause approve nothing and stay in the line, Enter denies, yes runs the call", async () => {
  await using at = await chatting([call("rm -rf build"), { text: "no?" }, call("rm -rf build"), { text: "done" }]);
  await mkdir(join(at.home, "build"));
  await at.until("❯");
  at.type("clean\r");
  at.type("yes\r");
  await at.until(/Approval needed for terminal in .*\n\n.*rm -rf build\n/u);
  for (let index = 0; index < 30; index++) {
    at.type(index % 2 === 0 ? "y" : "\r");
    await pause(40);
  }
  await at.until(/Enter denies\): $/u);
  assert.ok((await readdir(at.home)).includes("build"));
  at.type("\r");
  await at.until(/Denied\.\n[\s\S]*no\?\n/u);
  assert.ok((await readdir(at.home)).includes("build"));
  await at.until(/… y$/u);
  at.type("\x03");
  await at.until(/❯ $/u);
  at.type("clean\r");
  await at.until(/Enter denies\): $/u);
  at.type("o\r");
  await at.until(/Allowed: once\n[\s\S]*done\n/u);
  assert.ok(!(await readdir(at.home)).includes("build"));
});

test("Ctrl-C while a question waits stops the turn, and nothing runs", async () => {
  await using at = await chatting([call("rm -rf build"), { text: "never" }]);
  await mkdir(join(at.home, "build"));
  await at.until("❯");
  at.type("clean\r");
  await at.until(/Enter denies\): $/u);
  at.type("\x03");
  await at.until(/\(question withdrawn\)[\s\S]*stopped\n.*\n❯ $/u);
  assert.ok((await readdir(at.home)).includes("build"));
});

test("a slash command at a question runs, and the question repeats; other words go to the model with the denial", async () => {
  await using at = await chatting([call("rm -rf build"), call("rm -rf build"), { text: "done" }]);
  await mkdir(join(at.home, "build"));
  await at.until("❯");
  at.type("clean\r");
  await at.until(/Enter denies\): $/u);
  at.type("/steer mind the logs\r");
  await at.until(/after the current tool call[\s\S]*Enter denies\): $/u);
  at.type("move it to the trash\r");
  await at.until(/passed to the model\.\n[\s\S]*Enter denies\): $/u);
  const lastMessages = JSON.stringify(at.model.requests[1]?.messages.slice(-2));
  assert.match(lastMessages, /They said: move it to the trash.*mind the logs/u);
  assert.ok((await readdir(at.home)).includes("build"));
  at.type("/approve\r");
  await at.until(/Allowed \(once\)[\s\S]*done\n/u);
  assert.ok(!(await readdir(at.home)).includes("build"));
});

test("/stop holds the queued prompts, Enter sends them; /new asks first, and the queue stays with the session", async () => {
  await using at = await chatting(
    (_, number) => ({ text: `answer ${number}`, hangs: number < 3 }),
    ["--set", "display.busy_input_mode=queue"],
  );
  await at.until("❯");
  at.type("one\r");
  await at.until("answer 0");
  at.type("two\r");
  await at.until("queued after");
  at.type("/stop\r");
  await at.until(/stopped\n[\s\S]*Held: 1 queued prompt \(Enter on an empty line sends, \/queue clear removes\)\./u);
  assert.equal(at.model.requests.length, 1);
  at.type("\r");
  await at.until(/❯ two\n[\s\S]*answer 1/u);
  at.type("three\r");
  await at.until("queued after");
  for (const line of ["/resume", "/resume nothing", "/new"]) {
    at.type(`${line}\r`);
    await at.until(/There (?:is|are) no|\[y\/N\] $/u);
  }
  at.type("n\r");
  await at.until("This session continues.");
  assert.doesNotMatch(at.said(), /answer 2|[\s\S]*stopped[\s\S]*stopped/u);
  at.type("/new now\r");
  await at.until(/is kept: [\s\S]*stopped\n[\s\S]*session \S+ · \S+\n/u);
  assert.equal(at.model.requests.length, 2);
});

test("a line typed during a turn interrupts, queues or steers, as the setting says", async () => {
  const slow: Script = (request, number) =>
    number === 0 ? { text: "thinking", hangs: true } : { text: `answer to ${textOf(request.messages.at(-1))}` };
  {
    await using at = await chatting(slow);
    await at.until("❯");
    at.type("first\r");
    await at.until("thinking");
    at.type("second\r");
    await at.until(/stopped\n[\s\S]*answer to second\n/u);
  }
  {
    await using at = await chatting(slow, ["--set", "display.busy_input_mode=queue"]);
    await at.until("❯");
    at.type("first\r");
    await at.until("thinking");
    at.type("second\r");
    await at.until("queued after the running turn (1 prompt)");
    at.type("\x03");
    await at.until(/stopped\n[\s\S]*Held: 1 queued prompt/u);
    at.type("\r");
    await at.until(/❯ second\n[\s\S]*answer to second\n/u);
  }
  {
    const calls: Script = (request, number) =>
      number === 0 ? call("sleep 0.6") : { text: `received ${textOf(request.messages.at(-1))}` };
    await using at = await chatting(calls, ["--set", "display.busy_input_mode=steer"]);
    await at.until("❯");
    at.type("first\r");
    await at.until("sleep 0.6");
    at.type("use tabs\r");
    await at.until(/queued: the agent sees it after the current tool call[\s\S]*received use tabs\n/u);
  }
});

test("in a chat these slash commands work: /help, an abbreviated name, /retry, /undo with confirmation, /new and /quit", async () => {
  await using at = await chatting((_, number) => ({ text: `answer ${number}` }));
  await at.until("❯");
  at.type("/hel\r");
  await at.until(/Sessions .*\/quit\n/u);
  at.type("hello\r");
  await at.until(/answer 0\n.*\n❯ $/u);
  at.type("/retry\r");
  await at.until(/answer 1\n.*\n❯ $/u);
  assert.equal(at.model.requests[1]?.messages.length, 1);
  at.type("/undo\r");
  await at.until("[y/N] ");
  at.type("y\r");
  await at.until(/Undone, from: hello\n❯ hello$/u);
  at.type("\x15/new again now\r");
  await at.until(/session \d{8}_/u);
  at.type("/status\r");
  await at.until('"again"');
  at.type("/nonsense\r");
  await at.until("There is no command /nonsense");
  at.type("/usr/bin is what?\r");
  await at.until(/answer 2\n/u);
  at.type("/quit\r");
  assert.equal(await at.code, 0);
});

test("typed lines are saved for the next start, readable only by the owner", async () => {
  const folder = await tempHome();
  const model = scriptedModel(() => ({ text: "ok" }));
  {
    await using at = chatTerminal([], { home: folder.path, model });
    await at.until("❯");
    at.type("remember me\r");
    await at.until(/ok\n.*\n❯ $/u);
  }
  const file = join(folder.path, "typed-lines");
  assert.equal(await readFile(file, "utf8"), '"remember me"\n');
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  {
    await using at = chatTerminal([], { home: folder.path, model });
    await at.until("❯");
    at.type("\x1b[A\r");
    await at.until(/ok\n.*\n❯ $/u);
  }
  assert.equal(textOf(model.requests[1]?.messages[0]), "remember me");
  await folder[Symbol.asyncDispose]();
});

test("a session that another process has open is shown read-only", async () => {
  await using at = await chatting([{ text: "first answer" }]);
  await at.until("❯");
  at.type("first\r");
  await at.until(/first answer\n.*\n❯ $/u);
  const id = /\d{8}_\d{6}_[0-9a-f]+/u.exec(at.said())?.[0] ?? "";
  await using second = chatTerminal(["--resume", id], { home: at.home, model: at.model });
  await second.until(/❯ first\n│ first answer\n/u);
  await second.until(/in use by .*: read-only here/u);
  second.type("and now?\r");
  await second.until("read-only here");
  assert.equal(at.model.requests.length, 1);
  const models = { open: async () => ok(at.model) };
  const result = await hermes(["-z", "go on", "-r", id], { home: at.home, models });
  assert.equal(result.code, 1);
  assert.match(result.err, /is in use by/u);
});

test("control characters of an answer do not reach the terminal", async () => {
  await using at = await chatting([{ text: "a\x1b]0;title\x07b\x08c" }]);
  await at.until("❯");
  at.type("go\r");
  await at.until(/a\]0;titlebc\n/u);
});

test("exit works like /quit, and a session without messages is discarded", async () => {
  await using at = await chatting([]);
  await at.until("❯");
  at.type("/undo\r");
  await at.until(/This session is empty\.\n❯ $/u);
  at.type("exit\r");
  assert.equal(await at.code, 0);
  assert.deepEqual(at.model.requests, []);
});
