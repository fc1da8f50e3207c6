// covers: src/checkpoints
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";

import { sha256 } from "../../src/base/digest.ts";
import { checkpointScene } from "../support/checkpoint-scene.ts";
import { treeOf } from "../support/file-tree.ts";
import { tempHome } from "../support/temp-home.ts";

const never = new AbortController().signal;

const destructive: readonly string[] = [
  "rm -rf lib/* nested/*",
  "git submodule deinit -q -f lib",
  "git -C lib checkout -q HEAD~1 -- . && git -C nested reset -q --hard",
  "git -C nested clean -qfdx && git -C lib clean -qfdx",
  "echo x > lib/file && echo x > nested/deep/file && echo x > tree/file",
  "git rm -qf lib",
];

describe("checkpoints handle submodules, nested repositories and worktrees", () => {
  for (const command of destructive)
    test(`their files can be restored after: ${command}`, async () => {
      await using home = await tempHome();
      await using scene = await checkpointScene(home.path);
      await fill(scene.project, home.path);
      const before = await treeOf(scene.project);
      await scene.run(command);
      assert.notDeepEqual(await treeOf(scene.project), before);
      const data = await repositoryData(scene.project);
      const match = await scene.checkpoints.find("1", never);
      assert.ok(match.ok, JSON.stringify(match));
      const done = await scene.checkpoints.restore(match.value.id, {}, never);
      assert.ok(done.ok, JSON.stringify(done));
      assert.deepEqual(await treeOf(scene.project), before);
      assert.deepEqual(await repositoryData(scene.project), data, "what belongs to git is as the command left it");
    });

  test("if a call deletes a whole repository, its files are restored without its history, with a warning", async () => {
    await using home = await tempHome();
    await using scene = await checkpointScene(home.path);
    await fill(scene.project, home.path);
    const before = await treeOf(scene.project);
    await scene.run("rm -rf nested");
    const match = await scene.checkpoints.find("1", never);
    assert.ok(match.ok);
    assert.match(match.value.notes.join("\n"), /not recorded by rule: .*nested\/\.git/u);
    const done = await scene.checkpoints.restore(match.value.id, {}, never);
    assert.ok(done.ok, JSON.stringify(done));
    assert.deepEqual(await treeOf(scene.project), before);
    await assert.rejects(readdir(join(scene.project, "nested", ".git")), { code: "ENOENT" });
  });

  test("if a call creates a repository, its files are removed, and its git data is kept and reported", async () => {
    await using home = await tempHome();
    await using scene = await checkpointScene(home.path);
    await fill(scene.project, home.path);
    const before = await treeOf(scene.project);
    await scene.run("mkdir made && git init -q made && echo x > made/file");
    const data = await repositoryData(scene.project);
    const match = await scene.checkpoints.find("1", never);
    assert.ok(match.ok);
    const done = await scene.checkpoints.restore(match.value.id, {}, never);
    assert.ok(done.ok, JSON.stringify(done));
    assert.deepEqual(
      done.value.left.map(({ path }) => path),
      ["made"],
    );
    assert.deepEqual(await treeOf(scene.project), { ...before, "made/": "755" });
    assert.deepEqual(await repositoryData(scene.project), data);
  });
});

/** A repository with a submodule (`lib`), a nested repository (`nested`) and a work tree (`tree`). */
async function fill(project: string, home: string): Promise<void> {
  const library = join(home, "library");
  await repository(library);
  await repository(project);
  git(project, "-c", "protocol.file.allow=always", "submodule", "add", "-q", library, "lib");
  git(project, "commit", "-qm", "submodule");
  await repository(join(project, "nested"));
  git(project, "worktree", "add", "-q", "tree");
  for (const folder of ["lib", "nested", "tree"]) {
    await writeFile(join(project, folder, "file"), `not committed in ${folder}\n`);
    await writeFile(join(project, folder, "untracked"), `new in ${folder}\n`);
  }
}

async function repository(folder: string): Promise<void> {
  await mkdir(join(folder, "deep"), { recursive: true });
  git(folder, "init", "-q");
  for (const text of ["one\n", "two\n"]) {
    await writeFile(join(folder, "file"), text);
    await writeFile(join(folder, "deep", "file"), text);
    git(folder, "add", ".");
    git(folder, "commit", "-qm", text);
  }
}

function git(folder: string, ...args: readonly string[]): void {
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.org", ...args], { cwd: folder, stdio: "pipe" });
}

/** Every file of every `.git`, and every `.git` that is a file. */
async function repositoryData(project: string): Promise<object> {
  const matches: Record<string, string> = {};
  for (const entry of await readdir(project, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && path.split("/").includes(".git"))
      matches[path.slice(project.length + 1)] = sha256(await readFile(path));
  }
  return matches;
}
