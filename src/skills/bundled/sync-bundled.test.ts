import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

import { tempHome } from "../../../test/support/temp-home.ts";
import { systemClock } from "../../base/clock.ts";
import { readProvenance } from "../provenance.ts";
import { bundledIndexFile, needsSync, readBundledIndex } from "./bundled-index.ts";
import { makeBundledIndex } from "./make-bundled-index.ts";
import { forgetBundled, removeUnchanged, syncBundled } from "./sync-bundled.ts";

const { signal } = new AbortController();
const text = (path: string, body: string) =>
  `---\nname: ${path.split("/").at(-1)}\ndescription: Does it.\n---\n${body}\n`;

interface Rig extends AsyncDisposable {
  readonly home: string;
  /** Sets the skills that the program now bundles, by path. */
  readonly brings: (skills: Readonly<Record<string, string>>) => Promise<void>;
  readonly sync: () => ReturnType<typeof syncBundled>;
  readonly body: (path: string) => string;
  readonly edit: (path: string, body: string) => void;
  readonly needsSync: () => boolean;
}

async function rig(): Promise<Rig> {
  const folder = await tempHome();
  const home = join(folder.path, "home");
  const bundled = join(folder.path, "bundled");
  const put = (root: string, path: string, body: string) => {
    mkdirSync(join(root, path), { recursive: true });
    writeFileSync(join(root, path, "SKILL.md"), text(path, body));
  };
  return {
    home,
    async brings(skills) {
      rmSync(bundled, { recursive: true, force: true });
      mkdirSync(bundled);
      for (const [path, body] of Object.entries(skills)) put(bundled, path, body);
      writeFileSync(join(bundled, bundledIndexFile), JSON.stringify(await makeBundledIndex(bundled)));
    },
    sync: () => syncBundled({ bundled, home, clock: systemClock }, signal),
    body: (path) =>
      readFileSync(join(home, path, "SKILL.md"), "utf8")
        .split("---\n")[2]
        ?.trim() ?? "",
    edit: (path, body) => put(home, path, body),
    needsSync: () => needsSync(readBundledIndex(bundled), home),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

test("a new home gets every bundled skill, and a second start does nothing", async () => {
  await using scene = await rig();
  await scene.brings({ "dev/a": "one", b: "two" });
  assert.ok(scene.needsSync());
  const done = await scene.sync();
  assert.deepEqual(done.ok && done.value.added, ["a", "b"]);
  assert.equal(scene.body("dev/a"), "one");
  assert.ok(!scene.needsSync());
  const again = await scene.sync();
  assert.deepEqual(again.ok && again.value.added, []);
});

test("an update replaces unchanged copies, keeps edited ones, and does not restore deleted ones", async () => {
  await using scene = await rig();
  await scene.brings({ a: "one", b: "one", c: "one" });
  await scene.sync();
  scene.edit("b", "mine");
  rmSync(join(scene.home, "c"), { recursive: true });
  await scene.brings({ a: "two", b: "two", c: "two", d: "new" });
  assert.ok(scene.needsSync());
  const done = await scene.sync();
  assert.deepEqual(done, { ok: true, value: { added: ["d"], updated: ["a"], kept: ["b"], warnings: [] } });
  assert.deepEqual(
    [scene.body("a"), scene.body("b"), scene.body("d"), existsSync(join(scene.home, "c"))],
    ["two", "mine", "new", false],
  );
});

test("the user's own skill with a bundled name stays, with one notice", async () => {
  await using scene = await rig();
  scene.edit("a", "mine");
  await scene.brings({ a: "theirs" });
  const done = await scene.sync();
  assert.ok(done.ok);
  assert.match(done.value.warnings[0] ?? "", /Your own skill a stays/u);
  assert.equal(scene.body("a"), "mine");
  assert.ok(!scene.needsSync());
});

test("if a bundled skill moves, its unchanged copy moves too; a skill that is no longer bundled stays", async () => {
  await using scene = await rig();
  await scene.brings({ "old/a": "one", b: "one" });
  await scene.sync();
  await scene.brings({ "new/a": "two" });
  await scene.sync();
  assert.equal(scene.body("new/a"), "two");
  assert.ok(!existsSync(join(scene.home, "old", "a")));
  assert.equal(scene.body("b"), "one");
});

test("resetting a skill makes the user's version the new base, and the opt-out marker disables the sync", async () => {
  await using scene = await rig();
  await scene.brings({ a: "one", b: "one" });
  await scene.sync();
  rmSync(join(scene.home, "a"), { recursive: true });
  assert.deepEqual(await forgetBundled(scene.home, "a"), { ok: true, value: true });
  await scene.sync();
  assert.equal(scene.body("a"), "one");
  scene.edit("b", "mine");
  assert.deepEqual(await removeUnchanged(scene.home), ["a"]);
  assert.equal(scene.body("b"), "mine");
  writeFileSync(join(scene.home, ".no-bundled-skills"), "");
  await scene.brings({ a: "two", c: "new" });
  assert.ok(!scene.needsSync());
  await scene.sync();
  assert.ok(!existsSync(join(scene.home, "c")));
});

test("the next sync repairs a sync that was killed while it replaced a skill", async () => {
  await using scene = await rig();
  await scene.brings({ a: "one" });
  await scene.sync();
  renameSync(join(scene.home, "a"), join(scene.home, ".hermes-old-a"));
  cpSync(join(scene.home, ".hermes-old-a"), join(scene.home, ".hermes-new-a"), { recursive: true });
  await scene.brings({ a: "two" });
  await scene.sync();
  assert.equal(scene.body("a"), "two");
  assert.deepEqual(
    readdirSync(scene.home).filter((name) => /-(?:old|new)-/u.test(name)),
    [],
  );
});

test("if many programs start at once, every bundled skill is installed once", async () => {
  await using scene = await rig();
  await scene.brings(Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`s${n}`, "one"])));
  const done = await Promise.all(Array.from({ length: 6 }, () => scene.sync()));
  assert.equal(done.flatMap((each) => (each.ok ? each.value.added : ["failed"])).length, 5);
});

test("the sync does not touch files of Python Hermes next to the skills", async () => {
  await using scene = await rig();
  const theirs = join(scene.home, ".bundled_manifest");
  mkdirSync(dirname(theirs), { recursive: true });
  writeFileSync(theirs, "a:123\n");
  await scene.brings({ a: "one" });
  await scene.sync();
  assert.equal(readFileSync(theirs, "utf8"), "a:123\n");
});

test("if the manifest is unreadable, no skill counts as bundled", async () => {
  await using scene = await rig();
  await scene.brings({ a: "one" });
  await scene.sync();
  writeFileSync(join(scene.home, ".hermes-bundled.json"), '{"skills": {"a": {"hash"');
  const place = { root: { path: scene.home, kind: "home" as const }, folder: join(scene.home, "a"), path: "a" };
  assert.equal(readProvenance(scene.home).originOf({ name: "a", hash: "x", place }), "user");
  const done = await scene.sync();
  assert.deepEqual(done.ok && done.value.warnings, []);
});
