import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import * as fc from "fast-check";

import { assertFails } from "../../../test/support/failure.ts";
import { type FakeClock, fakeClock } from "../../../test/support/fake-clock.ts";
import { collectSkills } from "../skill-collection.ts";
import { createSkillKeeper } from "../skill-keeper.ts";
import { createSkillBackups, packTar, unpackTar } from "./skill-backups.ts";
import { createSkillCurator } from "./skill-curator.ts";
import { createSkillUsage } from "./skill-usage.ts";

const { signal } = new AbortController();
const dayMs = 24 * 3_600_000;
const text = (name: string) => `---\nname: ${name}\ndescription: About ${name}\n---\n\nDo it.\n`;

async function withCurator(run: (rig: ReturnType<typeof rigIn>) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "hermes-curator-"));
  try {
    await run(rigIn(folder, fakeClock()));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function rigIn(skills: string, clock: FakeClock) {
  const judge = async () => undefined;
  const shelf = () => collectSkills({ home: skills, roots: [{ path: skills, kind: "home" }], judge, version: "1" });
  const usage = createSkillUsage(skills, clock);
  const backups = createSkillBackups(skills, clock);
  const keeper = createSkillKeeper({
    home: skills,
    shelf,
    judge,
    clock,
    keepEntries: 50,
    mustApprove: false,
    isPinned: (name) => usage.read()[name]?.isPinned === true,
  });
  const settings = {
    staleMs: 30 * dayMs,
    archiveMs: 90 * dayMs,
    intervalMs: 7 * dayMs,
    keepBackups: 2,
    builtins: false,
  };
  const curator = createSkillCurator({ skills, shelf, usage, backups, keeper, settings, clock });
  const created = async (name: string) => {
    const done = await keeper.change({ action: "create", name, content: text(name) }, { author: "model" }, signal);
    assert.ok(done.ok, JSON.stringify(done));
  };
  const own = async (name: string) => {
    await mkdir(join(skills, name), { recursive: true });
    await writeFile(join(skills, name, "SKILL.md"), text(name));
  };
  return { skills, clock, usage, backups, curator, keeper, made: created, own };
}

test("the curator's first review comes after a full interval, and not while it is paused", async () => {
  await withCurator(async ({ curator, clock }) => {
    assert.equal(await curator.isDue(), false);
    clock.advance(6 * dayMs);
    assert.equal(await curator.isDue(), false);
    clock.advance(dayMs);
    assert.equal(await curator.isDue(), true);
    await curator.pause(true);
    assert.equal(await curator.isDue(), false);
  });
});

test("unused skills of the agent become stale and are archived after a backup; used, pinned and user skills stay", async () => {
  await withCurator(async ({ skills, clock, usage, backups, curator, made: created, own }) => {
    for (const name of ["unused", "used", "pinned"]) await created(name);
    await own("mine");
    await usage.pin("pinned", true, signal);
    assert.equal(await curator.isDue(), false);
    clock.advance(40 * dayMs);
    const early = await curator.run(true, signal);
    assert.deepEqual(early.ok && early.value.stale.toSorted(), ["unused", "used"]);
    clock.advance(60 * dayMs);
    usage.happened("used", "viewed", "model");
    await usage.flush();
    const look = await curator.run(true, signal);
    assert.deepEqual(look.ok && look.value.archived, ["unused"]);
    assert.deepEqual(curator.archived(), [], "a dry run changes nothing");
    const done = await curator.run(false, signal);
    assert.ok(done.ok && done.value.backup !== undefined);
    assert.deepEqual(curator.archived(), ["unused"]);
    assert.equal(await readFile(join(skills, ".archive/unused/SKILL.md"), "utf8"), text("unused"));
    assert.equal(backups.list().length, 1);
    const { skills: left } = await curator.status();
    assert.deepEqual(left.map(({ name }) => name).toSorted(), ["mine", "pinned", "used"]);

    assert.ok((await curator.restore("unused", signal)).ok);
    assert.deepEqual(curator.archived(), []);
    const again = await curator.run(false, signal);
    assert.deepEqual(again.ok && again.value.archived, [], "a restored skill counts as used");
    assertFails(await curator.restore("unused", signal), /unused is not in the archive/u);
  });
});

test("a rollback restores the skills of a backup, keeps newer ones, and can be undone", async () => {
  await withCurator(async ({ skills, backups, curator, keeper, made: created, own, clock }) => {
    await created("one");
    const backup = await backups.make(2);
    assert.ok(backup.ok);
    clock.advance(1_000);
    const changed = text("one").replace("Do it.", "Do it otherwise.");
    await keeper.change({ action: "edit", name: "one", content: changed }, { author: "model" }, signal);
    await own("newer");
    const rolled = await curator.rollback(backup.value, signal);
    assert.deepEqual(rolled.ok && rolled.value, ["one"]);
    assert.equal(await readFile(join(skills, "one/SKILL.md"), "utf8"), text("one"));
    assert.equal(await readFile(join(skills, "newer/SKILL.md"), "utf8"), text("newer"));
    assert.ok((await keeper.undo("one", { force: false }, signal)).ok);
    assert.equal(await readFile(join(skills, "one/SKILL.md"), "utf8"), changed);
    assertFails(await curator.rollback("none", signal), /there is no backup none/u);
  });
});

test("a rollback does not touch unchanged skills, and keeps the executable bits", async () => {
  await withCurator(async ({ skills, backups, curator, keeper, made: created, clock }) => {
    for (const name of ["same", "other"]) await created(name);
    await mkdir(join(skills, "same/bin"));
    await writeFile(join(skills, "same/bin/tool"), Buffer.from([0x7f, 0x45, 0x4c, 0x46]), { mode: 0o755 });
    await writeFile(join(skills, "same/bin/notes"), "#!/bin/sh\n", { mode: 0o644 });
    await writeFile(join(skills, "other/aside.md"), "as it was");
    const backup = await backups.make(2);
    assert.ok(backup.ok);
    clock.advance(1_000);
    await writeFile(join(skills, "other/aside.md"), "changed");
    const inode = async () => (await stat(join(skills, "same/SKILL.md"))).ino;
    const before = await inode();
    const rolled = await curator.rollback(backup.value, signal);
    assert.deepEqual(rolled.ok && rolled.value.toSorted(), ["other", "same"]);
    assert.equal(await inode(), before);
    assert.equal(keeper.history("same").length, 1, "only that it was made");
    assert.deepEqual(keeper.history("other").at(-1)?.after, { "aside.md": { text: "as it was" } });
    assert.equal((await stat(join(skills, "same/bin/tool"))).mode & 0o111, 0o111);
    assert.equal((await stat(join(skills, "same/bin/notes"))).mode & 0o111, 0);
  });
});

test("unpacking an archive returns its content, for any names and bytes", () => {
  const path = fc
    .array(
      fc
        .string({ unit: "grapheme", minLength: 1, maxLength: 60 })
        .filter((part) => !/[/\0]|^\.\.?$/u.test(part) && part.trim() === part),
      { minLength: 1, maxLength: 4 },
    )
    .map((parts) => parts.join("/"));
  fc.assert(
    fc.property(
      fc.array(fc.tuple(path, fc.uint8Array({ maxLength: 2_000 }), fc.boolean()), { maxLength: 6 }),
      (given) => {
        const files = given.map(([path, bytes, isExecutable]) => ({
          kind: "file" as const,
          path: path,
          bytes: Buffer.from(bytes),
          isExecutable,
        }));
        const back = unpackTar(packTar(files));
        assert.deepEqual(
          back.map((file) => ({ ...file, bytes: Buffer.from(file.bytes) })),
          files,
        );
      },
    ),
    { numRuns: 50 },
  );
});

test("an archive that contains anything but regular skill files is rejected", () => {
  const bytes = Buffer.from("x");
  for (const path of ["../x", "/etc/x", "a/../../x", "a//x", "./x"])
    assert.throws(() => unpackTar(packTar([{ kind: "file", path, bytes }])), /is not a file of a skill/u, path);
  const link = packTar([{ kind: "file", path: "a/SKILL.md", bytes: Buffer.alloc(0) }]);
  const sum = 2 + Number.parseInt(link.toString("latin1", 148, 154), 8);
  link.write("2", 156, "latin1");
  link.write(sum.toString(8).padStart(6, "0"), 148, "latin1");
  assert.throws(() => unpackTar(link), /is not a file of a skill/u);
});
