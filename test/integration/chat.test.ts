// covers: src/hosts, src/kernel, src/commands, src/runtime
import assert from "node:assert/strict";
import { spawn as start } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import { eventually } from "../support/eventually.ts";
import { runProgram } from "../support/run-program.ts";
import { type atTerminal, program, talking } from "../support/talking-program.ts";
import type { ModelServer } from "../support/wire-servers/model-server.ts";

const unsafe = "⚠ isolation.mode is off: commands run without a sandbox\n";
const call = (command: string) => ({ calls: [{ name: "terminal", args: { command } }] });

function lastMessages(server: ModelServer): readonly { readonly role: string; readonly content: unknown }[] {
  const json = server.requests.at(-1)?.json as { messages: { role: string; content: unknown }[] } | undefined;
  return json?.messages ?? [];
}

/** Copies of this test may run at the same time. */
const longSleep = `sleep 77.${process.pid}`;

test("a prompt with a tool call over real HTTP ends with exit code 0; a refused key gives exit code 1", async () => {
  await using at = await talking([call("echo from the shell"), { text: ["It said ", "so."] }]);
  const ran = await at.run(["-z", "ask the shell"], "and mind this");
  assert.deepEqual(ran, { code: 0, stdout: "It said so.\n", stderr: unsafe });
  assert.match(JSON.stringify(lastMessages(at.server)), /from the shell/u);
  const refused = await runProgram(process.execPath, [program, "-z", "again"], {
    cwd: at.work,
    env: { ...at.env, TEST_KEY: "wrong" },
  });
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /^error: /mu);
  assert.doesNotMatch(refused.stderr, /wrong/u);
});

test("with -z a long wait is reported on standard error", async () => {
  const later = { error: { status: 503, message: "too busy" }, headers: { "retry-after": "3" } };
  await using at = await talking([later, { text: "Here." }]);
  const ran = await at.run(["-z", "go"]);
  assert.deepEqual([ran.code, ran.stdout], [0, "Here.\n"]);
  assert.match(ran.stderr.slice(unsafe.length), /^hermes: .*too busy: retrying in 3\.0 s \(1 of 3\)\n$/u);
});

test("an output reader that disconnects does not stop the turn", async () => {
  await using index = await talking([{ text: Array.from({ length: 500 }, (_, index) => `word ${index} `) }]);
  const shell = `"${process.execPath}" "${program}" -z go --json < /dev/null | head -n 1`;
  const ran = await runProgram("/bin/sh", ["-c", shell], { cwd: index.work, env: index.env });
  assert.match(ran.stdout, /"turn.started"/u);
  const shown = await index.run(["sessions", "show", "latest"]);
  assert.match(shown.stdout, /word 499/u);
});

test("SIGTERM and SIGINT end a prompt with their exit codes and leave no command running", async () => {
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const) {
    await using at = await talking([call(longSleep), { text: "never" }]);
    const child = start(process.execPath, [program, "-z", "wait"], { cwd: at.work, env: at.env, stdio: "ignore" });
    const ended = new Promise((resolve) => child.on("exit", (exit) => resolve(exit)));
    while (!(await isRunning(longSleep))) await pause(20);
    child.kill(signal);
    assert.equal(await ended, code);
    assert.equal(await isRunning(longSleep), false);
  }
});

test("Ctrl-C stops a stalled stream and a running command", async () => {
  await using at = await talking([
    { text: "a beginning", fault: { hangAfter: 200 } },
    call(longSleep),
    { text: "and back" },
  ]);
  await using chat = at.terminal();
  await chat.until("❯");
  chat.type("go\r");
  await eventually(() => at.server.requests.length === 1);
  await stopTurn(chat);
  chat.type("run it\r");
  while (!(await isRunning(longSleep))) await pause(20);
  await stopTurn(chat);
  await eventually(async () => !(await isRunning(longSleep)));
  chat.type("are you there?\r");
  await chat.until("and back");
  await chat.until(/❯ [^\n]*$/u);
  chat.type("\x04");
  assert.equal(await chat.code, 0);
});

test("a single prompt at a terminal shows every question of the turn", async () => {
  const calls = ["rm -rf a", "rm -rf b"].map((command) => ({ name: "terminal", args: { command } }));
  await using at = await talking([{ calls }, { text: "both" }]);
  await using chat = at.terminal(["chat", "-q", "delete both"]);
  await chat.until("Enter denies");
  chat.type("o\r");
  await chat.until("Enter denies");
  chat.type("no, keep it\r");
  await chat.until("both");
  assert.equal(await chat.code, 0);
  assert.match(JSON.stringify(lastMessages(at.server)), /keep it/u);
});

test("Ctrl-C twice exits in the middle of a turn, and the terminal is restored", async () => {
  await using at = await talking([{ text: "a beginning", fault: { hangAfter: 200 } }]);
  await using chat = at.terminal();
  await chat.until("❯");
  chat.type("go\r");
  await eventually(() => at.server.requests.length === 1);
  chat.type("\x03");
  chat.type("\x03");
  assert.equal(await chat.code, 130);
  assert.ok(chat.said().includes("\x1b[?2004l"), "pasting is as it was");
});

test("after kill -9 during a call, the session resumes: its command is killed, and the call has a result and is not repeated", async () => {
  await using at = await talking([call(`echo ran >> runs; exec ${longSleep}`), { text: "I see" }]);
  {
    await using chat = at.terminal();
    await chat.until("❯");
    chat.type("run it\r");
    while (!(await isRunning(longSleep))) await pause(20);
    chat.kill("SIGKILL");
    await chat.code;
    await eventually(async () => !(await isRunning(longSleep)));
  }
  const ran = await at.run(["-z", "what happened?", "--continue"]);
  assert.deepEqual({ code: ran.code, stdout: ran.stdout }, { code: 0, stdout: "I see\n" });
  const messages = lastMessages(at.server);
  assert.deepEqual(
    messages.map(({ role }) => role),
    ["system", "user", "assistant", "tool", "user"],
  );
  assert.match(JSON.stringify(messages[3]?.content), /outcome is unknown/u);
  assert.equal(await readFile(join(at.work, "runs"), "utf8"), "ran\n");
});

test("after kill -9 of a one-shot in the middle of its answer, its text so far is part of the session", async () => {
  await using at = await talking([
    { text: ["The first half. ", ..."The second half".split("")], fault: { hangAfter: 1_500 } },
    { text: "I see" },
  ]);
  const child = start(process.execPath, [program, "-z", "tell me", "--source", "cli"], {
    cwd: at.work,
    env: at.env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const folder = join(at.env.HERMES_HOME, "session-locks");
  await eventually(() => existsSync(folder) && readdirSync(folder).some((name) => name.endsWith(".draft")));
  child.kill("SIGKILL");
  await new Promise((resolve) => child.on("close", resolve));
  const ran = await at.run(["-z", "and?", "--continue"]);
  assert.deepEqual({ code: ran.code, stdout: ran.stdout }, { code: 0, stdout: "I see\n" });
  assert.match(JSON.stringify(lastMessages(at.server).at(-2)), /assistant.*The first half/u);
});

test("standard input that stays open without data is ignored after 3 s, with a notice", async () => {
  await using at = await talking([{ text: "without it" }]);
  const child = start(process.execPath, [program, "-z", "go"], { cwd: at.work, env: at.env, stdio: "pipe" });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  const code = await new Promise((resolve) => child.on("close", resolve));
  assert.equal(code, 0);
  assert.match(output, /no data on standard input for 3 s[\s\S]*without it\n/u);
});

test("when two programs open one session, the second one is read-only", async () => {
  await using at = await talking([{ text: "first answer" }]);
  await using chat = at.terminal();
  await chat.until("❯");
  chat.type("first\r");
  await chat.until(/first answer[\s\S]*❯/u);
  const second = await at.run(["-z", "me too", "--continue"]);
  assert.equal(second.code, 1);
  assert.match(second.stderr, /in use by .*\d+/u);
  assert.equal(at.server.requests.length, 1);
});

/** Presses Ctrl-C and waits until another one would not leave the chat. */
async function stopTurn(chat: ReturnType<typeof atTerminal>): Promise<void> {
  chat.type("\x03");
  await chat.until("stopped");
  await chat.until(/❯ [^\n]*$/u);
  await pause(2_100);
}

async function isRunning(command: string): Promise<boolean> {
  return (await runProgram("pgrep", ["-f", `^${command}$`])).code === 0;
}
