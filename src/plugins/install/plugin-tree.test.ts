import assert from "node:assert/strict";
import { once } from "node:events";
import { appendFile, chmod, mkdir, readFile, symlink, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";

import { tarball, type TarEntry } from "../../../test/support/tar-file.ts";
import { tempHome } from "../../../test/support/temp-home.ts";
import { systemClock } from "../../base/clock.ts";
import type { Result } from "../../base/result.ts";
import { changePin, readPins } from "./plugin-pins.ts";
import { hashOfFolder, hashOfTree, readPluginTree, treeLimits, writePluginTree } from "./plugin-tree.ts";
import { readTarball } from "./read-tarball.ts";

const faultOf = (result: Result<unknown>): string => (result.ok ? "no fault" : result.error.message);

test("a copied plugin has the hash of the original, and changing any byte, name or execute bit changes the hash", async () => {
  await using folder = await tempHome();
  const [from, to] = [join(folder.path, "from"), join(folder.path, "to")];
  await mkdir(join(from, "sub/.git"), { recursive: true });
  await mkdir(join(from, "__pycache__"));
  await writeFile(join(from, "plugin.yaml"), "name: a\n");
  await writeFile(join(from, "sub/run.sh"), "#!/bin/sh\n", { mode: 0o755 });
  await writeFile(join(from, "sub/.git/config"), "not copied");
  await writeFile(join(from, "__pycache__/x.pyc"), "not copied");
  const tree = readPluginTree(from, { forCopy: true });
  assert.ok(tree.ok);
  assert.deepEqual(
    tree.value.map(({ path, isExecutable }) => [path, isExecutable]),
    [
      ["plugin.yaml", false],
      ["sub/run.sh", true],
    ],
  );
  await writePluginTree(to, tree.value);
  const hash = hashOfTree(tree.value);
  assert.equal(hashOfFolder(to), hash);
  const changes: readonly [string, () => Promise<void>, () => Promise<void>][] = [
    ["bytes", () => appendFile(join(to, "plugin.yaml"), "#"), () => truncate(join(to, "plugin.yaml"), 8)],
    ["mode", () => chmod(join(to, "plugin.yaml"), 0o755), () => chmod(join(to, "plugin.yaml"), 0o644)],
  ];
  for (const [what, change, undo] of changes) {
    await change();
    assert.notEqual(hashOfFolder(to), hash, what);
    await undo();
    assert.equal(hashOfFolder(to), hash, what);
  }
  await mkdir(join(to, "__pycache__"));
  await writeFile(join(to, "__pycache__/x.pyc"), "planted code counts in an installed plugin");
  assert.notEqual(hashOfFolder(to), hash);
});

test("a plugin folder with links, pipes, odd names or huge files is rejected with the reason", async () => {
  const cases: readonly [RegExp, (path: string) => Promise<unknown>][] = [
    [/contains the link "sub\/link"/u, (path) => symlink("/etc/passwd", join(path, "sub/link"))],
    [/contains the link "folder"/u, (path) => symlink("sub", join(path, "folder"))],
    [/control characters/u, (path) => writeFile(join(path, "a\nb"), "")],
    [/control characters/u, (path) => mkdir(join(path, "a\u202eb"))],
    [/"big" of more than/u, async (path) => truncateNew(join(path, "big"), treeLimits.fileBytes + 1)],
    [/too long/u, (path) => mkdir(join(path, "x/".repeat(30)), { recursive: true })],
  ];
  for (const [fault, make] of cases) {
    await using folder = await tempHome();
    await mkdir(join(folder.path, "sub"));
    await make(folder.path);
    assert.match(faultOf(readPluginTree(folder.path)), fault);
    assert.equal(hashOfFolder(folder.path), undefined);
  }
  await using folder = await tempHome();
  await using socket = createServer().listen(join(folder.path, "socket"));
  await once(socket, "listening");
  assert.match(faultOf(readPluginTree(folder.path)), /"socket", which is a device, pipe or socket/u);
  assert.match(faultOf(readPluginTree(join(folder.path, "none"))), /none cannot be read: ENOENT/u);
});

test("an npm package is read without its top folder, with long paths and execute bits", async () => {
  const long = `package/${"d".repeat(120)}/file.js`;
  const record = ` path=${long}\n`;
  const length = record.length + String(record.length + 3).length;
  const read = await readTarball(
    tarball([
      { path: "package", type: "5" },
      { path: "package/plugin.yaml", text: "name: a\n" },
      { path: "package/bin/run", text: "#!/bin/sh\n", mode: 0o755 },
      { path: "PaxHeader", type: "x", text: `${length}${record}` },
      { path: "package/cut", text: "long" },
    ]),
  );
  assert.ok(read.ok, faultOf(read));
  assert.deepEqual(
    read.value.map(({ path, bytes, isExecutable }) => [path, Buffer.from(bytes).toString(), isExecutable]),
    [
      ["bin/run", "#!/bin/sh\n", true],
      [`${"d".repeat(120)}/file.js`, "long", false],
      ["plugin.yaml", "name: a\n", false],
    ],
  );
});

test("an archive of a folder's contents has no top folder to remove", async () => {
  for (const start of ["", "./"]) {
    const read = await readTarball(
      tarball([
        { path: "./", type: "5" },
        { path: `${start}plugin.yaml`, text: "name: a\n" },
        { path: `${start}src/index.ts`, text: "" },
      ]),
    );
    assert.ok(read.ok, faultOf(read));
    assert.deepEqual(
      read.value.map(({ path }) => path),
      ["plugin.yaml", "src/index.ts"],
    );
  }
});

test("a hostile package is rejected with the reason", async () => {
  const good: TarEntry = { path: "package/plugin.yaml", text: "name: a\n" };
  const cases: readonly [RegExp, readonly TarEntry[]][] = [
    [/outside its folder/u, [good, { path: "package/../../x", text: "y" }]],
    [/outside its folder/u, [{ path: "/etc/cron.d/x", text: "y" }]],
    [/outside its folder/u, [{ path: "h", type: "x", text: "20 path=p/../../out\n" }, good]],
    [/contains the link/u, [good, { path: "package/link", type: "2", target: "/etc/passwd" }]],
    [/contains the link/u, [good, { path: "package/link", type: "1", target: "package/plugin.yaml" }]],
    [/device, pipe or socket/u, [good, { path: "package/null", type: "3" }]],
    [/device, pipe or socket/u, [good, { path: "package/pipe", type: "6" }]],
    [/control characters/u, [good, { path: "package/a\u001b[2J", text: "y" }]],
    [/control characters/u, [good, { path: "package/..\\..\\x", text: "y" }]],
    [/twice/u, [good, { path: "package/Plugin.YAML", text: "name: b\n" }]],
    [/as a file and as a folder/u, [good, { path: "package/plugin.yaml/x", text: "y" }]],
    [/damaged/u, [{ ...good, size: 5_000 }]],
    [/holds no file/u, []],
    [
      /more than 3000 files/u,
      Array.from({ length: treeLimits.files + 1 }, (_, index) => ({ path: `package/${index}` })),
    ],
  ];
  for (const [fault, entries] of cases) assert.match(faultOf(await readTarball(tarball(entries))), fault);
  const bomb = tarball([good, { path: "package/zeros", text: Buffer.alloc(treeLimits.fileBytes + 1) }]);
  assert.match(faultOf(await readTarball(bomb)), /of more than 24 MB/u);
  assert.match(faultOf(await readTarball(Buffer.from("no archive"))), /cannot be unpacked/u);
  const flipped = tarball([good]);
  assert.match(faultOf(await readTarball(flipped.subarray(0, flipped.length - 12))), /cannot be unpacked/u);
});

test("plugin pins are stored by key and can be changed and removed one by one", async () => {
  await using home = await tempHome();
  const context = { signal: new AbortController().signal, clock: systemClock };
  const pin = { source: "owner/one", revision: "abc", hash: "1", installedAt: 5 };
  for (const key of ["one", "__proto__", "two"]) assert.ok((await changePin(home.path, key, pin, context)).ok);
  assert.ok((await changePin(home.path, "two", { ...pin, hash: "2" }, context)).ok);
  assert.ok((await changePin(home.path, "one", undefined, context)).ok);
  const pins = readPins(home.path);
  assert.ok(pins.ok);
  assert.deepEqual([...pins.value.keys()].toSorted(), ["__proto__", "two"]);
  assert.deepEqual(pins.value.get("two"), { ...pin, key: "two", hash: "2" });
});

test("a damaged pin file is an error and is never overwritten", async () => {
  await using home = await tempHome();
  const file = join(home.path, "plugin-pins.json");
  const context = { signal: new AbortController().signal, clock: systemClock };
  const pin = { source: "owner/one", revision: "abc", hash: "1", installedAt: 5 };
  for (const damaged of ["", "{ damaged", "[]", "{}", '{ "plugins": { "one": { "source": "owner/one" } } }']) {
    await writeFile(file, damaged);
    assert.match(faultOf(readPins(home.path)), /damaged.*Restore it from a backup/u, damaged);
    assert.match(faultOf(await changePin(home.path, "two", pin, context)), /damaged/u, damaged);
    assert.equal(await readFile(file, "utf8"), damaged);
  }
});

async function truncateNew(path: string, size: number): Promise<void> {
  await writeFile(path, "");
  await truncate(path, size);
}
