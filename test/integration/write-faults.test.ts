// covers: src/tools, src/environments, src/safety/audit
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, readdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { systemClock } from "../../src/base/clock.ts";
import { err } from "../../src/base/result.ts";
import type { FileSystem } from "../../src/contracts/environment/environment.ts";
import { createAuditLog } from "../../src/safety/audit/audit-log.ts";
import { verifyAudit } from "../../src/safety/audit/verify-audit.ts";
import { sourceFlags } from "../support/child-process.ts";
import { assertFails } from "../support/failure.ts";
import { withFileTools } from "../support/file-tools-rig.ts";
import { patchOf } from "../support/patch-case.ts";
import { cannotMount, smallDisk } from "../support/small-disk.ts";
import { tempHome } from "../support/temp-home.ts";

const skip = cannotMount();

test("a full disk keeps the old text, and no part of the new one", { skip }, () =>
  withFileTools(async ({ path, text, refused, done, folder }) => {
    using disk = smallDisk(path("disk"), 64);
    const old = "old\n".repeat(8_000);
    await writeFile(join(disk.path, "a.txt"), old);
    const { message, effect } = await refused("write_file", { path: "disk/a.txt", content: "new\n".repeat(12_000) });
    assert.match(message, /disk is full; free some space.*Nothing was changed/u);
    assert.equal(effect, "none");
    assert.equal(await text("disk/a.txt"), old);
    await refused("write_file", { path: "disk/x/y/b.txt", content: "new\n".repeat(12_000) });
    await refused("patch", { path: "disk/a.txt", old_string: "old", new_string: "newer", replace_all: true });
    assert.equal(await text("disk/a.txt"), old);
    assert.deepEqual(await readdir(disk.path), ["a.txt"]);
    await done("write_file", { path: "disk/a.txt", content: "short\n" });
    assert.equal(await text("disk/a.txt"), "short\n");
    assert.deepEqual(await readdir(folder), ["disk"]);
  }),
);

test("if the disk is full in the middle of a patch, every file is restored", { skip }, () =>
  withFileTools(async ({ path, text, refused }) => {
    using disk = smallDisk(path("disk"), 96);
    await writeFile(join(disk.path, "first"), "a\n");
    await writeFile(join(disk.path, "gone"), "g\n");
    await writeFile(join(disk.path, "moved"), "m\n");
    const { message, effect } = await refused("patch", {
      patch: patchOf(
        "*** Update File: disk/first",
        "@@",
        "-a",
        "+b",
        "*** Delete File: disk/gone",
        "*** Move File: disk/moved -> disk/in/moved",
        "*** Add File: disk/one",
        ...Array.from({ length: 40 }, () => `+${"x".repeat(1000)}`),
        "*** Add File: disk/two",
        ...Array.from({ length: 40 }, () => `+${"y".repeat(1000)}`),
        "*** Add File: disk/three",
        ...Array.from({ length: 40 }, () => `+${"z".repeat(1000)}`),
      ),
    });
    assert.match(message, /disk is full/u);
    assert.equal(effect, "none");
    assert.deepEqual((await readdir(disk.path)).toSorted(), ["first", "gone", "moved"]);
    assert.deepEqual(await Promise.all(["first", "gone", "moved"].map((name) => text(`disk/${name}`))), [
      "a\n",
      "g\n",
      "m\n",
    ]);
  }),
);

test("a read-only file system is reported, and nothing changes", { skip }, () =>
  withFileTools(async ({ path, text, refused }) => {
    using disk = smallDisk(path("disk"), 64);
    await writeFile(join(disk.path, "a"), "old\n");
    assert.equal(disk.makeReadOnly(), "");
    for (const args of [
      { path: "disk/a", content: "new\n" },
      { path: "disk/new/b", content: "new\n" },
    ])
      assert.match((await refused("write_file", args)).message, /read-only file system.*Nothing was changed/u);
    await refused("patch", { patch: patchOf("*** Delete File: disk/a") });
    assert.equal(await text("disk/a"), "old\n");
  }),
);

test("a file or folder that becomes a link between the check and the write is not written through", async () => {
  for (const swapped of ["in/a.txt", "in"]) {
    let swap: (() => Promise<void>) | undefined;
    const change = (files: FileSystem): Partial<FileSystem> => ({
      async read(path, signal, range) {
        const read = await files.read(path, signal, range);
        await swap?.();
        swap = undefined;
        return read;
      },
    });
    await withFileTools(
      async ({ path, put, refused, text, folder }) => {
        await mkdir(path("in"));
        await mkdir(path("out"));
        await put("out/a.txt", "theirs\n");
        await put("in/a.txt", "mine\n");
        swap = async () => {
          await rename(path(swapped), path("was"));
          await symlink(path(swapped.replace("in", "out")), path(swapped));
        };
        const { message, effect } = await refused("write_file", { path: "in/a.txt", content: "new\n" });
        assert.match(message, /is a link or behind one.*Nothing was changed/u);
        assert.equal(effect, "none");
        assert.equal(await text("out/a.txt"), "theirs\n");
        assert.deepEqual((await readdir(folder)).toSorted(), ["in", "out", "was"]);
      },
      { change },
    );
  }
});

test("a file that another program changes or creates during the call is not overwritten", async () => {
  let meddle: (() => Promise<void>) | undefined;
  const change = (files: FileSystem): Partial<FileSystem> => ({
    async stat(path, signal) {
      if (path.endsWith("work")) await meddle?.();
      return files.stat(path, signal);
    },
  });
  await withFileTools(
    async ({ put, refused, text, folder }) => {
      await put("a", "one\n");
      await put("b", "one\n");
      meddle = () => put("b", "theirs\n");
      const both = patchOf("*** Update File: a", "@@", "-one", "+two", "*** Update File: b", "@@", "-one", "+two");
      const calls = [
        ["patch", { patch: both }],
        ["patch", { path: "b", old_string: "theirs", new_string: "mine" }],
      ] as const;
      for (const [tool, args] of calls) {
        const { message, effect } = await refused(tool, args);
        assert.match(message, /b was changed by somebody else.*Nothing was changed/u);
        assert.equal(effect, "none");
        meddle = () => put("b", "theirs again\n");
      }
      meddle = () => put("new", "theirs\n");
      await refused("write_file", { path: "new", content: "mine\n" });
      assert.deepEqual(await Promise.all(["a", "b", "new"].map(text)), ["one\n", "theirs again\n", "theirs\n"]);
      assert.deepEqual((await readdir(folder)).toSorted(), ["a", "b", "new"]);
    },
    { change },
  );
});

test("files that a failed patch would have deleted are restored, with mode and time", async () => {
  const change = (files: FileSystem): Partial<FileSystem> => ({
    move: async (from, to, signal) =>
      from.endsWith("three") ? err({ kind: "not_allowed", message: "not this one" }) : files.move(from, to, signal),
  });
  await withFileTools(
    async ({ path, put, refused, done, folder, text }) => {
      const patch = patchOf("*** Delete File: one", "*** Delete File: two", "*** Delete File: three");
      for (const name of ["one", "two", "three"]) await put(name, `${name}\n`);
      await chmod(path("one"), 0o750);
      await utimes(path("one"), 1_000_000, 1_000_000);
      const before = await stat(path("one"));
      assert.equal((await refused("patch", { patch })).effect, "none");
      const after = await stat(path("one"));
      assert.deepEqual([after.mode, after.mtimeMs, after.ino], [before.mode, before.mtimeMs, before.ino]);
      assert.deepEqual((await readdir(folder)).toSorted(), ["one", "three", "two"]);
      await done("patch", { patch: patchOf("*** Delete File: one", "*** Delete File: two") });
      assert.deepEqual(await readdir(folder), ["three"]);
      assert.equal(await text("three"), "three\n");
    },
    { change },
  );
});

test("a killed writer leaves the old text or the new one, and the next write removes its leftovers", async () => {
  await using home = await tempHome();
  const path = join(home.path, "big.txt");
  const module = new URL("../../src/base/files/atomic-file.ts", import.meta.url).href;
  const texts = ["a", "b"].map((letter) => letter.repeat(3_000_000));
  await writeFile(path, texts[0] ?? "");
  const code = `
    import { writeFileAtomic } from ${JSON.stringify(module)};
    process.stdout.write("ready");
    for (let at = 1; ; at++) await writeFileAtomic(process.argv[1], "ab"[at % 2].repeat(3_000_000));`;
  for (let round = 0; round < 8; round++) {
    const writer = spawn(process.execPath, [...sourceFlags, "--input-type=module", "-e", code, path], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const removed = once(writer, "exit");
    try {
      await once(writer.stdout, "data");
      for (let tick = 0; tick < round * 3; tick++) await stat(path);
    } finally {
      writer.kill("SIGKILL");
      await removed;
    }
    assert.ok(texts.includes(await readFile(path, "utf8")), "neither the old nor the new text");
  }
  await writeFile(join(home.path, ".hermes-0123456789abcdef.tmp"), "half");
  const long = new Date(1_000_000);
  for (const name of await readdir(home.path))
    if (name.endsWith(".tmp")) await utimes(join(home.path, name), long, long);
  await withFileTools(async ({ done }) => void (await done("write_file", { path, content: "after\n" })));
  assert.deepEqual(await readdir(home.path), ["big.txt"]);
});

test(
  "a full disk tears no audit entry: confirmed entries stay, and the log continues afterwards",
  { skip },
  async () => {
    await using home = await tempHome();
    using disk = smallDisk(join(home.path, "disk"), 16);
    const place = { folder: join(disk.path, "audit"), headFile: join(disk.path, "head.json") };
    const log = createAuditLog({ ...place, clock: systemClock });
    let confirmed = 0;
    for (let index = 0; index < 60; index++) {
      const entry = { kind: "decision", who: "local:anna", tool: "x".repeat(index * 7), decision: "allow" } as const;
      if ((await log.append(entry)).ok) confirmed += 1;
    }
    const full = await verifyAudit(place);
    assert.deepEqual([full.ok, full.entries, full.tornBytes, full.faults], [true, confirmed, 0, []]);
    assert.ok(confirmed < 60, "the disk was never full");
  },
);

test(
  "a full disk without space for the head of the audit log does not block the log permanently",
  { skip },
  async () => {
    await using home = await tempHome();
    using disk = smallDisk(join(home.path, "disk"), 8);
    await writeFile(join(disk.path, "filler"), "x".repeat(8_000)).catch(() => {});
    const place = { folder: join(home.path, "audit"), headFile: join(disk.path, "head.json") };
    const log = createAuditLog({ ...place, clock: systemClock });
    const entry = { kind: "decision", who: "local:anna", tool: "t", decision: "allow" } as const;
    assertFails(await log.append(entry), /ENOSPC/u);
    await rm(join(disk.path, "filler"));
    assert.deepEqual(await log.append(entry), { ok: true, value: undefined });
    assert.equal((await verifyAudit(place)).ok, true);
  },
);
