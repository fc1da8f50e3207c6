import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { tempHome } from "../../../test/support/temp-home.ts";
import { gitFolders } from "./git-folders.ts";

const none = { elsewhere: [], hooks: [] };

/** Creates a repository `main` with a worktree `tree`, in git's layout. */
async function repository() {
  const home = await tempHome();
  const [main, tree] = [join(home.path, "main", ".git"), join(home.path, "tree")];
  const own = join(main, "worktrees", "tree");
  for (const folder of [join(main, "objects"), join(main, "refs"), join(main, "hooks"), own, tree])
    await mkdir(folder, { recursive: true });
  await writeFile(join(tree, ".git"), `gitdir: ${own}\n`);
  await writeFile(join(own, "gitdir"), `${join(tree, ".git")}\n`);
  await writeFile(join(own, "commondir"), "../..\n");
  return { home: home.path, main, tree, own, [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() };
}

test("the repository of a worktree is recognised, with its hooks", async () => {
  await using repo = await repository();
  assert.deepEqual(gitFolders(repo.tree), { elsewhere: [repo.main], hooks: [join(repo.main, "hooks")] });
  assert.deepEqual(gitFolders(join(repo.home, "main")), { elsewhere: [], hooks: [join(repo.main, "hooks")] });
  assert.deepEqual(gitFolders(repo.home), none);
});

test("a git folder that does not refer back to the worktree is ignored", async () => {
  await using repo = await repository();
  const other = join(repo.home, "other");
  await mkdir(other);
  await writeFile(join(other, ".git"), `gitdir: ${repo.own}\n`);
  assert.deepEqual(gitFolders(other), none, "it belongs to the worktree");
  await writeFile(join(other, ".git"), `gitdir: ${repo.home}\n`);
  assert.deepEqual(gitFolders(other), none);
});

test("a forged folder cannot claim to belong to another repository", async () => {
  await using repo = await repository();
  const [other, forged] = [join(repo.home, "other"), join(repo.home, "forged")];
  await mkdir(other);
  await mkdir(forged);
  await writeFile(join(other, ".git"), `gitdir: ${forged}\n`);
  await writeFile(join(forged, "gitdir"), join(other, ".git"));
  await writeFile(join(forged, "commondir"), repo.main);
  assert.deepEqual(gitFolders(other), none);
});

test("the repository of a submodule is recognised by the folder that it refers to", async () => {
  await using repo = await repository();
  const [folder, module] = [join(repo.home, "main", "sub"), join(repo.main, "modules", "sub")];
  for (const path of [folder, join(module, "objects"), join(module, "refs")]) await mkdir(path, { recursive: true });
  await writeFile(join(folder, ".git"), "gitdir: ../.git/modules/sub\n");
  await writeFile(join(module, "config"), "[core]\n\tworktree = ../../../sub\n");
  assert.deepEqual(gitFolders(folder), { elsewhere: [module], hooks: [] });
});
