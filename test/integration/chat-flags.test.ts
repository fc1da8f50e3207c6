// covers: src/hosts/cli/chat, src/hosts/cli/commands/sessions, src/agents/worktrees, src/operations/sessions, src/store
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { createSessionWorktree } from "../../src/agents/worktrees/session-worktree.ts";
import { makeScratchFolder } from "../../src/config/scratch-folder.ts";
import { runHere } from "../support/run-here.ts";
import { runProgram } from "../support/run-program.ts";
import { talking } from "../support/talking-program.ts";

test("the chat options --query-file, --format stream-json, --source, --create-if-missing, --no-restore-cwd and --pass-session-id work", async () => {
  const answers = Array.from({ length: 6 }, () => ({ text: "Done." }));
  await using at = await talking(answers);
  await writeFile(join(at.work, "ask.txt"), "- a prompt\nof two lines\n");
  const streamed = await runHere(at, ["--query-file", "ask.txt", "--format", "stream-json"]);
  assert.equal(streamed.code, 0, streamed.stderr);
  const events = streamed.stdout.trim().split("\n");
  const types = events.map((line) => (JSON.parse(line) as { type: string }).type);
  assert.deepEqual([types[0], types.at(-1)], ["turn.started", "turn.finished"]);
  assert.match(JSON.stringify(at.server.requests.at(-1)?.json), /- a prompt\\nof two lines/u);
  assert.equal((await runHere(at, ["--query-file", "missing.txt"])).code, 2);
  assert.equal((await runHere(at, ["-q", "x", "--format", "xml"])).code, 2);
  const piped = await runHere(at, ["--query-file", "-", "-Q"], "from the pipe");
  assert.equal(piped.stdout, "Done.\n");

  await runHere(at, ["-z", "hidden work", "--source", "tool"]);
  const listed = await runHere(at, ["sessions", "list", "--json"]);
  assert.doesNotMatch(listed.stdout, /hidden work/u);
  assert.match((await runHere(at, ["sessions", "list", "--source", "tool", "--json"])).stdout, /hidden work/u);
  assert.equal((await runHere(at, ["-z", "x", "--source", "No Tag"])).code, 2);

  assert.equal((await runHere(at, ["-c", "night", "shift", "-z", "start"])).code, 1, "no session has this title");
  assert.equal((await runHere(at, ["-z", "x", "--create-if-missing"])).code, 2);
  const named = await runHere(at, ["-c", "night shift", "--create-if-missing", "--pass-session-id", "-z", "start"]);
  assert.equal(named.code, 0, named.stderr);
  assert.match(JSON.stringify(at.server.requests.at(-1)?.json), /The id of this session is \d{8}_\d{6}_/u);
  const other = join(at.work, "other");
  await mkdir(other);
  const again = await runProgram(
    process.execPath,
    [join(import.meta.dirname, "../../dist/hermes.js"), "-c", "night shift", "--no-restore-cwd", "-z", "go on"],
    { cwd: other, env: at.env },
  );
  assert.equal(again.code, 0, again.stderr);
  assert.match(again.stderr, /now works in .*other/u);
});

test("--run-budget asks the agent to finish and ends the run with exit code 3", async () => {
  const waiting = { calls: [{ name: "terminal", args: { command: "sleep 30" } }] };
  await using at = await talking([waiting, waiting]);
  const ran = await at.run(["-z", "wait", "--run-budget", "3"]);
  assert.equal(ran.code, 3, ran.stderr);
  assert.match(ran.stderr, /run budget of 3 s is used up/u);
  const streamed = await at.run(["-z", "wait", "--run-budget", "1", "--json"]);
  const end = JSON.parse(streamed.stdout.trim().split("\n").at(-1) ?? "");
  assert.deepEqual([streamed.code, end.outcome.reason], [3, "budget"], "the last event agrees with the exit code");
  assert.equal((await at.run(["--run-budget", "3"])).code, 2);
});

test("-w works in a worktree, which is removed if it has no changes and kept otherwise", async () => {
  const write = { calls: [{ name: "write_file", args: { path: "new.txt", content: "x\n" } }] };
  await using at = await talking([{ text: "Nothing to do." }, write, { text: "Written." }]);
  const git = (...args: string[]) => runProgram("git", args, { cwd: at.work, env: { ...at.env, ...author } });
  await writeFile(join(at.work, "a.txt"), "a\n");
  await writeFile(join(at.work, "local.env"), "A=1\n");
  await writeFile(join(at.work, ".gitignore"), "local.env\n");
  await writeFile(join(at.work, ".worktreeinclude"), "local.env\n../outside\n");
  for (const line of ["init -q -b main", "add .", "commit -q -m first"]) await git(...line.split(" "));
  const clean = await at.run(["-w", "-z", "look"]);
  assert.equal(clean.code, 0, clean.stderr);
  assert.match(clean.stderr, /on branch hermes\/hermes-[0-9a-f]{8}/u);
  assert.match(clean.stderr, /\.\.\/outside is outside of the project/u);
  assert.match(clean.stderr, /had no changes and was removed/u);
  assert.deepEqual(await readdir(join(at.work, ".worktrees")), []);
  assert.equal((await git("status", "--porcelain")).stdout, "");
  const dirty = await at.run(["-w", "--yolo", "-z", "write"]);
  assert.match(dirty.stderr, /the worktree stays, because it has changes/u);
  const [name = ""] = await readdir(join(at.work, ".worktrees"));
  const tree = join(await realpath(at.work), ".worktrees", name);
  assert.equal(await readFile(join(tree, "new.txt"), "utf8"), "x\n");
  assert.equal(await readFile(join(tree, "local.env"), "utf8"), "A=1\n");
  assert.ok(!existsSync(join(at.work, "new.txt")));
  assert.match((await git("branch", "--list", "hermes/*")).stdout, new RegExp(name, "u"));
});

test("the setting worktree starts new sessions in a worktree of the fetched remote branch or the last commit", async () => {
  const answers = Array.from({ length: 3 }, () => ({ text: "Nothing to do." }));
  await using at = await talking(answers);
  const origin = join(at.work, "../origin");
  const git = async (cwd: string, line: string) => {
    const { stdout, stderr, code } = await runProgram("git", line.split(" "), { cwd, env: { ...at.env, ...author } });
    assert.equal(code, 0, stderr);
    return stdout.trim();
  };
  await mkdir(origin);
  for (const line of ["init -q -b main", "commit -q --allow-empty -m first"]) await git(origin, line);
  await git(at.work, `clone -q ${origin} clone`);
  const clone = join(at.work, "clone");
  await git(origin, "commit -q --allow-empty -m second");
  const file = join(at.env.HERMES_HOME, "config.yaml");
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, "utf8")), worktree: true }));
  const start = async (isSynced: boolean) => {
    const created = await createSessionWorktree(clone, {
      env: at.env,
      signal: new AbortController().signal,
      isSynced,
      makeFolder: (kind) => makeScratchFolder(at.env.HERMES_HOME, kind),
    });
    assert.ok(created.ok, JSON.stringify(created));
    const { path, notes } = created.value;
    return { notes: notes.join("\n"), subject: await git(path, "log -1 --format=%s") };
  };
  assert.deepEqual(await start(false), { notes: "", subject: "first" });
  assert.deepEqual(await start(true), { notes: "", subject: "second" });
  await git(clone, "commit -q --allow-empty -m own");
  const own = await start(true);
  assert.match(own.notes, /commits that are not pushed/u);
  assert.equal(own.subject, "own");
  await git(clone, "remote set-url origin ../nowhere");
  const offline = await start(true);
  assert.match(offline.notes, /origin was not reached, so the worktree starts from your last commit/u);
  assert.equal(offline.subject, "own");

  const started = await at.run(["--cwd", clone, "-z", "look", "--set", "worktree_sync=false"]);
  assert.match(started.stderr, /working in .*clone\/\.worktrees\/hermes-/u);
  assert.match(started.stderr, /had no changes and was removed/u);
  const resumed = await at.run(["--cwd", clone, "-r", "latest", "-z", "go on"]);
  assert.doesNotMatch(resumed.stderr, /working in/u);
  const outside = await at.run(["--cwd", at.env.HERMES_HOME, "-z", "look"]);
  assert.match(outside.stderr, /no worktree: .* is not in a git repository/u);
  assert.equal(outside.code, 0, outside.stderr);
});

const author = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@b", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@b" };
