import assert from "node:assert/strict";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { tempHome } from "../../test/support/temp-home.ts";
import { isCodeWorkspace, workspaceOf } from "./workspace.ts";

test("the workspace is the git root of the start folder (or of its worktree), else the start folder", async () => {
  await using temp = await tempHome();
  const inTemp = (...parts: string[]) => join(temp.path, ...parts);
  await mkdir(inTemp("ann", "repo", ".git"), { recursive: true });
  await mkdir(inTemp("ann", "repo", "src", "deep"), { recursive: true });
  await mkdir(inTemp("ann", "repo", "tree", "src"), { recursive: true });
  await writeFile(inTemp("ann", "repo", "tree", ".git"), "gitdir: ../.git/worktrees/tree\n");
  await mkdir(inTemp("ann", "plain", "sub"), { recursive: true });
  await symlink(inTemp("ann", "repo", "src"), inTemp("ann", "link"));
  const rows: readonly (readonly [string, string])[] = [
    ["repo", "repo"],
    ["repo/src/deep", "repo"],
    ["repo/.git", "repo"],
    ["repo/tree/src", "repo/tree"],
    ["plain/sub", "plain/sub"],
    ["link", "repo"],
  ];
  for (const [cwd, root] of rows)
    assert.equal((await workspaceOf(inTemp("ann", cwd), inTemp("ann"))).root, inTemp("ann", root), cwd);
});

test("neither /, nor the home folder, nor a parent of it is a workspace", async () => {
  await using temp = await tempHome();
  const home = join(temp.path, "people", "ann");
  await mkdir(join(home, "notes"), { recursive: true });
  await symlink(home, join(temp.path, "other-name"));
  assert.equal((await workspaceOf("/", home)).root, undefined);
  assert.equal((await workspaceOf(join(temp.path, "people"), home)).root, undefined);
  for (const cwd of [home, join(temp.path, "other-name")])
    for (const person of [home, join(temp.path, "other-name")]) {
      const { root, why } = await workspaceOf(cwd, person);
      assert.equal(root, undefined);
      assert.match(why, /contains the home folder/u);
    }
  // Dotfiles under version control make the home folder a git root.
  await mkdir(join(home, ".git"));
  assert.equal((await workspaceOf(home, home)).root, undefined);
  assert.equal((await workspaceOf(join(home, "notes"), home)).root, join(home, "notes"));
  await mkdir(join(temp.path, "people", ".git"));
  assert.equal((await workspaceOf(join(home, "notes"), home)).root, join(home, "notes"));
  assert.equal((await workspaceOf(join(temp.path, "gone"), home)).root, undefined);
});

test("a git repository and a folder with a project file are code workspaces, the home folder is not", async () => {
  await using temp = await tempHome();
  const inHome = (...parts: string[]) => join(temp.path, ...parts);
  await mkdir(inHome("repo", ".git"), { recursive: true });
  await mkdir(inHome("repo", "src"));
  for (const name of ["crate", "notes"]) await mkdir(inHome(name));
  await writeFile(inHome("crate", "Cargo.toml"), "");
  await writeFile(inHome("notes", "todo.md"), "");
  await writeFile(inHome("package.json"), "{}");
  const isCode = (name: string) => isCodeWorkspace(inHome(name), temp.path);
  assert.deepEqual(await Promise.all(["repo/src", "crate", "notes", "."].map(isCode)), [true, true, false, false]);
});
