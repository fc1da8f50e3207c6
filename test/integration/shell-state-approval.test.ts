// covers: src/safety, src/environments
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { runProgram } from "../support/run-program.ts";
import { runtimeRig } from "../support/runtime-rig.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { tempHome } from "../support/temp-home.ts";

const program = join(import.meta.dirname, "..", "..", "dist", "hermes.js");

/** Runs each list of commands in one conversation with a real shell and nobody to ask; returns which of them ran. */
async function ran(library: string, commands: readonly string[]): Promise<readonly boolean[]> {
  await using folder = await tempHome();
  const work = join(folder.path, "work");
  await mkdir(work, { recursive: true });
  await writeFile(join(work, "library.sh"), library);
  const { stdout, stderr } = await runProgram(process.execPath, [program, "tools", "call", "--jsonl"], {
    cwd: work,
    env: { HERMES_HOME: join(folder.path, "home"), HOME: folder.path },
    input: commands.map((command) => `${JSON.stringify({ name: "terminal", args: { command } })}\n`).join(""),
  });
  const answers = stdout.split("\n").filter(Boolean);
  assert.equal(answers.length, commands.length, stderr);
  return answers.map((line) => (JSON.parse(line) as { readonly ok: boolean }).ok);
}

test("dangerous shell state of an earlier command needs approval when the next command uses it", async () => {
  // Three denials end it, so three to a conversation.
  const cases: readonly (readonly [string, readonly string[]])[] = [
    [
      "git() { rm -r ./nowhere; }\nls() { rm -r ./nowhere; }\nexport -f ls\neval 'helper() { rm -r ./nowhere; }'",
      ["git status", "ls", "helper now"],
    ],
    [
      "export GIT_PAGER='rm -r ./nowhere' GOPATH='rm -r ./nowhere ' TOOL='rm -r ./nowhere'",
      ["git log", "$GOPATH/bin/tool", "$TOOL"],
    ],
    ["export BASH_ENV=./nowhere.sh PATH=/tmp/nowhere-$$:$PATH", ["bash library.sh", "ls"]],
  ];
  for (const [library, uses] of cases)
    assert.deepEqual(await ran(library, ["source ./library.sh", ...uses]), [true, ...uses.map(() => false)], library);
});

test("dangerous shell state that a command visibly leaves behind needs approval at once", async () => {
  const commands = [
    "git() { rm -r ./nowhere; }",
    "export LD_PRELOAD=./nowhere.so",
    "printf -v GIT_PAGER %s 'sh -c true'; export GIT_PAGER",
  ];
  assert.deepEqual(await ran("", ["echo here", ...commands]), [true, ...commands.map(() => false)]);
});

test("after a command changes the folder, the next call of the same turn is judged in the new folder", async () => {
  await using folder = await tempHome();
  const work = join(folder.path, "work");
  await mkdir(join(work, ".git"), { recursive: true });
  const model = scriptedModel([
    { calls: [{ name: "terminal", args: { command: "cd .." } }] },
    { calls: [{ name: "write_file", args: { path: ".bashrc", content: "echo hello" } }] },
    { calls: [{ name: "terminal", args: { command: "echo hello > .profile" } }] },
    { text: "done" },
  ]);
  await using runtime = await runtimeRig({ folder: folder.path, cwd: work, model });
  await using session = await runtime.openSession({ source: "test" });
  await session.prompt([{ type: "text", text: "go" }]).done;
  const results = session.history().flatMap((message) => (message.role === "tool" ? [message] : []));
  assert.deepEqual(
    results.map(({ failed }) => failed),
    [false, true, true],
    JSON.stringify(results),
  );
  assert.equal(existsSync(join(folder.path, ".bashrc")), false);
  assert.equal(existsSync(join(folder.path, ".profile")), false);
});
