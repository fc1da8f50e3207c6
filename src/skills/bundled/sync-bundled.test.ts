import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

import { tempHome } from "../../../test/support/temp-home.ts";
import { systemClock } from "../../base/clock.ts";
import { readProvenance } from "../provenance.ts";
import { bundledIndexFile, needsSync, readBundledIndex } from "./bundled-index.ts";
import { makeBundledIndex } from "./make-bundled-index.ts";
import { forgetBundled, removePristine, syncBundled } from "./sync-bundled.ts";

const { signal } = new AbortController();
const text = (path: string, body: string) =>
  `---\nname: ${path.split("/").at(-1)}\ndescription: Does it.\n---\n${body}\n`;

interface Rig extends AsyncDisposable {
  readonly home: string;
  /** The program now brings these, by path. */
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

test("a new home gets every bundled skill, and a second start has nothing to do", async () => {
  await using at = await rig();
  await at.brings({ "dev/a": "one", b: "two" });
  assert.ok(at.needsSync());
  const done = await at.sync();
  assert.deepEqual(done.ok && done.value.added, ["a", "b"]);
  assert.equal(at.body("dev/a"), "one");
  assert.ok(!at.needsSync());
  const again = await at.sync();
  assert.deepEqual(again.ok && again.value.added, []);
});

test("an update replaces untouched copies, keeps edited ones, and brings no deleted one back", async () => {
  await using at = await rig();
  await at.brings({ a: "one", b: "one", c: "one" });
  await at.sync();
  at.edit("b", "mine");
  rmSync(join(at.home, "c"), { recursive: true });
  await at.brings({ a: "two", b: "two", c: "two", d: "new" });
  assert.ok(at.needsSync());
  const done = await at.sync();
  assert.deepEqual(done, { ok: true, value: { added: ["d"], updated: ["a"], kept: ["b"], warnings: [] } });
  assert.deepEqual(
    [at.body("a"), at.body("b"), at.body("d"), existsSync(join(at.home, "c"))],
    ["two", "mine", "new", false],
  );
});

test("the user's own skill with a bundled name stays, with one notice", async () => {
  await using at = await rig();
  at.edit("a", "mine");
  await at.brings({ a: "theirs" });
  const done = await at.sync();
  assert.ok(done.ok);
  assert.match(done.value.warnings[0] ?? "", /Your own skill a stays/u);
  assert.equal(at.body("a"), "mine");
  assert.ok(!at.needsSync());
});

test("an untouched copy moves with the bundled one; one that is no longer bundled stays", async () => {
  await using at = await rig();
  await at.brings({ "old/a": "one", b: "one" });
  await at.sync();
  await at.brings({ "new/a": "two" });
  await at.sync();
  assert.equal(at.body("new/a"), "two");
  assert.ok(!existsSync(join(at.home, "old", "a")));
  assert.equal(at.body("b"), "one");
});

test("resetting takes the user's version as the base; the opt-out marker stops everything", async () => {
  await using at = await rig();
  await at.brings({ a: "one", b: "one" });
  await at.sync();
  rmSync(join(at.home, "a"), { recursive: true });
  assert.deepEqual(await forgetBundled(at.home, "a"), { ok: true, value: true });
  await at.sync();
  assert.equal(at.body("a"), "one");
  at.edit("b", "mine");
  assert.deepEqual(await removePristine(at.home), ["a"]);
  assert.equal(at.body("b"), "mine");
  writeFileSync(join(at.home, ".no-bundled-skills"), "");
  await at.brings({ a: "two", c: "new" });
  assert.ok(!at.needsSync());
  await at.sync();
  assert.ok(!existsSync(join(at.home, "c")));
});

test("a sync that was killed while it replaced a skill is mended by the next one", async () => {
  await using at = await rig();
  await at.brings({ a: "one" });
  await at.sync();
  renameSync(join(at.home, "a"), join(at.home, ".hermes-old-a"));
  cpSync(join(at.home, ".hermes-old-a"), join(at.home, ".hermes-new-a"), { recursive: true });
  await at.brings({ a: "two" });
  await at.sync();
  assert.equal(at.body("a"), "two");
  assert.deepEqual(
    readdirSync(at.home).filter((name) => /-(?:old|new)-/u.test(name)),
    [],
  );
});

test("many programs that begin at once bring every skill in once", async () => {
  await using at = await rig();
  await at.brings(Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`s${n}`, "one"])));
  const done = await Promise.all(Array.from({ length: 6 }, () => at.sync()));
  assert.equal(done.flatMap((each) => (each.ok ? each.value.added : ["failed"])).length, 5);
});

test("the original's own files beside the skills are not touched", async () => {
  await using at = await rig();
  const theirs = join(at.home, ".bundled_manifest");
  mkdirSync(dirname(theirs), { recursive: true });
  writeFileSync(theirs, "a:123\n");
  await at.brings({ a: "one" });
  await at.sync();
  assert.equal(readFileSync(theirs, "utf8"), "a:123\n");
});

test("a manifest that cannot be read makes nothing look bundled", async () => {
  await using at = await rig();
  await at.brings({ a: "one" });
  await at.sync();
  writeFileSync(join(at.home, ".hermes-bundled.json"), '{"skills": {"a": {"hash"');
  const place = { root: { path: at.home, kind: "home" as const }, folder: join(at.home, "a"), path: "a" };
  assert.equal(readProvenance(at.home).originOf({ name: "a", hash: "x", place }), "user");
  const done = await at.sync();
  assert.deepEqual(done.ok && done.value.warnings, []);
});
