// covers: src/safety, src/hosts, src/runtime
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import { spawn } from "@lydell/node-pty";

import { tempHome } from "../support/temp-home.ts";
import { startModelServer } from "../support/wire-servers/model-server.ts";

const program = join(import.meta.dirname, "..", "..", "dist", "hermes.js");

/** `hermes tools call terminal`, or another command line, at a real terminal. */
async function atTerminal(
  command: string,
  line = ["tools", "call", "terminal", "--args", JSON.stringify({ command })],
  more: { readonly config?: object; readonly env?: Readonly<Record<string, string>> } = {},
) {
  const folder = await tempHome();
  const work = join(folder.path, "work");
  const home = join(folder.path, "home");
  await mkdir(join(work, "build"), { recursive: true });
  await mkdir(home, { mode: 0o700 });
  if (more.config) await writeFile(join(home, "config.yaml"), JSON.stringify(more.config));
  const args = [program, ...line];
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: folder.path,
    HERMES_HOME: home,
    TERM: "xterm",
    HERMES_TUI: "0",
    NO_COLOR: "1",
    ...more.env,
  };
  const child = spawn(process.execPath, args, { cwd: work, env, cols: 200, rows: 50 });
  let output = "";
  let from = 0;
  // oxlint-disable-next-line no-control-regex -- escape sequences are what it takes out
  child.onData((data) => (output += data.replaceAll(/\x1b\[[0-9;?]*[A-Za-z]/gu, "")));
  let isOver = false;
  const code = new Promise<number>((resolve) => child.onExit(({ exitCode }) => resolve(exitCode)));
  void code.then(() => (isOver = true));
  return {
    work,
    home,
    type(text: string) {
      from = output.length;
      child.write(text);
    },
    said: () => output,
    code,
    left: () => readdir(work),
    /** Waits for the text in the output since the last `type`. A question shows its prompt when it accepts keys. */
    async until(words: string | RegExp) {
      const fits = () => (typeof words === "string" ? output.includes(words, from) : words.test(output.slice(from)));
      for (let waited = 0; !fits(); waited += 20) {
        if (isOver || waited > 60_000) throw new Error(`not said: ${String(words)}; said: ${output}`);
        await pause(20);
      }
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await code;
      await folder[Symbol.asyncDispose]();
    },
  };
}

test("an approval question appears at the terminal, and answering yes runs the command", async () => {
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

test("Ctrl-C at an approval question runs nothing", async () => {
  await using at = await atTerminal("rm -rf build");
  await at.until("Enter denies");
  at.type("\u0003");
  assert.notEqual(await at.code, 0);
  assert.deepEqual(await at.left(), ["build"]);
});

test("while an approval question of `chat -q` waits, no other output follows it", async () => {
  await using at = await atTerminal("", ["chat", "-q", "run rm -rf build"]);
  await at.until("Enter denies");
  assert.match(at.said(), /\(Enter denies\): $/u);
  at.type("\r");
  assert.equal(await at.code, 0);
  assert.match(at.said(), /Denied\.\r\n[^\n]*rm -rf build[^\n]*✗/u);
  assert.deepEqual(await at.left(), ["build"]);
});

test("in a chat, `always` shows a rule with its effect on earlier calls, and the edited rule covers the next call", async () => {
  const call = (command: string) => ({ calls: [{ name: "terminal", args: { command } }] });
  const commands = ["rm -rf build", "rm -rf other", "rm -rf third", "rm -rf fourth"];
  await using server = await startModelServer({
    protocol: "openai-chat",
    turns: [...commands.map(call), { text: "all four" }],
    keys: ["k1"],
  });
  const model = { provider: "custom", default: "m1", base_url: server.url, key_env: "TEST_KEY" };
  const config = { model, auxiliary: { title_generation: { enabled: false } } };
  await using at = await atTerminal("", ["chat"], { config, env: { TEST_KEY: "k1" } });
  for (const name of ["other", "third", "fourth"]) await mkdir(join(at.work, name));
  await at.until("❯");
  at.type("delete them\r");
  await at.until("Enter denies");
  at.type("d\r");
  await at.until("Enter denies");
  at.type("a\r");
  await at.until("Rule: rm -rf other # in=");
  assert.match(at.said(), /It would not settle 1 of the same program:\s+rm -rf build \[delete_recursive\]/u);
  at.type("\u0015bash *\r");
  await at.until(/bash runs other programs[^]*Rule: /u);
  at.type("\u0015rm -rf * # rule=delete_recursive\r");
  await at.until(/it would have allowed 2 that ask without it:[^]*Rule: /u);
  assert.equal((await savedConfig()).includes("rm -rf *"), false, "nothing is saved yet");
  at.type("\r");
  await at.until("all four");
  assert.match(await savedConfig(), /rm -rf \* # rule=delete_recursive/u);
  assert.equal(at.said().split("Approval needed").length, 3, "the last two calls ask nothing");
  assert.deepEqual(await at.left(), ["build"]);

  function savedConfig() {
    return readFile(join(at.home, "config.yaml"), "utf8");
  }
});
