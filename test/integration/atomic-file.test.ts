// covers: src/base
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmod, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { writeFileAtomic } from "../../src/base/files/atomic-file.ts";
import { inChild, runAll } from "../support/child-process.ts";
import { tempHome } from "../support/temp-home.ts";

const folder = join(import.meta.dirname, "../../src/base/files");
const isRoot = process.getuid?.() === 0;

test(
  "an atomic write without write permission changes nothing, and the error names the file or folder",
  { skip: !isRoot && "needs root to become another user" },
  async () => {
    await using home = await tempHome();
    await chmod(home.path, 0o755);
    await writeFile(join(home.path, "file"), "old");
    await writeFile(join(home.path, "open"), "old");
    await chmod(join(home.path, "open"), 0o666);
    const ran = await inChild(
      folder,
      `import { writeFileAtomic } from "./atomic-file.ts";
     process.setuid(65534);
     for (const name of ["fresh", "open", "file"]) {
       const { error } = await writeFileAtomic(process.argv[1] + "/" + name, "x");
       console.log(error.code, error.message.split(" ")[0]);
     }`,
      [home.path],
    ).ended;
    const blamed = [home.path, home.path, join(home.path, "file")];
    assert.equal(ran.output, blamed.map((path) => `EACCES ${path}\n`).join(""));
    assert.deepEqual(await readdir(home.path), ["file", "open"]);
  },
);

test("an atomic write on a full disk fails, keeps the old text and leaves no temporary file", async (context) => {
  await using home = await tempHome();
  if (!mount(home.path, "size=64k")) return context.skip("cannot mount a file system here");
  try {
    const path = join(home.path, "file");
    await writeFileAtomic(path, "old");
    const result = await writeFileAtomic(path, "x".repeat(1_000_000));
    assert.equal(result.ok ? "written" : result.error.code, "ENOSPC");
    assert.deepEqual([await readFile(path, "utf8"), await readdir(home.path)], ["old", ["file"]]);
  } finally {
    execFileSync("umount", [home.path]);
  }
});

test("an atomic write on a read-only disk fails", async (context) => {
  await using home = await tempHome();
  if (!mount(home.path, "ro,size=64k")) return context.skip("cannot mount a file system here");
  try {
    const result = await writeFileAtomic(join(home.path, "file"), "text");
    assert.equal(result.ok ? "written" : result.error.code, "EROFS");
  } finally {
    execFileSync("umount", [home.path]);
  }
});

test("a reader never sees a partial write of another process, even of a killed one", async () => {
  await using home = await tempHome();
  const path = join(home.path, "file");
  await writeFileAtomic(path, "0".repeat(200_000));
  const code = `import { writeFileAtomic } from "./atomic-file.ts";
    for (let at = 0; ; at = (at + 1) % 10) await writeFileAtomic(process.argv[1], String(at).repeat(200_000));`;
  const writers = [1, 2, 3].map(() => inChild(folder, code, [path]));
  await runAll(writers, async () => {
    const seen = new Set<string>();
    for (let index = 0; index < 150 || seen.size < 10; index++) {
      const text = await readFile(path, "utf8");
      seen.add(text.charAt(0));
      assert.ok(text.length === 200_000 && text === text.charAt(0).repeat(200_000), `torn after ${index} reads`);
    }
  });
  const text = await readFile(path, "utf8");
  assert.equal(text, text.charAt(0).repeat(200_000));
});

function mount(folder: string, options: string): boolean {
  if (!isRoot || process.platform !== "linux") return false;
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
