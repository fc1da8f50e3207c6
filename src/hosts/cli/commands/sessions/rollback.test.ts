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

test("a rollback is listed, shown, asked about, done and taken back", async () => {
  await using at = await house();
  assert.match((await at.run("rollback")).out, /There are no checkpoints of .*work yet\./u);
  const file = join(at.cwd, "a.txt");
  await writeFile(file, "mine\n");
  await at.write("a.txt", "theirs\n");
  await at.write("new/b.txt", "b\n");
  const listed = (await at.run("rollback", "--json")).json as { checkpoints: { id: string; tool: string }[] };
  assert.deepEqual(
    listed.checkpoints.map(({ tool }) => tool),
    ["write_file", "write_file"],
  );
  assert.match((await at.run("rollback", "2", "--diff")).out, /-mine\n\+theirs/u);
  assert.match((await at.run("rollback", "2", "--plan")).out, /1 changes, 2 go/u);
  const unasked = await at.run("rollback", "2");
  assert.equal(unasked.code, 1);
  assert.match(unasked.err, /~ a\.txt \(7 B → 5 B\)[^]*Pass --yes to confirm/u);
  assert.equal(await readFile(file, "utf8"), "theirs\n");

  const done = await at.run("rollback", "2", "--yes", "--json");
  const { undo } = done.json as { undo: string };
  assert.equal(await readFile(file, "utf8"), "mine\n");
  await assert.rejects(readFile(join(at.cwd, "new", "b.txt")), { code: "ENOENT" });
  assert.equal((await at.run("rollback", undo, "--yes")).code, 0);
  assert.equal(await readFile(join(at.cwd, "new", "b.txt"), "utf8"), "b\n");
});

test("what a person changed since is left, unless it is said", async () => {
  await using at = await house();
  const file = join(at.cwd, "a.txt");
  await writeFile(file, "first\n");
  await at.write("a.txt", "theirs\n");
  await writeFile(file, "mine\n");
  const left = await at.run("rollback", "1", "--yes");
  assert.match(left.out, /a\.txt: stays as it is, changed by somebody else since then\n--force also/u);
  assert.equal(await readFile(file, "utf8"), "mine\n");
  await at.run("rollback", "1", "a.txt", "--yes", "--force");
  assert.equal(await readFile(file, "utf8"), "first\n");
});

test("status, prune, and errors that say what to do", async () => {
  await using at = await house();
  await at.write("a.txt", "x\n");
  await rm(join(at.cwd, "a.txt"));
  const status = (await at.run("checkpoints", "status", "--json")).json as {
    enabled: boolean;
    roots: { root: string; checkpoints: number }[];
  };
  assert.equal(status.enabled, true);
  assert.deepEqual(
    status.roots.map(({ root, checkpoints }) => [root, checkpoints]),
    [[at.cwd, 1]],
  );
  const unknown = await at.run("rollback", "7");
  assert.equal(unknown.code, 1);
  assert.match(unknown.err, /there is no checkpoint 7; there are 1, 1 is the last one\nhermes rollback lists them/u);
  assert.equal((await at.run("checkpoints", "prune", "--days", "x")).code, 2);
  assert.match((await at.run("checkpoints", "prune", "--days", "0")).out, /Removed 1 checkpoints/u);
  assert.match((await at.run("checkpoints", "list")).out, /There are no checkpoints/u);
  assert.match((await at.run("rollback", "--set", "checkpoints.enabled=false")).err, /Checkpoints are off/u);
});
