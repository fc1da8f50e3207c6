import assert from "node:assert/strict";
import { once } from "node:events";
import {
  chmod,
  chown,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";

import { tempHome } from "../../../test/support/temp-home.ts";
import { writeFileAtomic } from "./atomic-file.ts";

const done = { ok: true, value: undefined };
const isRoot = process.getuid?.() === 0;

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o7777;
}

test("a new file gets the given text and mode under any umask", async () => {
  await using home = await tempHome();
  const path = join(home.path, "new");
  assert.deepEqual(await writeFileAtomic(path, "héllo", { mode: 0o666 }), done);
  assert.deepEqual([await readFile(path, "utf8"), await modeOf(path)], ["héllo", 0o666]);
  assert.deepEqual(await readdir(home.path), ["new"]);
});

test("an atomic write stores bytes unchanged", async () => {
  await using home = await tempHome();
  const path = join(home.path, "bytes");
  const bytes = Buffer.from([0, 255, 128, 10]);
  await writeFileAtomic(path, bytes);
  assert.deepEqual(await readFile(path), bytes);
});

test("an existing file keeps its mode, unless another is given", async () => {
  await using home = await tempHome();
  const path = join(home.path, "kept");
  await writeFile(path, "old");
  await chmod(path, 0o640);
  await writeFileAtomic(path, "new");
  assert.equal(await modeOf(path), 0o640);
  await writeFileAtomic(path, "newer", { mode: 0o600 });
  assert.deepEqual([await modeOf(path), await readFile(path, "utf8")], [0o600, "newer"]);
});

test("an existing file keeps its owner", { skip: !isRoot && "only root can give files away" }, async () => {
  await using home = await tempHome();
  const path = join(home.path, "theirs");
  await writeFile(path, "old");
  await chown(path, 65534, 65534);
  await writeFileAtomic(path, "new");
  const { uid, gid } = await stat(path);
  assert.deepEqual([uid, gid], [65534, 65534]);
});

test("writing through a symlink writes its target, even when the target is new", async () => {
  await using home = await tempHome();
  await mkdir(join(home.path, "dotfiles"));
  await symlink("dotfiles/config", join(home.path, "config"));
  await symlink("config", join(home.path, "again"));
  for (const text of ["first", "second"]) {
    assert.deepEqual(await writeFileAtomic(join(home.path, "again"), text), done);
    assert.equal(await readFile(join(home.path, "dotfiles", "config"), "utf8"), text);
  }
  assert.ok((await lstat(join(home.path, "config"))).isSymbolicLink());
  assert.deepEqual(await readdir(join(home.path, "dotfiles")), ["config"]);
});

test("an open reader and a hard link keep the old text", async () => {
  await using home = await tempHome();
  await writeFile(join(home.path, "a"), "old");
  await link(join(home.path, "a"), join(home.path, "b"));
  await writeFileAtomic(join(home.path, "a"), "new");
  assert.equal(await readFile(join(home.path, "b"), "utf8"), "old");
});

test("a failed write returns a fault with a hint and leaves no file behind", async () => {
  await using home = await tempHome();
  const inHome = (name: string) => join(home.path, name);
  await mkdir(inHome("folder"));
  await writeFile(inHome("file"), "");
  await symlink("loop", inHome("loop"));
  const socket = createServer().listen(inHome("socket"));
  await once(socket, "listening");
  const cases = [
    ["folder", "EISDIR"],
    ["missing/file", "ENOENT"],
    ["file/below", "ENOTDIR"],
    ["loop", "ELOOP"],
    ["socket", "EFTYPE"],
    ["n".repeat(300), "ENAMETOOLONG"],
    ["nul\0", "ERR_INVALID_ARG_VALUE"],
  ] as const;
  for (const [name, code] of cases) {
    const result = await writeFileAtomic(inHome(name), "text");
    assert.equal(result.ok ? "written" : result.error.code, code, name);
    assert.match(result.ok ? "" : result.error.message, /; (?:check|move|remove|name|choose)/u);
  }
  assert.deepEqual(await readdir(home.path), ["file", "folder", "loop", "socket"]);
  socket.close();
});

test("an atomic write never replaces a device", async () => {
  const result = await writeFileAtomic("/dev/null", "text");
  assert.equal(result.ok ? "written" : result.error.code, "EFTYPE");
});

test("after a hundred concurrent writes the file has the whole text of one of them", async () => {
  await using home = await tempHome();
  const path = join(home.path, "file");
  const texts = Array.from({ length: 100 }, (_, index) => `${index}:`.repeat(20_000));
  const results = await Promise.all(texts.map((text) => writeFileAtomic(path, text)));
  assert.ok(results.every((result) => result.ok));
  assert.ok(texts.includes(await readFile(path, "utf8")));
  assert.deepEqual(await readdir(home.path), ["file"]);
});

test("the next writer removes temporary files that a killed writer left an hour ago", async () => {
  await using home = await tempHome();
  const old = join(home.path, ".hermes-0123456789abcdef.tmp");
  const young = join(home.path, ".hermes-fedcba9876543210.tmp");
  await writeFile(old, "");
  await writeFile(young, "");
  await utimes(old, 0, 0);
  await writeFileAtomic(join(home.path, "file"), "text");
  assert.deepEqual(await readdir(home.path), [".hermes-fedcba9876543210.tmp", "file"]);
});
