// covers: src/safety, src/hosts, src/runtime
import assert from "node:assert/strict";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import { spawn } from "@lydell/node-pty";

import { tempHome } from "../support/temp-home.ts";

const program = join(import.meta.dirname, "..", "..", "src", "bin", "hermes.ts");

/** `hermes tools call terminal`, or another command line, at a real terminal. */
async function atTerminal(
  command: string,
  line = ["tools", "call", "terminal", "--args", JSON.stringify({ command })],
) {
  const folder = await tempHome();
  const work = join(folder.path, "work");
  await mkdir(join(work, "build"), { recursive: true });
  const args = [program, ...line];
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: folder.path,
    HERMES_HOME: join(folder.path, "home"),
    TERM: "xterm",
  };
  const child = spawn(process.execPath, args, { cwd: work, env, cols: 200, rows: 50 });
  let output = "";
  child.onData((data) => (output += data));
  let isOver = false;
  const code = new Promise<number>((resolve) => child.onExit(({ exitCode }) => resolve(exitCode)));
  void code.then(() => (isOver = true));
  return {
    type: (text: string) => child.write(text),
    said: () => output,
    code,
    left: () => readdir(work),
    async until(words: string) {
      for (; !output.includes(words); await pause(20)) assert.ok(!isOver, output);
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await code;
      await folder[Symbol.asyncDispose]();
    },
  };
}

test("a question appears at the terminal, and yes runs the command", async () => {
  await using at = await atTerminal("rm -rf build");
  await at.until("Enter denies");
  assert.match(at.said(), /rm -rf build # in=.* rule=delete_recursive/u);
  at.type("o\r");
  assert.equal(await at.code, 0);
  assert.deepEqual(await at.left(), []);
});

test("keys typed before the question appears do not answer it, and Enter denies", async () => {
  await using at = await atTerminal("rm -rf build");
  at.type("o\ryes\ralways");
  await at.until("Enter denies");
  at.type("\r");
  assert.equal(await at.code, 1);
  assert.match(at.said(), /The user denied it/u);
  assert.deepEqual(await at.left(), ["build"]);
});

test("Ctrl-C at the question runs nothing", async () => {
  await using at = await atTerminal("rm -rf build");
  await at.until("Enter denies");
  at.type("\u0003");
  assert.notEqual(await at.code, 0);
  assert.deepEqual(await at.left(), ["build"]);
});

test("while a question of `chat -q` waits, no other output follows it", async () => {
  await using at = await atTerminal("", ["chat", "-q", "run rm -rf build"]);
  await at.until("Enter denies");
  await pause(700);
  assert.match(at.said(), /\(Enter denies\): $/u);
  at.type("\r");
  assert.equal(await at.code, 0);
  assert.match(at.said(), /Denied\.\r\n[^\n]*rm -rf build[^\n]*✗/u);
  assert.deepEqual(await at.left(), ["build"]);
});
