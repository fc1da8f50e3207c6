// covers: src/environments/local, src/base/files
import assert from "node:assert/strict";
import { lstatSync, statSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { localFiles } from "../../src/environments/local/local-files.ts";
import { inChild, runAll } from "../support/child-process.ts";
import { tempHome } from "../support/temp-home.ts";

const never = new AbortController().signal;
const memory = "/dev/shm";
const isThere = statSync(memory, { throwIfNoEntry: false }) !== undefined;
const skip = isThere ? false : "needs a second file system, /dev/shm";

/** A folder here, and one on another file system. */
async function twoDisks() {
  const home = await tempHome();
  const other = await mkdtemp(join(memory, "hermes-move-"));
  assert.notEqual(statSync(home.path).dev, statSync(other).dev);
  return {
    here: home.path,
    other,
    files: localFiles(() => home.path),
    async [Symbol.asyncDispose]() {
      await rm(other, { recursive: true, force: true });
      await home[Symbol.asyncDispose]();
    },
  };
}

test("a folder moves to another file system with its files, links, modes and times", { skip }, async () => {
  await using at = await twoDisks();
  const from = join(at.here, "from");
  await mkdir(join(from, "deep", "er"), { recursive: true });
  await writeFile(join(from, "deep", "er", "run.sh"), "echo hi\n", { mode: 0o750 });
  await symlink("deep/er", join(from, "link"));
  await utimes(join(from, "deep"), 1_000, 2_000);
  const to = join(at.other, "to");
  const moved = await at.files.move(from, to, never);
  assert.ok(moved.ok, JSON.stringify(moved));
  assert.deepEqual(await readdir(at.here), []);
  assert.equal(await readFile(join(to, "link", "run.sh"), "utf8"), "echo hi\n");
  assert.equal((await stat(join(to, "deep", "er", "run.sh"))).mode & 0o777, 0o750);
  assert.equal((await stat(join(to, "deep"))).mtimeMs, 2_000_000);
  assert.ok(lstatSync(join(to, "link")).isSymbolicLink());
});

/** Repeatedly replaces `moved/sub` with a link to an outside folder and back. */
const swapping = `
  import { renameSync, symlinkSync, rmSync } from "node:fs";
  const [root] = process.argv.slice(1);
  const attempt = (step) => { try { step(); } catch {} };
  process.stdout.write("swapping");
  for (;;) {
    attempt(() => renameSync(root + "/moved/sub", root + "/aside"));
    attempt(() => symlinkSync(root + "/outside", root + "/moved/sub"));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random() * 2);
    attempt(() => rmSync(root + "/moved/sub"));
    attempt(() => renameSync(root + "/aside", root + "/moved/sub"));
  }`;

test("a subfolder that becomes a link during the move is not followed", { skip }, async () => {
  await using at = await twoDisks();
  const outside = join(at.here, "outside");
  await mkdir(outside);
  await writeFile(join(outside, "secret.txt"), "the secret outside");
  const child = inChild(at.here, swapping, [at.here]);
  await new Promise((resolve) => child.process.stdout?.once("data", resolve));
  await runAll([child], async () => {
    for (let index = 0; index < 60; index++) {
      const from = join(at.here, "moved");
      await mkdir(join(from, "sub"), { recursive: true }).catch(() => {});
      for (let file = 0; file < 20; file++) await writeFile(join(from, `a${file}`), "x");
      await at.files.move(from, join(at.other, `to${index}`), never);
    }
  });
  assert.equal(await readFile(join(outside, "secret.txt"), "utf8"), "the secret outside");
  const names = await readdir(at.other, { recursive: true, withFileTypes: true });
  const copied = names.filter(
    ({ name, parentPath }) => name === "secret.txt" && !lstatSync(parentPath).isSymbolicLink(),
  );
  assert.deepEqual(copied, []);
});
