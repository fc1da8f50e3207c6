// covers: src/hosts, src/commands, src/providers, src/runtime, src/kernel, src/safety
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { runHere } from "../support/run-here.ts";
import { runProgram } from "../support/run-program.ts";
import { program, talking } from "../support/talking-program.ts";

test("a prompt is never sent to a provider other than the configured one", async () => {
  await using at = await talking([{ text: "Leaked." }]);
  for (const name of ["nosuch/model", "anthropc/claude-x"]) {
    const ran = await runHere(at, ["-z", "secret", "-m", name]);
    assert.equal(ran.code, 1, ran.stdout);
    assert.match(ran.stderr, /There is no provider (?:nosuch|anthropc)\./u);
  }
  assert.equal(at.server.requests.length, 0);
});

const callOf = (name: string, args: Readonly<Record<string, string>>) => ({ calls: [{ name, args }] });

test("a call that the tool itself refuses needs no approval, and only executed calls count as done", async () => {
  const refused = callOf("write_file", { path: "/etc/hermes-probe", content: "x" });
  const missing = callOf("patch", { path: "/etc/hosts", old_string: "no such line", new_string: "y" });
  await using at = await talking([refused, missing, { text: "Finished." }]);
  await using chat = at.terminal();
  await chat.until("❯");
  chat.type("go\r");
  await chat.until("Finished.");
  assert.match(chat.said(), /belongs to the system/u);
  assert.doesNotMatch(chat.said(), /changes a system file/u);
  chat.type("/context\r");
  await chat.until(/files +none/u);
});

test("-z reports denied calls on standard error, and the printed command can be run", async () => {
  await using at = await talking([callOf("terminal", { command: "rm -rf build" }), { text: "I could not." }]);
  await mkdir(join(at.work, "build"));
  const ran = await runHere(at, ["-z", "clean up"]);
  assert.deepEqual([ran.code, ran.stdout], [0, "I could not.\n"]);
  assert.match(ran.stderr, /^terminal: denied: .*nobody is here to ask/mu);
  assert.doesNotMatch(ran.stderr, /Do not try it again/u);
  const printed = /^ (hermes tools call .*)$/mu.exec(ran.stderr)?.[1] ?? "";
  const line = printed.replace(/^hermes/u, `"${process.execPath}" "${program}"`);
  assert.equal((await runProgram("/bin/sh", ["-c", line], { cwd: at.work, env: at.env })).code, 0, printed);
  assert.deepEqual(await readdir(at.work), []);
});

test("after three denials at a terminal the advice does not mention a terminal", async () => {
  const call = callOf("terminal", { command: "rm -rf build" });
  await using at = await talking([call, call, call, call, { text: "Never." }]);
  await mkdir(join(at.work, "build"));
  await using chat = at.terminal();
  await chat.until("❯");
  chat.type("go\r");
  for (let count = 0; count < 3; count++) {
    await chat.until("(Enter denies)");
    chat.type("d\r");
  }
  await chat.until("You denied several calls in a row");
  assert.doesNotMatch(chat.said(), /at a terminal/u);
});

test("a sentence after hermes or hermes chat is the first prompt; a single unknown word is not", async () => {
  await using at = await talking([{ text: "First." }, { text: "Second." }, { text: "Third." }]);
  await using chat = at.terminal(["what is here?"]);
  await chat.until("First.");
  assert.match(chat.said(), /❯ what is here\?/u);
  chat.type("and there?\r");
  await chat.until("Second.");
  const piped = await runHere(at, ["chat", "what", "is", "this?"], "piped text");
  assert.match(piped.stdout, /Third\./u);
  assert.match(JSON.stringify(at.server.requests.at(-1)?.json), /what is this\?[^"]*piped text/u);
  const misspelt = await runHere(at, ["sesions", "list"]);
  assert.equal(misspelt.code, 2);
  assert.match(misspelt.stderr, /Did you mean hermes sessions/u);
  const word = await runHere(at, ["hello"]);
  assert.match(word.stderr, /To send it as a prompt: hermes chat hello/u);
  assert.equal(at.server.requests.length, 3);
});

test("/undo lists the changed files, restores them, and the same prompt can change them again", async () => {
  const calls = [
    callOf("write_file", { path: "a.txt", content: "new\n" }),
    callOf("write_file", { path: "b.txt", content: "new\n" }),
    callOf("patch", { path: "a.txt", old_string: "new", new_string: "newer" }),
    { text: "Written." },
  ];
  await using at = await talking([...calls, ...calls]);
  await mkdir(join(at.work, ".git"));
  await writeFile(join(at.work, "a.txt"), "old\n");
  await using chat = at.terminal();
  await chat.until("❯");
  chat.type("write it\r");
  // The turn has ended when the next prompt appears.
  await chat.until(/Written\.[\s\S]*❯/u);
  chat.type("/undo\r");
  await chat.until("Undo the last exchange?");
  chat.type("y\r");
  await chat.until(/a\.txt[\s\S]*Restore these files \(1 file changed back, 1 file deleted\)\?/u);
  chat.type("y\r");
  await chat.until(/Done: 1 file changed back, 1 file deleted\.[\s\S]*❯ .*write it$/u);
  assert.equal(await readFile(join(at.work, "a.txt"), "utf8"), "old\n");
  chat.type("\r");
  await chat.until(/Written\.[\s\S]*❯/u);
  assert.equal(await readFile(join(at.work, "a.txt"), "utf8"), "newer\n");
  assert.equal(await readFile(join(at.work, "b.txt"), "utf8"), "new\n");
});

test("a model that repeats the same read_file is stopped after a few rounds", async () => {
  const read = callOf("read_file", { path: "a.txt" });
  await using at = await talking(Array.from({ length: 60 }, () => read));
  await writeFile(join(at.work, "a.txt"), "text\n");
  const ran = await runHere(at, ["-z", "read it"]);
  assert.equal(ran.code, 1);
  assert.match(ran.stderr, /going round in circles: read_file was called repeatedly/u);
  assert.ok(at.server.requests.length <= 12, `${at.server.requests.length} requests`);
});

test("a slash command from a pipe never reaches the model and cannot approve anything", async () => {
  await using at = await talking([callOf("terminal", { command: "rm -rf build" }), { text: "Denied." }]);
  await mkdir(join(at.work, "build"));
  const ran = await runHere(at, [], "/yolo\n/yol\n/YOL\n/statsu\nremove the build\n");
  assert.equal(ran.stderr.match(/\/yolo does not work in a pipe\. Nothing was done\./gu)?.length, 3, ran.stderr);
  assert.match(ran.stdout, /There is no command \/statsu\. Did you mean \/status/u);
  assert.doesNotMatch(JSON.stringify(at.server.requests.map(({ json }) => json["messages"])), /\/yolo|\/statsu/u);
  assert.deepEqual(await readdir(at.work), ["build"]);
});

test("changing a setting whose feature does not exist yet prints a warning", async () => {
  await using at = await talking([{ text: "Hi." }]);
  const ran = await runHere(at, ["-z", "hi", "--set", "auxiliary.curator.model=x"]);
  assert.match(
    ran.stderr,
    /auxiliary\.curator has no effect yet: this version lacks maintenance of skills by a model\./u,
  );
});

test("an error in a user's tool file is shown with file, line and message when the chat starts", async () => {
  await using at = await talking([{ text: "Hi." }]);
  const tools = join(at.env.HERMES_HOME, "tools");
  await mkdir(tools);
  await writeFile(join(tools, "thrown.tool.ts"), 'const one = 1;\nthrow new Error("boom here");\n');
  await writeFile(join(tools, "syntax.tool.ts"), "const one = 1;\nconst two = ;\n");
  await using chat = at.terminal();
  await chat.until("❯");
  assert.match(chat.said(), /thrown\.tool\.ts: cannot be loaded \(line 2\): boom here/u);
  assert.match(chat.said(), /syntax\.tool\.ts: cannot be loaded \(line 2\): /u);
});

test("npm start works in the folder where npm was called, and never in its own source", async () => {
  await using at = await talking([]);
  const root = join(import.meta.dirname, "../..");
  const call = ["tools", "call", "terminal", "--args", '{"command": "pwd"}'];
  const from = (folder: string) =>
    runProgram(process.execPath, [join(root, "scripts/run.mjs"), "dist/hermes.js", ...call], {
      cwd: root,
      env: { ...at.env, HOME: at.work, INIT_CWD: folder },
    });
  assert.match(
    (await from(root)).stderr,
    new RegExp(`^Working in a scratch folder: ${RegExp.escape(join(at.work, "hermes-scratch"))}$`, "mu"),
  );
  assert.match((await from(join(root, "src"))).stdout, new RegExp(RegExp.escape(join(at.work, "hermes-scratch")), "u"));
  const other = join(at.work, "project");
  await mkdir(other);
  const started = await from(other);
  assert.match(started.stdout, new RegExp(RegExp.escape(other), "u"));
  assert.doesNotMatch(started.stderr, /Working in/u);
});

test("auth list does not mark a key as valid that was never tested", async () => {
  await using at = await talking([]);
  await runHere(at, ["auth", "add", "anthropic"], "sk-ant-api03-never-used-anywhere-000000\n");
  const listed = await runHere(at, ["auth", "list"]);
  assert.match(listed.stdout, /anthropic.*not refused so far/u);
  assert.doesNotMatch(listed.stdout, /\bok\b/u);
});
