// covers: src/safety, src/environments, src/runtime/calls
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { runProgram } from "../support/run-program.ts";
import { runtimeRig } from "../support/runtime-rig.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { tempHome } from "../support/temp-home.ts";

const program = join(import.meta.dirname, "..", "..", "dist", "hermes.js");

type Call = string | { readonly path: string; readonly content: string };

/**
 * Runs the calls in one session with a real shell and nobody to ask; a text is a command. Returns which of them ran.
 */
async function ran(calls: readonly Call[], own: Readonly<Record<string, string>> = {}): Promise<readonly boolean[]> {
  await using folder = await tempHome();
  const work = join(folder.path, "work");
  await mkdir(join(work, ".git"), { recursive: true });
  for (const [name, text] of Object.entries({ "key.pem": "k", ...own })) {
    await mkdir(join(work, name, ".."), { recursive: true });
    await writeFile(join(work, name), text);
  }
  const { stdout, stderr } = await runProgram(process.execPath, [program, "tools", "call", "--jsonl"], {
    cwd: work,
    env: { HERMES_HOME: join(folder.path, "home"), HOME: folder.path },
    input: calls
      .map((call) =>
        typeof call === "string" ? { name: "terminal", args: { command: call } } : { name: "write_file", args: call },
      )
      .map((call) => `${JSON.stringify(call)}\n`)
      .join(""),
  });
  const answers = stdout.split("\n").filter(Boolean);
  assert.equal(answers.length, calls.length, stderr);
  return answers.map((line) => (JSON.parse(line) as { readonly ok: boolean }).ok);
}

const danger = "rm -r ./nowhere";

test("variables that an earlier command exported are considered when a later command uses them", async () => {
  const exports = "export f=$HOME/.ssh/id_rsa plain=notes.txt what='rm -r'";
  const uses = ["cat $f", "echo hello > $plain", "$what ./nowhere"];
  assert.deepEqual(await ran([exports, ...uses]), [true, false, true, false]);
});

test("files that the session wrote are judged like inline code when they are run or loaded", async () => {
  const cases: readonly (readonly [Call, string])[] = [
    [{ path: "x.sh", content: danger }, "bash x.sh"],
    [{ path: "x.sh", content: danger }, "source ./x.sh"],
    [{ path: "x", content: `#!/bin/sh\n${danger}\n` }, "sh < x"],
    [{ path: "x.py", content: "import shutil\nshutil.rmtree('nowhere')\n" }, "python3 x.py"],
    [{ path: "m.py", content: "import os\nos.system('rm -r nowhere')\n" }, "python3 -m m"],
    [{ path: "x.js", content: "require('fs').rmSync('nowhere', { recursive: true })" }, "node x.js"],
    [{ path: "p.awk", content: `BEGIN { system("${danger}") }` }, "awk -f p.awk key.pem"],
    [{ path: "p.sed", content: `1e ${danger}\n` }, "sed -f p.sed key.pem"],
    [{ path: "Makefile", content: `all:\n\t${danger}\n` }, "make"],
    [{ path: "package.json", content: JSON.stringify({ scripts: { pretest: danger, test: "true" } }) }, "npm test"],
    [{ path: "conftest.py", content: "import shutil\nshutil.rmtree('nowhere')\n" }, "pytest -q"],
  ];
  const more: readonly Call[] = [
    `echo '${danger}' > y.sh`,
    "cp y.sh z.sh",
    "bash z.sh",
    { path: "inner.sh", content: danger },
    { path: "outer.sh", content: ". ./inner.sh\n" },
    "bash outer.sh",
  ];
  assert.deepEqual(await ran([...cases.flat(), ...more]), [
    ...cases.flatMap(() => [true, false]),
    true,
    true,
    false,
    true,
    true,
    false,
  ]);
});

test("files that existed before the session are the user's own, and harmless ones run", async () => {
  const script = { path: "x.sh", content: "echo hello > out.txt\n" };
  const makefile = { path: "Makefile", content: `all:\n\ttrue\nclean:\n\t${danger}\n` };
  assert.deepEqual(
    await ran(["bash own.sh; true", script, "bash x.sh", "make; true", makefile, "make", "make clean"], {
      "own.sh": danger,
      Makefile: `all:\n\t${danger}\n`,
    }),
    [true, true, true, true, true, true, false],
  );
});

test("a folder that the session moved to the path of build output does not count as build output", async () => {
  const own = {
    ".gitignore": "dist\nnode_modules\n",
    "src/a.ts": "a",
    ".git/HEAD": "ref: refs/heads/main\n",
    ".git/index": "DIRC\0\0\0\u0002",
  };
  assert.deepEqual(await ran(["mkdir dist; touch dist/a", "rm -rf node_modules", "mv src dist", "rm -rf dist"], own), [
    true,
    true,
    true,
    false,
  ]);
});

test("without a sandbox, code that cannot be judged needs approval once per session and program", async () => {
  await using folder = await tempHome();
  const work = join(folder.path, "work");
  await mkdir(join(work, ".git"), { recursive: true });
  await writeFile(join(work, "package.json"), JSON.stringify({ scripts: { test: "node lib.js" } }));
  const terminal = (command: string) => ({ calls: [{ name: "terminal", args: { command } }] });
  const model = scriptedModel([
    terminal("npm test"),
    { calls: [{ name: "write_file", args: { path: "lib.js", content: "eval(process.argv[2] ?? '0')" } }] },
    terminal("npm test"),
    terminal("npm test"),
    terminal("node lib.js"),
    terminal("node lib.js"),
    { text: "done" },
  ]);
  const questions: string[] = [];
  await using runtime = await runtimeRig({ folder: folder.path, cwd: work, model });
  await using session = await runtime.openSession({ source: "test" });
  using _surface = session.approvals.attach({
    name: "test",
    async ask({ asks }) {
      questions.push(asks.map(({ rule }) => rule).join(" "));
      return { scope: "once" };
    },
  });
  await session.prompt([{ type: "text", text: "go" }]).done;
  assert.deepEqual(questions, ["session_code", "session_code"]);
});
