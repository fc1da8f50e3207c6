// covers: src/agents
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { closeSessionWorktree, createSessionWorktree } from "../../src/agents/worktrees/session-worktree.ts";
import { makeTempFolder } from "../../src/base/files/temp-folder.ts";
import { tempHome } from "../support/temp-home.ts";

async function scene() {
  const home = await tempHome();
  const [root, scratch] = [join(home.path, "project"), join(home.path, "scratch")];
  const env = { PATH: process.env["PATH"], HOME: home.path };
  const author = '[user]\n\tname = a\n\temail = a@example.com\n[protocol "file"]\n\tallow = always\n';
  await writeFile(join(home.path, ".gitconfig"), author);
  await mkdir(join(root, "src"), { recursive: true });
  await mkdir(scratch);
  await writeFile(join(root, "src", "a.txt"), "one\n");
  const git = (cwd: string, ...args: readonly string[]) =>
    execFileSync("git", args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  git(root, "init", "-q");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "first");
  const options = {
    env,
    signal: new AbortController().signal,
    makeFolder: (kind: string) => makeTempFolder(scratch, kind),
  };
  return {
    home: home.path,
    root,
    git,
    options,
    create: (isSynced = false) => createSessionWorktree(root, { ...options, isSynced }),
    left: () => readdirSync(scratch),
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}

test("programs in the settings of a repository do not run when a worktree is created and removed", async () => {
  await using at = await scene();
  const mark = join(at.home, "escaped");
  const evil = `touch ${mark}; cat`;
  at.git(at.root, "config", "filter.evil.smudge", evil);
  at.git(at.root, "config", "filter.evil.clean", evil);
  at.git(at.root, "config", "filter.evil.process", `touch ${mark}`);
  at.git(at.root, "config", "core.fsmonitor", `touch ${mark}`);
  at.git(at.root, "config", "core.alternateRefsCommand", `touch ${mark}`);
  const origin = join(at.home, "origin");
  at.git(at.home, "clone", "-q", "--bare", at.root, origin);
  at.git(at.root, "remote", "add", "origin", origin);
  at.git(at.root, "fetch", "-q");
  at.git(at.root, "branch", "-q", "--set-upstream-to=origin/master");
  at.git(at.root, "config", "remote.origin.uploadpack", `touch ${mark}; git-upload-pack`);
  await mkdir(join(at.root, ".git", "info"), { recursive: true });
  await writeFile(join(at.root, ".git", "info", "attributes"), "* filter=evil\n");
  await rm(mark, { force: true });

  const created = await at.create(true);
  assert.ok(created.ok, JSON.stringify(created));
  const { path } = created.value;
  assert.equal(readFileSync(join(path, "src", "a.txt"), "utf8"), "one\n");
  // Git reads a file again whose time differs from the index.
  await utimes(join(path, "src", "a.txt"), 1, 1);
  assert.deepEqual(await closeSessionWorktree(created.value, at.options), { isRemoved: true, why: "" });
  assert.equal(existsSync(mark), false);
  assert.equal(existsSync(path), false);
  assert.equal(at.git(at.root, "worktree", "list").split("\n").length, 2);
  assert.equal(at.git(at.root, "branch", "--list", "hermes/*"), "");
  assert.deepEqual(at.left(), []);
});

test("changed and new files keep a worktree", async () => {
  await using at = await scene();
  for (const name of ["src/a.txt", "new.txt"]) {
    const created = await at.create();
    assert.ok(created.ok, JSON.stringify(created));
    await writeFile(join(created.value.path, name), "two\n");
    const closed = await closeSessionWorktree(created.value, at.options);
    assert.deepEqual(closed, { isRemoved: false, why: "it has changes that are not committed" });
  }
});

test("a worktree is not created behind a link, and nothing is written through one", async () => {
  await using at = await scene();
  const [elsewhere, file] = [join(at.home, "elsewhere"), join(at.home, ".profile")];
  await mkdir(elsewhere);
  await writeFile(file, "mine\n");
  await rm(join(at.root, ".git", "info", "exclude"), { force: true });
  await symlink(file, join(at.root, ".git", "info", "exclude"));
  await symlink(elsewhere, join(at.root, ".worktrees"));
  const refused = await at.create();
  assert.match(refused.ok ? "" : refused.error, /\.worktrees is a link/u);
  assert.deepEqual(readdirSync(elsewhere), []);
  assert.equal(readFileSync(file, "utf8"), "mine\n");
});
