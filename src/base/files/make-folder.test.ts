import assert from "node:assert/strict";
import { stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { tempHome } from "../../../test/support/temp-home.ts";
import { makeFolder, makeFolderSync } from "./make-folder.ts";

test("missing parents are created with the given mode; a second call changes nothing", async () => {
  await using home = await tempHome();
  const path = join(home.path, "a", "b", "c");
  await Promise.all(Array.from({ length: 20 }, () => makeFolder(path, 0o700)));
  await makeFolder(path, 0o700);
  makeFolderSync(path, 0o700);
  makeFolderSync(join(path, "d", "e"), 0o700);
  for (const each of [join(path, "d", "e"), path, join(path, ".."), join(path, "..", "..")])
    assert.equal((await stat(each)).mode & 0o777, 0o700);
});

test("many concurrent calls that create the same folders all succeed", async () => {
  await using home = await tempHome();
  for (let round = 0; round < 50; round++) {
    const path = join(home.path, String(round), "b");
    await Promise.all(["c", "c/d", "e", "c/d"].map((below) => makeFolder(join(path, below), 0o700)));
    for (const below of ["c/d", "e"]) assert.ok((await stat(join(path, below))).isDirectory());
  }
});

test("creating a folder below a file, a dangling link or a read-only parent fails immediately", async () => {
  await using home = await tempHome();
  await writeFile(join(home.path, "file"), "");
  await symlink("nowhere", join(home.path, "link"));
  await assert.rejects(makeFolder(join(home.path, "file"), 0o700), { code: "EEXIST" });
  await assert.rejects(makeFolder(join(home.path, "file", "below"), 0o700), { code: "ENOTDIR" });
  await assert.rejects(makeFolder(join(home.path, "link"), 0o700));
  assert.throws(() => makeFolderSync(join(home.path, "file", "below"), 0o700), { code: "ENOTDIR" });
  if (process.platform === "linux") await assert.rejects(makeFolder("/proc/nothing/here", 0o700), { code: "ENOENT" });
});
