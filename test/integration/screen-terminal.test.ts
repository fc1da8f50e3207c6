// covers: src/hosts/cli/screen, src/hosts/cli/terminal-device.ts, src/hosts/cli/start.ts
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { isRunning } from "../support/child-process.ts";
import { eventually } from "../support/eventually.ts";
import { screenChat, screenOf } from "../support/screen-chat.ts";
import { program } from "../support/talking-program.ts";

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1} of the answer.\n\n`);

/** Every line of the answer appears once, in order. */
function assertOnce(everything: string, count: number): void {
  const numbers = [...everything.matchAll(/line (\d+) of the answer\./gu)].map(([, number]) => Number(number));
  assert.deepEqual(
    numbers,
    Array.from({ length: count }, (_, index) => index + 1),
    everything,
  );
}

test("keys typed before the start are sent once the session is open; the terminal is restored at the end", async () => {
  await using chat = await screenChat([{ text: "Hello, early bird." }]);
  chat.type("good morning\r");
  await chat.until("Hello, early bird.");
  assert.equal(chat.server.requests.length, 1);
  const during = await chat.emulator.modes();
  assert.equal(during.bracketedPaste, true);
  assert.equal(during.isAlternate, false);
  chat.type("\x04");
  assert.equal(await chat.code, 0);
  const { bracketedPaste } = await chat.emulator.modes();
  assert.equal(bracketedPaste, false);
  assert.equal((await chat.emulator.cursor()).isVisible, true);
  assert.match(await chat.everything(), /Resume: hermes -r/u);
  assert.ok(chat.raw().includes("\x1b[<u"));
});

test("SIGTERM restores the terminal and keeps the session", async () => {
  await using chat = await screenChat([{ text: "Kept." }]);
  await chat.until("❯");
  chat.type("keep this\r");
  await chat.until("Kept.");
  chat.kill("SIGTERM");
  assert.equal(await chat.code, 143);
  assert.equal((await chat.emulator.modes()).bracketedPaste, false);
  const { stdout } = await chat.run(["sessions", "list"]);
  assert.match(stdout, /keep this/u);
});

test("a resize in the middle of a stream neither loses nor repeats a finished line", async () => {
  const text = numbered(60);
  await using chat = await screenChat([{ text, fault: { chunkBytes: 120, dripMs: 4 } }]);
  await chat.until("❯");
  chat.type("count\r");
  for (const [columns, rows, line] of [
    [40, 24, "line 8 "],
    [120, 30, "line 20 "],
    [44, 10, "line 32 "],
    [90, 24, "line 45 "],
  ] as const) {
    await chat.untilWritten(line);
    chat.resize(columns, rows);
  }
  await chat.untilWritten("line 60 of the answer.");
  await chat.until("❯");
  chat.type("\x04");
  await chat.code;
  assertOnce(await chat.everything(), text.length);
});

test("Ctrl-Z returns the terminal to the shell, and fg redraws the draft", async () => {
  await using chat = await screenChat([]);
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: chat.home,
    HERMES_HOME: chat.home,
    PS1: "shell> ",
    TEST_KEY: "k1",
  };
  await using shell = screenOf(["bash", "--norc", "--noprofile", "-i"], { cwd: chat.work, env });
  await shell.until("shell>");
  shell.type(`${process.execPath} ${program} --tui\r`);
  await shell.until("❯");
  await shell.untilGone("loading");
  shell.type("a draft");
  await shell.until("❯ a draft");
  shell.type("\x1a");
  await shell.until(/Stopped/u);
  shell.type("stty -a | grep -o '.icanon'; echo done\r");
  await shell.until(/^ icanon\n.*done|\n icanon/mu);
  shell.type("fg\r");
  await shell.until(/❯ a draft\s*\n[^]*$/u);
  shell.type(" goes on");
  await shell.until("❯ a draft goes on");
  shell.type("\x03\x03");
  shell.type("\x03");
  await shell.until(/shell>\s*$/u);
});

test("a terminal that accepts no bytes stops neither the turn nor the program", async () => {
  const text = numbered(4_000);
  await using chat = await screenChat([{ text }]);
  await chat.until("❯");
  await chat.untilGone("loading");
  chat.pause();
  chat.type("count\r");
  await eventually(async () => /"messages":2/u.test((await chat.run(["sessions", "list", "--json"])).stdout));
  chat.resume();
  await chat.untilWritten("line 4000 of the answer.");
  assertOnce(await chat.everything(), text.length);
});

test("the program exits when its terminal is closed, and the session is kept", async () => {
  await using chat = await screenChat([{ text: "Before the end." }]);
  await chat.until("❯");
  chat.type("remember me\r");
  await chat.until("Before the end.");
  chat.hangUp();
  await chat.code;
  const { stdout } = await chat.run(["sessions", "list"]);
  assert.match(stdout, /remember me/u);
});

test("a closed terminal ends the turn and the background processes, although it sends SIGHUP several times", async () => {
  const run = (command: string, more = {}) => ({ calls: [{ name: "terminal", args: { command, ...more } }] });
  await using chat = await screenChat([
    run("trap '' TERM HUP INT; echo $$ > pid; while :; do sleep 1; done", { background: true }),
    { text: "It runs." },
    run("trap '' TERM HUP INT; echo on > busy; while :; do sleep 1; done"),
  ]);
  await chat.until("❯");
  chat.type("start it\r");
  await chat.until("It runs.");
  chat.type("and wait\r");
  await eventually(() => existsSync(join(chat.work, "busy")));
  const pid = Number(readFileSync(join(chat.work, "pid"), "utf8"));
  assert.ok(isRunning(pid));
  const repeated = setInterval(() => chat.kill("SIGHUP"), 50);
  await chat.code;
  clearInterval(repeated);
  await eventually(() => !isRunning(pid));
});

test("when the user leaves, queued prompts that were not sent and stopped processes are named", async () => {
  const command = "sleep 300";
  await using chat = await screenChat(
    [
      { calls: [{ name: "terminal", args: { command, background: true } }] },
      { text: "It runs." },
      { calls: [{ name: "terminal", args: { command: "sleep 60" } }] },
    ],
    { settings: { display: { busy_input_mode: "queue" } } },
  );
  await chat.until("❯");
  chat.type("start it\r");
  await chat.until("It runs.");
  chat.type("and wait\r");
  await chat.until(/terminal sleep 60/u);
  chat.type("then this\r");
  await chat.until(/⋯ then this/u);
  chat.type("\x04");
  await chat.code;
  const everything = await chat.everything();
  assert.match(everything, /1 queued prompt not sent, kept for the next time:\n {2}then this\n/u);
  assert.match(everything, /1 background process stopped:\n {2}proc_\w+ sleep 300\n/u);
});
