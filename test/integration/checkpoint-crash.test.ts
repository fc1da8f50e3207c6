// covers: src/checkpoints
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { type CheckpointRig, checkpointRig } from "../support/checkpoint-rig.ts";
import { sourceFlags } from "../support/child-process.ts";
import { treeOf } from "../support/file-tree.ts";
import { cannotMount, smallDisk } from "../support/small-disk.ts";
import { tempHome } from "../support/temp-home.ts";

const never = new AbortController().signal;
const files = 150;
const kills = 4;

/** A program that prints a line when it begins with something, and is killed some time later. */
async function killed(home: string, code: string, afterMs: number): Promise<void> {
  const rig = JSON.stringify(new URL("../support/checkpoint-rig.ts", import.meta.url).href);
  const child = spawn(
    process.execPath,
    [
      ...sourceFlags,
      "--input-type=module",
      "-e",
      `const { checkpointRig } = await import(${rig}); const rig = await checkpointRig(${JSON.stringify(home)}); const fs = await import("node:fs"); ${code}`,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  await new Promise((resolve) => child.stdout?.once("data", resolve));
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  await end(child);
}

function end(child: ChildProcess): Promise<unknown> {
  const removed =
    child.exitCode === null && child.signalCode === null ? new Promise((done) => child.once("exit", done)) : undefined;
  child.kill("SIGKILL");
  return removed ?? Promise.resolve();
}

function fill(root: string, text: string): void {
  for (let index = 0; index < files; index++) {
    mkdirSync(join(root, `d${index % 7}`), { recursive: true });
    writeFileSync(join(root, `d${index % 7}`, `f${index}`), `${text} ${index}\n`.repeat(200));
  }
}

function wholeOf(rig: CheckpointRig): void {
  for (let index = 0; index < files; index++) {
    const match = readFileSync(join(rig.root, `d${index % 7}`, `f${index}`), "utf8");
    assert.ok(
      [`old ${index}\n`.repeat(200), `new ${index}\n`.repeat(200)].includes(match),
      `d${index % 7}/f${index}: ${match.length}`,
    );
  }
}

test("after a kill during calls and recordings, the first state can be restored", async () => {
  await using home = await tempHome();
  await using rig = await checkpointRig(home.path);
  fill(rig.root, "old");
  const before = await treeOf(rig.root);
  const first = await rig.call(() => writeFileSync(join(rig.root, "d0", "f0"), "call\n"));
  for (let round = 0; round < kills; round++) {
    await killed(
      home.path,
      `console.log("begun");
       for (let turn = 0; ; turn++) await rig.call(() => {
         for (let at = turn % 3; at < ${files}; at += 3) fs.writeFileSync(rig.root + "/d" + (at % 7) + "/f" + at, "round ${round} " + turn);
         fs.writeFileSync(rig.root + "/made-" + turn, "x");
       });`,
      20 + 70 * round,
    );
    const listed = await rig.files.list(10, undefined, never);
    assert.ok(listed.ok, JSON.stringify(listed));
  }
  const done = await rig.files.restore(first, { session: undefined, withDoubts: true }, never);
  assert.ok(done.ok && done.value.left.length === 0, JSON.stringify(done));
  assert.deepEqual(await treeOf(rig.root), before);
});

test("after a kill during a restore, every file is complete, and the restore can be repeated", async () => {
  await using home = await tempHome();
  await using rig = await checkpointRig(home.path);
  fill(rig.root, "old");
  const before = await treeOf(rig.root);
  for (let round = 0; round < kills; round++) {
    const id = await rig.call(() => fill(rig.root, "new"));
    await killed(
      home.path,
      `console.log("begun"); await rig.files.restore(${JSON.stringify(id)}, { session: undefined }, new AbortController().signal); setTimeout(() => {}, 60_000);`,
      round * 15,
    );
    wholeOf(rig);
    // New leftovers may belong to another writer.
    for (let index = 0; index < 7; index++)
      for (const name of readdirSync(join(rig.root, `d${index}`)))
        if (name.endsWith(".tmp")) utimesSync(join(rig.root, `d${index}`, name), 1, 1);
    const again = await rig.files.restore(id, { session: undefined, withDoubts: true }, never);
    assert.ok(again.ok && again.value.left.length === 0, JSON.stringify(again));
    assert.deepEqual(await treeOf(rig.root), before);
  }
});

test("two programs that record in one folder wait for each other and lose nothing", async () => {
  await using home = await tempHome();
  await using rig = await checkpointRig(home.path);
  fill(rig.root, "old");
  const url = JSON.stringify(new URL("../support/checkpoint-rig.ts", import.meta.url).href);
  const children = [0, 1].map((which) =>
    spawn(
      process.execPath,
      [
        ...sourceFlags,
        "--input-type=module",
        "-e",
        `const { checkpointRig } = await import(${url}); const rig = await checkpointRig(${JSON.stringify(home.path)}); const fs = await import("node:fs");
         for (let turn = 0; turn < 10; turn++) await rig.call(() => fs.writeFileSync(rig.root + "/by-${which}", String(turn)), { session: "ses_${which}", paths: ["by-${which}"] });
         await rig[Symbol.asyncDispose]();`,
      ],
      { stdio: "inherit" },
    ),
  );
  const codes = await Promise.all(children.map((child) => new Promise((resolve) => child.once("exit", resolve))));
  assert.deepEqual(codes, [0, 0]);
  for (const session of ["ses_0", "ses_1"]) {
    const listed = await rig.files.list(50, session, never);
    assert.ok(listed.ok);
    assert.equal(listed.value.length, 10);
    const fifth = await rig.files.restore(listed.value[4]?.id ?? "", { session }, never);
    assert.ok(fifth.ok);
    assert.equal(readFileSync(join(rig.root, `by-${session.at(-1)}`), "utf8"), "4");
  }
  assert.ok(statSync(rig.store).isDirectory());
});

test(
  "on a full disk a call that cannot be recorded does not run, and the error gives advice",
  { skip: cannotMount() },
  async () => {
    await using home = await tempHome();
    using disk = smallDisk(join(home.path, "file-checkpoints"), 400);
    await using rig = await checkpointRig(home.path);
    await rig.call(() => writeFileSync(join(rig.root, "a"), "x"));
    for (let index = 0; index < 20; index++) writeFileSync(join(rig.root, `noise-${index}`), randomBytes(90_000));
    const call = { callId: "c", sessionId: "s", tool: "t", effects: [], place: { cwd: "/", backend: "local" } };
    const started = await rig.files.begin(call as never, { paths: [], isWhole: true, label: "x" }, never);
    assert.ok(!started.ok);
    assert.match(started.error.message, /disk is full; free some space, or turn checkpoints off/u);
    assert.ok(disk.path !== "");
    // Recording works again when there is space.
    const small = await rig.call(() => writeFileSync(join(rig.root, "a"), "y"), { paths: ["a"] });
    const done = await rig.files.restore(small, { session: undefined }, never);
    assert.ok(done.ok, JSON.stringify(done));
    assert.equal(readFileSync(join(rig.root, "a"), "utf8"), "x");
  },
);
