import assert from "node:assert/strict";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { hermes } from "../../../../../test/support/fake-terminal.ts";
import { tempHome } from "../../../../../test/support/temp-home.ts";

async function house() {
  const folder = await tempHome();
  const [home, cwd] = [join(folder.path, "home"), join(folder.path, "work")];
  await mkdir(home, { mode: 0o700 });
  await mkdir(join(cwd, ".git"), { recursive: true });
  const run = (...args: string[]) => hermes(args, { home, cwd });
  const write = (path: string, content: string) =>
    run("tools", "call", "write_file", "--args", JSON.stringify({ path, content }));
  return { cwd, run, write, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

test("rollback lists checkpoints, shows the changes, asks, restores the files, and can be undone", async () => {
  await using rig = await house();
  assert.match((await rig.run("rollback")).out, /There are no checkpoints of .*work yet\./u);
  const file = join(rig.cwd, "a.txt");
  await writeFile(file, "mine\n");
  await rig.write("a.txt", "theirs\n");
  await rig.write("new/b.txt", "b\n");
  const listed = (await rig.run("rollback", "--json")).json as { checkpoints: { id: string; tool: string }[] };
  assert.deepEqual(
    listed.checkpoints.map(({ tool }) => tool),
    ["write_file", "write_file"],
  );
  assert.match((await rig.run("rollback", "2", "--diff")).out, /-mine\n\+theirs/u);
  assert.match((await rig.run("rollback", "2", "--plan")).out, /1 file changed back, 1 file and 1 folder deleted/u);
  const unasked = await rig.run("rollback", "2");
  assert.equal(unasked.code, 2);
  assert.match(unasked.err, /~ a\.txt \(7 B → 5 B\)[^]*Pass --yes to confirm/u);
  assert.equal(await readFile(file, "utf8"), "theirs\n");

  const done = await rig.run("rollback", "2", "--yes", "--json");
  const { undo } = done.json as { undo: string };
  assert.equal(await readFile(file, "utf8"), "mine\n");
  await assert.rejects(readFile(join(rig.cwd, "new", "b.txt")), { code: "ENOENT" });
  assert.equal((await rig.run("rollback", undo, "--yes")).code, 0);
  assert.equal(await readFile(join(rig.cwd, "new", "b.txt"), "utf8"), "b\n");
});

test("a file that the user changed later stays, unless --force", async () => {
  await using rig = await house();
  const file = join(rig.cwd, "a.txt");
  await writeFile(file, "first\n");
  await rig.write("a.txt", "theirs\n");
  await writeFile(file, "mine\n");
  const left = await rig.run("rollback", "1", "--yes");
  assert.match(left.out, /a\.txt: stays as it is, changed by somebody else since then\n--force also/u);
  assert.equal(await readFile(file, "utf8"), "mine\n");
  await rig.run("rollback", "1", "a.txt", "--yes", "--force");
  assert.equal(await readFile(file, "utf8"), "first\n");
});

test("checkpoints status and prune print their results, and errors have hints", async () => {
  await using rig = await house();
  await rig.write("a.txt", "x\n");
  await rm(join(rig.cwd, "a.txt"));
  const status = (await rig.run("checkpoints", "status", "--json")).json as {
    enabled: boolean;
    roots: { root: string; checkpoints: number }[];
  };
  assert.equal(status.enabled, true);
  assert.deepEqual(
    status.roots.map(({ root, checkpoints }) => [root, checkpoints]),
    [[rig.cwd, 1]],
  );
  const unknown = await rig.run("rollback", "7");
  assert.equal(unknown.code, 1);
  assert.match(unknown.err, /there is no checkpoint 7; there are 1, 1 is the last one\nhermes rollback lists them/u);
  assert.equal((await rig.run("checkpoints", "prune", "--days", "x")).code, 2);
  assert.match((await rig.run("checkpoints", "prune", "--days", "0")).out, /Removed 1 checkpoint,/u);
  assert.match((await rig.run("checkpoints", "list")).out, /There are no checkpoints/u);
  await rig.write("a.txt", "y\n");
  const question = await rig.run("checkpoints", "clear");
  assert.equal(question.code, 2);
  assert.match(question.err, /Remove 1 checkpoint of 1 project .*\nPass --yes/u);
  assert.match((await rig.run("checkpoints", "clear", "-f")).out, /Removed 1 checkpoint,/u);
  assert.match((await rig.run("checkpoints", "clear")).out, /Removed 0 checkpoints/u);
  assert.match((await rig.run("rollback", "--set", "checkpoints.enabled=false")).err, /Checkpoints are off/u);
});
