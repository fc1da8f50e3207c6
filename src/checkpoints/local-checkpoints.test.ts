import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";

import fc from "fast-check";

import { checkpointRig } from "../../test/support/checkpoint-rig.ts";
import { assertFails } from "../../test/support/failure.ts";
import { treeOf } from "../../test/support/file-tree.ts";
import { tempHome } from "../../test/support/temp-home.ts";
import { systemClock } from "../base/clock.ts";
import { eraseCheckpoints, storedRoots, tidy, tidyDaily } from "./stored-roots.ts";

const never = new AbortController().signal;
const all = { session: undefined };

test("every checkpoint restores the state before its call, for any change", async () => {
  const name = fc.constantFrom("a", "b", "c", "d/e", "d/f", "d/g/h", "line\nend", "ü ✓", "-rf");
  const step = fc.oneof(
    fc.record({ do: fc.constant("write" as const), path: name, text: fc.string({ maxLength: 20 }) }),
    fc.record({ do: fc.constant("remove" as const), path: fc.oneof(name, fc.constant("d")) }),
    fc.record({ do: fc.constant("folder" as const), path: name }),
    fc.record({ do: fc.constant("link" as const), path: name, text: fc.constantFrom("a", "nowhere", "d") }),
    fc.record({ do: fc.constant("mode" as const), path: name, mode: fc.constantFrom(0o600, 0o755) }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 5 }),
      async (calls) => {
        await using home = await tempHome();
        await using rig = await checkpointRig(home.path);
        writeFileSync(join(rig.root, "a"), "a\n");
        const seen: { id: string; tree: object }[] = [];
        for (const steps of calls) {
          const tree = await treeOf(rig.root);
          const id = await rig.call(() => steps.forEach((each) => take(rig.root, each)));
          seen.push({ id, tree });
        }
        const last = await treeOf(rig.root);
        for (const { id, tree } of seen.toReversed()) {
          const done = await rig.files.restore(id, all, never);
          // The call changed nothing, so there is no checkpoint.
          if (!done.ok) continue;
          assert.deepEqual(done.value.left, []);
          assert.deepEqual(await treeOf(rig.root), tree);
          if (!done.value.undo) continue;
          const undone = await rig.files.restore(done.value.undo.id, all, never);
          assert.ok(undone.ok);
          assert.deepEqual(await treeOf(rig.root), last);
        }
      },
    ),
    { numRuns: 10 },
  );
});

type Taken = {
  readonly do: "write" | "remove" | "folder" | "link" | "mode";
  readonly path: string;
  readonly text?: string;
  readonly mode?: number;
};

function take(root: string, { do: what, path, text = "", mode = 0 }: Taken): void {
  const pathTo = join(root, path);
  try {
    if (what === "remove") return rmSync(pathTo, { recursive: true, force: true });
    if (what === "mode") return chmodSync(pathTo, statSync(pathTo).isDirectory() ? mode | 0o700 : mode);
    mkdirSync(join(pathTo, ".."), { recursive: true });
    if (what === "folder") mkdirSync(pathTo);
    else if (what === "link") symlinkSync(text, pathTo);
    else writeFileSync(pathTo, text);
  } catch {
    // Another file is in the way, as with real programs.
  }
}

test("a scan handles pipes, sockets, unreadable files and link loops", async () => {
  await using home = await tempHome();
  await using rig = await checkpointRig(home.path);
  const pathTo = (name: string) => join(rig.root, name);
  symlinkSync("loop-b", pathTo("loop-a"));
  symlinkSync("loop-a", pathTo("loop-b"));
  symlinkSync(".", pathTo("here"));
  writeFileSync(pathTo("file"), "x");
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(pathTo("socket"), resolve));
  const id = await rig.call(() => writeFileSync(pathTo("file"), "y"));
  const done = await rig.files.restore(id, all, never);
  assert.ok(done.ok && done.value.left.length === 0, JSON.stringify(done));
  assert.equal(readFileSync(pathTo("file"), "utf8"), "x");
  await new Promise((resolve) => server.close(resolve));
});

test("a file beyond the size limit is reported and not touched, and never counts as recorded", async () => {
  await using home = await tempHome();
  await using rig = await checkpointRig(home.path);
  const pathTo = join(rig.root, "large.bin");
  writeFileSync(pathTo, Buffer.alloc(200_000, 1));
  writeFileSync(join(rig.root, "small"), "x");
  const id = await rig.call(() => {
    truncateSync(pathTo, 150_000);
    rmSync(join(rig.root, "small"));
  });
  const done = await rig.files.restore(id, all, never);
  assert.ok(done.ok);
  assert.deepEqual(done.value.left, [{ path: "large.bin", why: "in its old state it was too large to be recorded" }]);
  assert.equal(statSync(pathTo).size, 150_000);
  assert.ok(existsSync(join(rig.root, "small")));
  const listed = await rig.files.list(1, undefined, never);
  assert.ok(listed.ok);
  assert.match(done.value.checkpoint.notes.join(), /1 file above 0 MB not recorded: large.bin/u);
});

test("the checkpoint store respects its size limit: the oldest records are removed, and files that do not fit are reported", async () => {
  await using home = await tempHome();
  const limits = { fileBytes: 1_000_000, files: 5_000, bytes: Infinity, totalBytes: 1_500_000 };
  await using rig = await checkpointRig(home.path, { limits });
  const pathTo = join(rig.root, "noise.bin");
  const ids: string[] = [];
  for (let turn = 0; turn < 30; turn++)
    ids.push(await rig.call(() => writeFileSync(pathTo, noise(turn, 150_000)), { paths: ["noise.bin"] }));
  const [root] = await storedRoots(rig.store);
  assert.ok(root && root.bytes < 1_500_000 + 5_000_000, String(root?.bytes));
  const database = readdirSync(rig.store).find((name) => name.endsWith(".db")) ?? "";
  assert.ok(statSync(join(rig.store, database)).size <= 1_500_000);
  const deleted = await rig.files.plan(ids[0] ?? "", all, never);
  assertFails(deleted, /no longer exists/u);
  const last = await rig.files.restore(ids.at(-1) ?? "", all, never);
  assert.ok(last.ok, JSON.stringify(last));
  assert.deepEqual(readFileSync(pathTo), noise(28, 150_000));
  // More than the whole quota.
  for (let file = 0; file < 4; file++) writeFileSync(join(rig.root, `big-${file}`), noise(file + 100, 900_000));
  await rig.call(() => writeFileSync(pathTo, "x"));
  const listed = await rig.files.list(1, undefined, never);
  assert.ok(listed.ok);
  assert.match(listed.value[0]?.notes.join() ?? "", /did not fit/u);
  assert.ok(statSync(join(rig.store, database)).size <= 1_500_000);
});

/** Incompressible bytes; the same for the same seed. */
function noise(seed: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let state = seed * 7_919 + 1;
  for (let index = 0; index < length; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[index] = state >>> 24;
  }
  return bytes;
}

test("two sessions in one folder each undo only their own changes", async () => {
  await using home = await tempHome();
  await using rig = await checkpointRig(home.path);
  await using other = await checkpointRig(home.path);
  const pathTo = (name: string) => join(rig.root, name);
  writeFileSync(pathTo("a"), "0");
  writeFileSync(pathTo("b"), "0");
  const first = await rig.call(() => writeFileSync(pathTo("a"), "1"), { session: "ses_a" });
  await other.call(() => writeFileSync(pathTo("b"), "1"), { session: "ses_b", paths: ["b"] });
  await rig.call(() => writeFileSync(pathTo("a"), "2"), { session: "ses_a" });
  const done = await rig.files.restore(first, { session: "ses_a" }, never);
  assert.ok(done.ok);
  assert.equal(readFileSync(pathTo("a"), "utf8"), "0");
  assert.equal(readFileSync(pathTo("b"), "utf8"), "1");
});

test("a call that names its file is not blamed for changes of a long command that runs in parallel", async () => {
  await using home = await tempHome();
  await using rig = await checkpointRig(home.path);
  await using other = await checkpointRig(home.path);
  const long = await rig.call(async () => {
    writeFileSync(join(rig.root, "by-command"), "x");
    await other.call(() => writeFileSync(join(rig.root, "by-file-tool"), "x"), {
      session: "ses_b",
      paths: ["by-file-tool"],
    });
  });
  const plan = await rig.files.plan(long, { session: "ses_a" }, never);
  assert.ok(plan.ok);
  assert.deepEqual(
    plan.value.changes.map(({ path, doubt }) => ({ path, doubt })),
    [{ path: "by-command", doubt: undefined }],
  );
});

test("dependencies, caches and version control are skipped, by name and by their marker files", async () => {
  await using home = await tempHome();
  await using rig = await checkpointRig(home.path);
  const put = (path: string, text: string) => {
    mkdirSync(join(rig.root, path, ".."), { recursive: true });
    writeFileSync(join(rig.root, path), text);
  };
  const skipped = [
    ".git/index",
    "node_modules/x/y.js",
    "target/CACHEDIR.TAG",
    "target/debug/x",
    "env/pyvenv.cfg",
    "env/z",
    "dist/x.js",
  ];
  put(".gitignore", "/dist/\nsrc\n*.log\n");
  for (const path of [...skipped, "src/x.ts", "build/y.js", "a.log"]) put(path, "0");
  const id = await rig.call(() => {
    for (const path of [...skipped, "src/x.ts", "build/y.js", "a.log"]) put(path, "1");
  });
  const plan = await rig.files.plan(id, all, never);
  assert.ok(plan.ok);
  assert.deepEqual(
    plan.value.changes.map(({ path }) => path),
    ["a.log", "build/y.js", "src/x.ts"],
  );
  // An ignore rule that is added later does not hide existing files.
  put(".gitignore", "/dist/\n/build/\n");
  const later = await rig.call(() => put("src/x.ts", "2"));
  const after = await rig.files.plan(later, all, never);
  assert.ok(after.ok);
  assert.deepEqual(
    after.value.changes.map(({ path }) => path),
    ["src/x.ts"],
  );
});

test("in a huge folder or outside a project, only named paths are recorded, with a note", async () => {
  await using home = await tempHome();
  await using rig = await checkpointRig(home.path, {
    limits: { fileBytes: 100_000, files: 20, bytes: Infinity, totalBytes: 1e7 },
  });
  for (let file = 0; file < 50; file++) writeFileSync(join(rig.root, `f${file}`), "x");
  const started = await rig.call(() => rmSync(join(rig.root, "f1")), { paths: ["f1"] });
  const wide = await rig.call(() => rmSync(join(rig.root, "f2")));
  const named = await rig.files.restore(started, all, never);
  assert.ok(named.ok);
  assert.ok(existsSync(join(rig.root, "f1")));
  const deleted = await rig.files.plan(wide, all, never);
  assert.equal(deleted.ok && deleted.value.changes.length > 0, false);
  assert.ok(!existsSync(join(rig.root, "f2")));
});

test("restoring hard links gives each name its content", async () => {
  await using home = await tempHome();
  await using rig = await checkpointRig(home.path);
  writeFileSync(join(rig.root, "one"), "x");
  linkSync(join(rig.root, "one"), join(rig.root, "two"));
  const id = await rig.call(() => writeFileSync(join(rig.root, "one"), "y"));
  const done = await rig.files.restore(id, all, never);
  assert.ok(done.ok);
  assert.equal(readFileSync(join(rig.root, "one"), "utf8"), "x");
  assert.equal(readFileSync(join(rig.root, "two"), "utf8"), "x");
});

test("a restore never writes through a folder that became a link", async () => {
  await using home = await tempHome();
  await using rig = await checkpointRig(home.path);
  mkdirSync(join(rig.root, "src"));
  writeFileSync(join(rig.root, "src", "a"), "x");
  const id = await rig.call(() => writeFileSync(join(rig.root, "src", "a"), "y"));
  mkdirSync(join(home.path, "elsewhere"));
  writeFileSync(join(home.path, "elsewhere", "a"), "precious");
  renameSync(join(rig.root, "src"), join(rig.root, "moved"));
  symlinkSync(join(home.path, "elsewhere"), join(rig.root, "src"));
  const done = await rig.files.restore(id, { ...all, withDoubts: true }, never);
  assert.ok(done.ok);
  assert.equal(done.value.changes.length, 0);
  assert.equal(readFileSync(join(home.path, "elsewhere", "a"), "utf8"), "precious");
});

test("a second change with the same size and time is detected", async () => {
  await using home = await tempHome();
  await using rig = await checkpointRig(home.path);
  const pathTo = join(rig.root, "f");
  writeFileSync(pathTo, "aaaa");
  const first = await rig.call(() => writeFileSync(pathTo, "bbbb"));
  const second = await rig.call(() => writeFileSync(pathTo, "cccc"));
  assert.notEqual(first, second);
  await rig.files.restore(second, all, never);
  assert.equal(readFileSync(pathTo, "utf8"), "bbbb");
});

test("a call that a crash interrupted can be restored, marked as uncertain", async () => {
  await using home = await tempHome();
  await using rig = await checkpointRig(home.path);
  writeFileSync(join(rig.root, "a"), "0");
  await rig.call(() => {});
  // Creates the state that a process with that id would leave; the process ends only after the test.
  await using dead = await checkpointRig(home.path, { pid: 2 ** 30 });
  const about = { callId: "c", sessionId: "s", tool: "t", effects: [], place: { cwd: "/", backend: "local" } };
  const started = await dead.files.begin(about as never, { paths: [], isWhole: true, label: "killed" }, never);
  assert.ok(started.ok);
  writeFileSync(join(rig.root, "a"), "1");
  const listed = await rig.files.list(1, undefined, never);
  assert.ok(listed.ok);
  const [checkpoint] = listed.value;
  assert.deepEqual(
    { label: checkpoint?.label, changed: checkpoint?.changed, isOpen: checkpoint?.isOpen },
    { label: "killed", changed: 1, isOpen: false },
  );
  const plan = await rig.files.plan(checkpoint?.id ?? "", all, never);
  assert.ok(plan.ok);
  assert.equal(plan.value.changes[0]?.doubt, "changed while or after a call was interrupted");
  await rig.files.restore(checkpoint?.id ?? "", { ...all, withDoubts: true }, never);
  assert.equal(readFileSync(join(rig.root, "a"), "utf8"), "0");
});

test("old checkpoints and those of an erased session are removed together with their contents", async () => {
  await using home = await tempHome();
  await using rig = await checkpointRig(home.path);
  const pathTo = join(rig.root, "a");
  for (let turn = 0; turn < 10; turn++)
    await rig.call(() => writeFileSync(pathTo, noise(turn, 90_000)), { session: turn % 2 === 0 ? "ses_a" : "ses_b" });
  assert.equal(await eraseCheckpoints(rig.store, ["ses_a", "ses_none"], systemClock, never), 5);
  const [root] = await storedRoots(rig.store);
  assert.equal(root?.checkpoints, 5);
  const left = await rig.files.list(20, undefined, never);
  assert.ok(left.ok && left.value.every(({ sessionId }) => sessionId === "ses_b"));
  const removed = await tidy({ folder: rig.store, retentionMs: -1_000, clock: systemClock, signal: never });
  assert.equal(removed.checkpoints, 5);
  assert.deepEqual(await rig.files.list(20, undefined, never), { ok: true, value: [] });
});

test("a clock that is a year ahead deletes no checkpoint, but time that really passed does", async () => {
  await using home = await tempHome();
  await using rig = await checkpointRig(home.path);
  await rig.call(() => writeFileSync(join(rig.root, "a"), "1"));
  const day = 86_400_000;
  const runs = async (aheadMs: number, uptimeMs: number) => {
    const clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
    const uptime = () => ({ bootId: "a", ms: uptimeMs });
    await tidyDaily({ folder: rig.store, retentionMs: 7 * day, clock, signal: never, uptime });
    const left = await rig.files.list(20, undefined, never);
    return left.ok ? left.value.length : left;
  };
  assert.equal(await runs(365 * day, day), 1);
  assert.equal(await runs(367 * day, day), 1);
  assert.equal(await runs(3 * day, 4 * day), 1);
  assert.equal(await runs(60 * day, 60 * day), 0);
});

test("a damaged record file is renamed, reported and replaced", async () => {
  await using home = await tempHome();
  {
    await using rig = await checkpointRig(home.path);
    await rig.call(() => writeFileSync(join(rig.root, "a"), "1"));
  }
  const store = join(home.path, "file-checkpoints");
  const database = readdirSync(store).find((name) => name.endsWith(".db")) ?? "";
  writeFileSync(join(store, database), Buffer.alloc(40_000, 7));
  await using rig = await checkpointRig(home.path);
  await rig.call(() => writeFileSync(join(rig.root, "a"), "2"));
  assert.match(rig.said.join(), /They were moved to/u);
  assert.ok(readdirSync(store).some((name) => name.includes(".damaged-")));
});

test("only the owner can read the checkpoint store", async () => {
  await using home = await tempHome();
  await using rig = await checkpointRig(home.path);
  writeFileSync(join(rig.root, ".env"), "KEY=secret", { mode: 0o600 });
  const id = await rig.call(() => rmSync(join(rig.root, ".env")));
  assert.equal(statSync(rig.store).mode & 0o777, 0o700);
  for (const name of readdirSync(rig.store)) assert.equal(statSync(join(rig.store, name)).mode & 0o077, 0, name);
  await rig.files.restore(id, all, never);
  assert.equal(statSync(join(rig.root, ".env")).mode & 0o777, 0o600);
});

test("a named checkpoint is found by its name and restores the state, even after other restores", async () => {
  await using home = await tempHome();
  await using rig = await checkpointRig(home.path);
  const pathTo = join(rig.root, "a");
  writeFileSync(pathTo, "0");
  const start = await rig.files.mark("start", "ses_a", never);
  assert.ok(start.ok);
  await rig.call(() => writeFileSync(pathTo, "1"));
  const leaving = await rig.files.mark("way-a", "ses_a", never);
  assert.ok(leaving.ok);
  await rig.files.restore(start.value.id, all, never);
  assert.equal(readFileSync(pathTo, "utf8"), "0");
  await rig.call(() => writeFileSync(pathTo, "2"));
  const match = await rig.files.find("way-a", "ses_a", never);
  assert.ok(match.ok);
  await rig.files.restore(match.value.id, all, never);
  assert.equal(readFileSync(pathTo, "utf8"), "1");
});
