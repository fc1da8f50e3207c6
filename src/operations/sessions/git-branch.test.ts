import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { gitBranch } from "./git-branch.ts";

test("the branch is shown for a repository, its folders and worktrees; a detached commit is shortened", async (t) => {
  const root = await mkdtemp(join(tmpdir(), "branch-"));
  t.after(() => rm(root, { recursive: true, force: true }));
  const inner = join(root, "a", "b");
  await mkdir(join(root, ".git", "worktrees", "w"), { recursive: true });
  await mkdir(inner, { recursive: true });
  await writeFile(join(root, ".git", "HEAD"), "ref: refs/heads/feature/x\n");
  assert.equal(await gitBranch(inner), "feature/x");
  await writeFile(join(root, ".git", "HEAD"), `${"0123456789".repeat(4)}\n`);
  assert.equal(await gitBranch(root), "01234567");
  await writeFile(join(root, ".git", "worktrees", "w", "HEAD"), "ref: refs/heads/w\n");
  await writeFile(join(inner, ".git"), "gitdir: ../../.git/worktrees/w\n");
  assert.equal(await gitBranch(inner), "w");
  await writeFile(join(root, ".git", "HEAD"), "nonsense");
  assert.equal(await gitBranch(join(root, "a")), undefined);
});
