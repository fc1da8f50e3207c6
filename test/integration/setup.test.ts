// covers: src/hosts/cli/setup, src/hosts/cli/commands/settings, src/operations/models, src/operations/tools
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { runProgram } from "../support/run-program.ts";
import { atTerminal, program } from "../support/talking-program.ts";
import { tempHome } from "../support/temp-home.ts";
import { startModelServer } from "../support/wire-servers/model-server.ts";

async function newcomer() {
  const folder = await tempHome();
  const work = join(folder.path, "work");
  await mkdir(work);
  const home = join(folder.path, "home");
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder.path,
    HERMES_HOME: home,
    SHELL: "/bin/bash",
    TEST_KEY: "k1",
  };
  return {
    home,
    env,
    work,
    config: () => readFile(join(home, "config.yaml"), "utf8").catch(() => ""),
    terminal: (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
      atTerminal(args, work, { ...env, ...more }),
    run: (args: readonly string[]) => runProgram(process.execPath, [program, ...args], { cwd: work, env }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

test("the setup wizard tests a custom server with a real request, a wrong key changes nothing, and a second run shows the values", async () => {
  await using server = await startModelServer({
    protocol: "openai-chat",
    turns: [{ text: "ok" }, { text: "ok" }, { text: "ok" }],
    keys: ["good-key-123"],
  });
  await using at = await newcomer();
  await using seen = at.terminal(["setup"]);
  await seen.until("No model for now");
  await seen.until("Esc or q leaves");
  seen.type("A server of your own\r");
  await seen.until("Address of the server");
  seen.type(`${server.url}\r`);
  await seen.until("Its key");
  seen.type("wrong-key-123\r");
  await seen.until(/Which model|Name of the model/u);
  seen.type("m1\r");
  await seen.until("The model did not answer");
  assert.ok(!seen.said().includes("wrong-key-123"), "a key is not shown");
  seen.type("2\r");
  await seen.until("Which model should answer?");
  assert.equal(await readFile(join(at.home, ".env"), "utf8").catch(() => ""), "", "a refused key is forgotten");
  seen.type("server of nobody\r");
  await seen.until("There is no choice server of nobody.");
  seen.type("\u0015A server of your own\r");
  await seen.until("Address of the server");
  seen.type(`${server.url}\r`);
  await seen.until("Its key");
  seen.type("good-key-123\r");
  await seen.until(/Which model|Name of the model/u);
  seen.type("m1\r");
  await seen.until("It answered.");
  await seen.until("Who decides about actions");
  assert.match(await at.config(), /default: m1/u);
  seen.type("2\r");
  await seen.until("in a sandbox?");
  seen.type("\u001b");
  assert.equal(await seen.code, 0);
  assert.match(seen.said(), /You left the setup/u);
  assert.doesNotMatch(await at.config(), /smart/u, "a section that was left is not half written");
  await using again = at.terminal(["setup"]);
  await again.until(/1\. Keep[^]*custom\/m1/u);
  again.type("\r");
  await again.until("Who decides about actions");
  again.type("q\r");
  assert.equal(await again.code, 0);
  assert.match(await at.config(), /default: m1/u);
});

test("the setup wizard shows the same questions as numbered lists on a narrow or dumb terminal", async () => {
  await using at = await newcomer();
  await using seen = at.terminal(["setup", "agent"], { TERM: "dumb", PATH: "/usr/bin:/bin" });
  await seen.until("Type a number; Enter alone: 1; q leaves.");
  seen.type("nonsense\r");
  await seen.until('There is no choice "nonsense".');
  seen.type("2\r");
  await seen.until("in a sandbox?");
  seen.type("off\r");
  assert.equal(await seen.code, 0);
  assert.ok(!seen.said().includes("❯"), "a dumb terminal gets no menu");
  assert.match(seen.said(), /Your shell does not know `hermes` yet\.[^]*ln -s \S+\/hermes ~\/\.local\/bin\/hermes/u);
  assert.match(await at.config(), /mode: smart/u);
});

test("Ctrl-C exits the setup wizard immediately and leaves nothing behind", async () => {
  await using at = await newcomer();
  await using seen = at.terminal(["setup"]);
  await seen.until("Esc or q leaves");
  seen.type("\u0003");
  assert.equal(await seen.code, 0);
  assert.match(seen.said(), /Nothing was changed/u);
  assert.ok(!existsSync(join(at.home, "config.yaml")));
});

test("without a terminal, options answer the setup questions; without options the message explains how to pass them", async () => {
  await using server = await startModelServer({ protocol: "openai-chat", turns: [{ text: "ok" }], keys: ["k1"] });
  await using at = await newcomer();
  const none = await at.run(["setup"]);
  assert.equal(none.code, 1);
  assert.match(none.stderr, /needs a terminal[^]*--provider/u);
  const unreachable = await at.run(["setup", "--base-url", "http://127.0.0.1:9/v1", "--model", "m1"]);
  assert.equal(unreachable.code, 1);
  assert.match(unreachable.stderr, /did not answer/u);
  assert.equal(await at.config(), "");
  const args = [
    "--base-url",
    server.url,
    "--key-env",
    "TEST_KEY",
    "--model",
    "m1",
    "--approvals",
    "readonly",
    "--isolation",
    "on",
  ];
  const done = await at.run(["setup", ...args, "--completion", "bash", "--tools", "file,terminal", "--json"]);
  assert.equal(done.code, 0, done.stderr + done.stdout);
  const { outcomes } = JSON.parse(done.stdout) as { outcomes: { section: string; isChanged: boolean }[] };
  assert.deepEqual(
    outcomes.map(({ section, isChanged }) => [section, isChanged]),
    [
      ["model", true],
      ["agent", true],
      ["tools", true],
      ["completion", true],
    ],
  );
  assert.ok(existsSync(join(at.env.HOME, ".local/share/bash-completion/completions/hermes")));
  const status = JSON.parse((await at.run(["status", "--json"])).stdout) as { approvals: string };
  assert.equal(status.approvals, "readonly");
  assert.equal((await at.run(["setup", "--reset"])).code, 2, "a reset needs a confirmation");
  assert.equal((await at.run(["setup", "--reset", "--yes", "--non-interactive"])).code, 0);
  assert.doesNotMatch(await at.config(), /m1|readonly/u);
  assert.equal((await at.run(["setup", "nonsense", "--non-interactive"])).code, 2);
});
