import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { tempHome } from "../../../test/support/temp-home.ts";
import { removeTree } from "./remove-tree.ts";

test("a tree is removed with closed folders and names that are not UTF-8; targets of links stay", async () => {
  await using home = await tempHome();
  const [tree, kept] = [join(home.path, "tree"), join(home.path, "kept")];
  await mkdir(join(tree, "ä", "deep"), { recursive: true });
  await mkdir(kept);
  await writeFile(join(kept, "file"), "x");
  await writeFile(Buffer.concat([Buffer.from(`${tree}/ä/`), Buffer.of(0xff, 0xfe)]), "x");
  await symlink(kept, join(tree, "ä", "link"));
  await chmod(join(tree, "ä"), 0o500);
  await removeTree(tree);
  assert.equal(existsSync(tree), false);
  assert.deepEqual(readdirSync(kept), ["file"]);
});

test("a file, a link and a missing path", async () => {
  await using home = await tempHome();
  const [file, link] = [join(home.path, "file"), join(home.path, "link")];
  await writeFile(file, "x");
  await symlink(file, link);
  await removeTree(link);
  assert.deepEqual(readdirSync(home.path), ["file"]);
  await removeTree(file);
  await removeTree(file);
  await removeTree(join(home.path, "no", "folder"));
  assert.deepEqual(readdirSync(home.path), []);
});
