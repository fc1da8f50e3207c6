// covers: src/agents
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, lstat, mkdir, readdir, readFile, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";

import { createWorktrees, type Worktree, type Worktrees } from "../../src/agents/worktrees/worktrees.ts";
import { systemClock as clock } from "../../src/base/clock.ts";
import { silentLog as log } from "../../src/base/log/log.ts";
import { inChild, runAll } from "../support/child-process.ts";
import { tempHome } from "../support/temp-home.ts";

const { signal } = new AbortController();

/** A folder with a home, and worktrees in it. */
async function place() {
  const home = await tempHome();
  const folder = await realpath(home.path);
  const env = { PATH: process.env["PATH"], HOME: folder };
  await writeFile(
    join(folder, ".gitconfig"),
    '[user]\n\tname = A B\n\temail = a@example.com\n[init]\n\tdefaultBranch = main\n[protocol "file"]\n\tallow = always\n',
  );
  const git = (cwd: string, ...args: readonly string[]) =>
    execFileSync("git", args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  const deps = { folder: join(folder, "worktrees"), patches: join(folder, "patches"), env, clock, log };
  return {
    folder,
    env,
    git,
    worktrees: createWorktrees(deps),
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}

async function put(folder: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(folder, name, ".."), { recursive: true });
    await writeFile(join(folder, name), content);
  }
}

/** A repository with one commit. */
async function project(scene: Awaited<ReturnType<typeof place>>, name = "my project"): Promise<string> {
  const root = join(scene.folder, name);
  await put(root, {
    "a.txt": "one\ntwo\nthree\n",
    "src/b.txt": "b\n",
    "run.sh": "echo\n",
    "old.txt": "1\n2\n3\n4\n5\n6\n7\n8\n",
    ".gitignore": "*.log\nbuild/\n",
    "data.bin": Buffer.from([0, 1, 2, 255, 254, 0]),
  });
  scene.git(root, "init", "-q");
  scene.git(root, "add", "-A");
  scene.git(root, "commit", "-qm", "first");
  return root;
}

async function newTree(worktrees: Worktrees, cwd: string, id = "agent_1"): Promise<Worktree> {
  const created = await worktrees.create({ id, cwd, untouched: [] }, signal);
  assert.ok(created.ok, JSON.stringify(created));
  return created.value;
}

async function collected(tree: Worktree) {
  const changes = await tree.collect(signal);
  assert.ok(changes.ok, JSON.stringify(changes));
  return changes.value;
}

test("a copy has the commit and all later changes, and the project stays unchanged", async () => {
  await using at = await place();
  const root = await project(at);
  await put(root, { "a.txt": "changed\n", "new.txt": "new\n", "debug.log": "log\n", "staged.txt": "s\n" });
  await rm(join(root, "src", "b.txt"));
  at.git(root, "add", "staged.txt");
  at.git(root, "stash", "list");
  const before = [at.git(root, "status", "--porcelain"), await readFile(join(root, ".git", "index"), "latin1")];
  await using tree = await newTree(at.worktrees, join(root, "src", ".."));
  const copy = tree.place.root;
  assert.equal(await readFile(join(copy, "a.txt"), "utf8"), "changed\n");
  assert.equal(await readFile(join(copy, "new.txt"), "utf8"), "new\n");
  assert.equal(await readFile(join(copy, "staged.txt"), "utf8"), "s\n");
  for (const name of ["debug.log", "src/b.txt"]) assert.ok(!existsSync(join(copy, name)), name);
  assert.equal(at.git(copy, "rev-parse", "HEAD"), at.git(root, "rev-parse", "HEAD"));
  assert.match(at.git(copy, "status"), /Not currently on any branch/u);
  assert.match(at.git(copy, "log", "--oneline", "main"), /first/u);
  assert.equal(at.git(copy, "status", "--porcelain"), " M a.txt\n D src/b.txt\n?? new.txt\n?? staged.txt\n");
  at.git(copy, "add", "-A");
  at.git(copy, "commit", "-qm", "second");
  at.git(copy, "stash", "list");
  at.git(copy, "branch", "theirs");
  assert.deepEqual(
    [at.git(root, "status", "--porcelain"), await readFile(join(root, ".git", "index"), "latin1")],
    before,
  );
  assert.doesNotMatch(at.git(root, "branch", "--all"), /theirs/u);
  assert.equal(at.git(root, "worktree", "list").trim().split("\n").length, 1);
  assert.deepEqual(await collected(tree), { files: [] }, "commits alone change no file");
});

test("changes are returned as a patch: text, binary, modes, renames, new and deleted files, links, odd names", async () => {
  await using at = await place();
  const root = await project(at);
  await put(root, { "a.txt": "one\ntwo and more\nthree\n" });
  await using tree = await newTree(at.worktrees, root);
  const copy = tree.place.root;
  await put(copy, {
    "a.txt": "one\ntwo and more\nthree\nfour\n",
    "data.bin": Buffer.from([9, 0, 255, 128]),
    "new folder/né\tw.txt": "new\n",
    "new.bin": Buffer.from([0, 255, 0]),
    "trace.log": "ignored\n",
    "build/out": "ignored\n",
    "no-end.txt": "no line end",
  });
  await rename(join(copy, "old.txt"), join(copy, "renamed.txt"));
  await chmod(join(copy, "run.sh"), 0o755);
  await rm(join(copy, "src"), { recursive: true });
  await symlink("a.txt", join(copy, "link"));
  at.git(copy, "add", "a.txt");
  at.git(copy, "commit", "-qm", "the agent commits a part");
  const { patch, files } = await collected(tree);
  assert.ok(patch !== undefined);
  assert.deepEqual(
    files.toSorted(),
    [
      "a.txt",
      "data.bin",
      "link",
      "new folder/né\tw.txt",
      "new.bin",
      "no-end.txt",
      "renamed.txt",
      "run.sh",
      "src/b.txt",
    ].toSorted(),
  );
  const text = await readFile(patch, "utf8");
  assert.match(text, /rename from old\.txt\nrename to renamed\.txt/u);
  assert.doesNotMatch(text, /ignored/u);
  const trial = await at.worktrees.apply(patch, { cwd: root, isTrial: true }, signal);
  assert.ok(trial.ok && trial.value.files.length === 9, JSON.stringify(trial));
  assert.ok(existsSync(join(root, "old.txt")));
  const index = await readFile(join(root, ".git", "index"), "latin1");
  const applied = await at.worktrees.apply(patch, { cwd: join(root, "src"), isTrial: false }, signal);
  assert.ok(applied.ok, JSON.stringify(applied));
  assert.equal(await readFile(join(root, "a.txt"), "utf8"), "one\ntwo and more\nthree\nfour\n");
  assert.deepEqual([...(await readFile(join(root, "data.bin")))], [9, 0, 255, 128]);
  assert.equal(await readFile(join(root, "new folder", "né\tw.txt"), "utf8"), "new\n");
  assert.equal(await readFile(join(root, "no-end.txt"), "utf8"), "no line end");
  assert.equal((await lstat(join(root, "run.sh"))).mode & 0o777, 0o755);
  assert.ok((await lstat(join(root, "link"))).isSymbolicLink());
  assert.ok(!existsSync(join(root, "old.txt")) && existsSync(join(root, "renamed.txt")));
  assert.ok(!existsSync(join(root, "src", "b.txt")));
  assert.equal(await readFile(join(root, ".git", "index"), "latin1"), index);
});

test("if a patch does not fit, the error names the files and no file is changed", async () => {
  await using at = await place();
  const root = await project(at);
  await using tree = await newTree(at.worktrees, root);
  await put(tree.place.root, { "a.txt": "one\nTWO\nthree\n", "src/b.txt": "B\n", "new.txt": "n\n" });
  const { patch = "" } = await collected(tree);
  await put(root, { "a.txt": "one\nzwei\nthree\n", "new.txt": "mine\n" });
  for (const isTrial of [true, false]) {
    const refused = await at.worktrees.apply(patch, { cwd: root, isTrial }, signal);
    assert.ok(!refused.ok);
    assert.deepEqual(refused.error.files.toSorted(), ["a.txt", "new.txt"]);
  }
  assert.equal(await readFile(join(root, "src", "b.txt"), "utf8"), "b\n");
  assert.equal(await readFile(join(root, "new.txt"), "utf8"), "mine\n");
});

test("a copy starts in the folder of its parent, or in its root if that folder is not copied", async () => {
  await using at = await place();
  const root = await project(at);
  await mkdir(join(root, "build"));
  await using one = await newTree(at.worktrees, join(root, "src"), "agent_1");
  assert.equal(one.place.cwd, join(one.place.root, "src"));
  await using two = await newTree(at.worktrees, join(root, "build"), "agent_2");
  assert.equal(two.place.cwd, two.place.root);
  assert.deepEqual(two.place.untouched, [{ path: root, copy: two.place.root }]);
});

test("copies of copies and concurrent copies are separate", async () => {
  await using at = await place();
  const root = await project(at);
  const trees = await Promise.all(["agent_1", "agent_2", "agent_3"].map((id) => newTree(at.worktrees, root, id)));
  for (const [index, { place: where }] of trees.entries()) await put(where.root, { "a.txt": `from ${index}\n` });
  const first = trees[0]?.place;
  assert.ok(first);
  const created = await at.worktrees.create({ id: "agent_4", cwd: first.root, untouched: first.untouched }, signal);
  assert.ok(created.ok, JSON.stringify(created));
  await using inner = created.value;
  assert.equal(await readFile(join(inner.place.root, "a.txt"), "utf8"), "from 0\n");
  assert.deepEqual(
    inner.place.untouched.map(({ path }) => path),
    [first.root, root],
  );
  await put(inner.place.root, { "a.txt": "inner\n" });
  const { patch = "" } = await collected(inner);
  assert.ok((await at.worktrees.apply(patch, { cwd: first.root, isTrial: false }, signal)).ok);
  assert.equal(await readFile(join(first.root, "a.txt"), "utf8"), "inner\n");
  for (const [index, tree] of trees.entries())
    assert.match(
      await readFile((await collected(tree)).patch ?? "", "utf8"),
      index === 0 ? /\+inner/u : new RegExp(`\\+from ${index}`, "u"),
    );
  for (const tree of trees) await tree[Symbol.asyncDispose]();
  await inner[Symbol.asyncDispose]();
  assert.deepEqual(await readdir(join(at.folder, "worktrees")), []);
  assert.equal(await readFile(join(root, "a.txt"), "utf8"), "one\ntwo\nthree\n");
});

test("shallow, empty, linked and SHA-256 repositories work; bare ones and plain folders are refused", async () => {
  await using at = await place();
  const root = await project(at);
  await put(root, { "a.txt": "second\n" });
  at.git(root, "commit", "-qam", "second");
  const shallow = join(at.folder, "shallow");
  at.git(at.folder, "clone", "-q", "--depth", "1", `file://${root}`, shallow);
  const linked = join(at.folder, "linked");
  at.git(root, "worktree", "add", "-q", "--detach", linked);
  const empty = join(at.folder, "empty");
  await put(empty, { "x.txt": "x\n" });
  at.git(empty, "init", "-q");
  const long = join(at.folder, "long");
  await put(long, { "x.txt": "x\n" });
  at.git(long, "init", "-q", "--object-format=sha256");
  at.git(long, "add", "-A");
  at.git(long, "commit", "-qm", "first");
  for (const each of [shallow, linked, empty, long]) {
    await using tree = await newTree(at.worktrees, each);
    assert.equal(at.git(tree.place.root, "status", "--porcelain"), at.git(each, "status", "--porcelain"), each);
    await put(tree.place.root, { "added.txt": "added\n" });
    const { patch = "" } = await collected(tree);
    assert.ok((await at.worktrees.apply(patch, { cwd: each, isTrial: false }, signal)).ok, each);
    assert.equal(await readFile(join(each, "added.txt"), "utf8"), "added\n");
    const shared = tree.place.untouched.map(({ path }) => path);
    assert.deepEqual(shared, each === linked ? [linked, join(root, ".git")] : [each]);
  }
  const bare = join(at.folder, "bare.git");
  at.git(at.folder, "clone", "-q", "--bare", root, bare);
  const plain = join(at.folder, "plain");
  await mkdir(plain);
  for (const [cwd, why] of [
    [bare, /is a bare repository/u],
    [plain, /needs a git repository.*run `git init`/u],
  ] as const) {
    const refused = await at.worktrees.create({ id: "agent_1", cwd, untouched: [] }, signal);
    assert.match(refused.ok ? "" : refused.error, why);
  }
});

test("a copy has a change of the same size in the second of the last commit", async () => {
  await using at = await place();
  const root = await project(at);
  const file = join(root, "a.txt");
  const secondOf = async (path: string) => Math.floor((await lstat(path)).ctimeMs / 1000);
  let content = "one\ntwo\nthree\n";
  do {
    await writeFile(file, content);
    at.git(root, "commit", "-qam", "next", "--allow-empty");
    content = content.startsWith("one") ? "two\none\nthree\n" : "one\ntwo\nthree\n";
    await writeFile(file, content);
  } while ((await secondOf(file)) !== (await secondOf(join(root, ".git", "index"))));
  while (Math.floor(Date.now() / 1000) === (await secondOf(file))) await setTimeout(20);
  await using tree = await newTree(at.worktrees, root);
  assert.equal(await readFile(join(tree.place.root, "a.txt"), "utf8"), content);
});

test("neither hooks nor filters run, nothing is fetched, and submodules stay empty", async () => {
  await using at = await place();
  const root = await project(at);
  const inner = await project(at, "inner");
  at.git(root, "submodule", "--quiet", "add", inner, "module");
  await put(root, {
    ".gitattributes": "*.big filter=lfs diff=lfs\n*.odd filter=odd\n",
    "x.big": "pointer\n",
    "x.odd": "odd\n",
  });
  at.git(root, "add", "-A");
  at.git(root, "commit", "-qm", "second");
  const mark = join(at.folder, "ran");
  const touch = `touch '${mark}'; cat`;
  for (const name of ["lfs", "odd"]) {
    at.git(root, "config", `filter.${name}.clean`, touch);
    at.git(root, "config", `filter.${name}.smudge`, touch);
  }
  at.git(at.folder, "config", "--global", "filter.lfs.smudge", touch);
  at.git(at.folder, "config", "--global", "filter.lfs.clean", touch);
  at.git(root, "config", "core.fsmonitor", `${touch} #`);
  for (const name of ["post-checkout", "post-index-change", "pre-commit"]) {
    await put(root, { [`.git/hooks/${name}`]: `#!/bin/sh\ntouch '${mark}'\n` });
    await chmod(join(root, ".git", "hooks", name), 0o755);
  }
  await put(root, { "x.big": "changed\n", "x.odd": "changed\n" });
  await using tree = await newTree(at.worktrees, root);
  assert.deepEqual(await readdir(join(tree.place.root, "module")), []);
  await put(tree.place.root, { "x.big": "again\n", "x.odd": "again\n" });
  const { patch = "" } = await collected(tree);
  const applied = await at.worktrees.apply(patch, { cwd: root, isTrial: false }, signal);
  assert.ok(applied.ok, JSON.stringify(applied));
  assert.equal(await readFile(join(root, "x.big"), "utf8"), "again\n");
  assert.ok(!existsSync(mark));
});

test("nothing that an agent does in its copy can run a program through Hermes' git or prevent the patch", async () => {
  await using at = await place();
  const root = await project(at);
  const inner = await project(at, "inner");
  at.git(root, "submodule", "--quiet", "add", inner, "module");
  at.git(root, "commit", "-qam", "second");
  const tree = await newTree(at.worktrees, root);
  const copy = tree.place.root;
  const mark = join(at.folder, "ran");
  const evil = `[core]\n\tfsmonitor = "touch '${mark}' #"\n\tworktree = ${root}\n[filter "odd"]\n\tclean = touch '${mark}'; cat\n[diff "odd"]\n\ttextconv = touch '${mark}'; cat\n`;
  await put(copy, { ".git/config": evil, ".gitattributes": "* filter=odd diff=odd\n", "a.txt": "changed\n" });
  at.git(at.folder, "init", "-q", join(copy, "module"));
  await put(copy, { "module/.git/config": evil, "module/x": "x\n" });
  at.git(at.folder, "init", "-q", join(copy, "nested"));
  await put(copy, { "nested/.git/config": evil, "nested/x": "x\n" });
  await put(copy, { "locked/x": "x\n" });
  const { patch, files } = await collected(tree);
  assert.deepEqual(files.toSorted(), [".gitattributes", "a.txt", "locked/x"]);
  assert.ok(patch !== undefined && !existsSync(mark));
  await rm(join(copy, ".git"), { recursive: true });
  assert.deepEqual((await collected(tree)).files, files);
  await chmod(join(copy, "locked"), 0o000);
  await tree[Symbol.asyncDispose]();
  assert.deepEqual(await readdir(join(at.folder, "worktrees")), []);
  assert.equal(await readFile(join(root, "a.txt"), "utf8"), "one\ntwo\nthree\n");
});

test("after kill -9 the next start stores the changes as a patch and removes the copy", async () => {
  await using at = await place();
  const root = await project(at);
  await using living = await newTree(at.worktrees, root, "agent_2");
  const child = inChild(join(import.meta.dirname, "..", "..", "src"), program, [at.folder, root]);
  await runAll([child], async () => {
    assert.ok(child.process.stdout);
    await once(child.process.stdout, "data");
    assert.deepEqual(await at.worktrees.removeOrphans(signal), [], "both programs live");
    child.process.kill("SIGKILL");
    await child.ended;
  });
  assert.deepEqual(await at.worktrees.removeOrphans(signal), ["agent_1"]);
  assert.deepEqual(await at.worktrees.removeOrphans(signal), []);
  assert.match(await readFile((await at.worktrees.patchOf("agent_1")) ?? "", "utf8"), /\+half done/u);
  assert.ok(existsSync(living.place.root));
  assert.deepEqual((await readdir(join(at.folder, "worktrees"))).toSorted(), ["agent_2", "agent_2.lock"]);
  assert.equal(at.git(root, "status", "--porcelain"), "");
});

const program = `
  import { writeFileSync } from "node:fs";
  import { createWorktrees } from "./agents/worktrees/worktrees.ts";
  import { systemClock as clock } from "./base/clock.ts";
  import { silentLog as log } from "./base/log/log.ts";
  const [folder, cwd] = process.argv.slice(1);
  const env = { PATH: process.env.PATH, HOME: folder };
  const worktrees = createWorktrees({ folder: folder + "/worktrees", patches: folder + "/patches", env, clock, log });
  const created = await worktrees.create({ id: "agent_1", cwd, untouched: [] }, new AbortController().signal);
  writeFileSync(created.value.place.root + "/a.txt", "half done\\n");
  console.log("ready");
  setInterval(() => {}, 1000);
`;

test("a link in the repository of a project shows an agent no file elsewhere", async () => {
  await using at = await place();
  const root = await project(at);
  const key = join(at.folder, "key");
  await writeFile(key, "PRIVATE KEY\n");
  for (const name of ["exclude", "attributes"]) {
    await mkdir(join(root, ".git", "info"), { recursive: true });
    await rm(join(root, ".git", "info", name), { force: true });
    await symlink(key, join(root, ".git", "info", name));
  }
  await using tree = await newTree(at.worktrees, root);
  for (const name of ["exclude", "attributes"])
    assert.equal(await readFile(join(tree.place.root, ".git", "info", name), "utf8").catch(() => ""), "");
});
