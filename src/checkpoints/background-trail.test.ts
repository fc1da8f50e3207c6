import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { checkpointRig } from "../../test/support/checkpoint-rig.ts";
import { assertFails } from "../../test/support/failure.ts";
import { tempHome } from "../../test/support/temp-home.ts";

const never = new AbortController().signal;
const all = { session: undefined };

function work() {
  const state = { runs: true };
  return { state, isRunning: async () => state.runs };
}

test("after confirmation, undoing a call also undoes later writes of its background process", async () => {
  await using home = await tempHome();
  await using rig = await checkpointRig(home.path);
  const pathTo = (name: string) => join(rig.root, name);
  writeFileSync(pathTo("kept"), "before\n");
  const server = work();
  const id = await rig.call(() => writeFileSync(pathTo("first"), "1\n"), { left: [server], label: "npm run dev" });
  writeFileSync(pathTo("kept"), "written by the server\n");
  writeFileSync(pathTo("late"), "2\n");
  server.state.runs = false;

  const plan = await rig.files.plan(id, all, never);
  assert.ok(plan.ok);
  const doubt = "changed while a background process ran: by it, or by you";
  assert.deepEqual(
    plan.value.changes.map((change) => [change.path, change.how, change.doubt]),
    [
      ["first", "remove", undefined],
      ["kept", "change", doubt],
      ["late", "remove", doubt],
    ],
  );
  const listed = await rig.files.list(10, undefined, never);
  assert.ok(listed.ok);
  assert.deepEqual(
    listed.value.map(({ kind, label, changed, isOpen }) => ({ kind, label, changed, isOpen })),
    [
      { kind: "process", label: "npm run dev", changed: 2, isOpen: false },
      { kind: "call", label: "npm run dev", changed: 1, isOpen: false },
    ],
  );
  // The end of the process was observed, so later changes count as the user's.
  writeFileSync(pathTo("mine"), "me\n");
  const done = await rig.files.restore(id, { ...all, withDoubts: true }, never);
  assert.ok(done.ok, JSON.stringify(done));
  assert.equal(readFileSync(pathTo("kept"), "utf8"), "before\n");
  assert.deepEqual(
    ["first", "late", "mine"].map((name) => existsSync(pathTo(name))),
    [false, false, true],
  );
});

test("recorded writes of a background process need no confirmation", async () => {
  await using home = await tempHome();
  await using rig = await checkpointRig(home.path);
  const job = work();
  const id = await rig.call(() => {}, { left: [job], paths: [join(rig.root, "out.txt")], label: "job > out.txt" });
  writeFileSync(join(rig.root, "out.txt"), "result\n");
  writeFileSync(join(rig.root, "mine"), "me\n");
  const match = await rig.files.find("1", undefined, never);
  assert.ok(match.ok && match.value.kind === "process");
  assertFails(await rig.files.find(id, undefined, never), /there is no checkpoint ck_/u);
  const done = await rig.files.restore(match.value.id, all, never);
  assert.ok(done.ok);
  assert.deepEqual(
    done.value.changes.map(({ path, how }) => [path, how]),
    [["out.txt", "remove"]],
  );
  assert.ok(existsSync(join(rig.root, "mine")));
});

test("restoring a later call undoes the background process's writes after it and keeps those before it", async () => {
  await using home = await tempHome();
  await using rig = await checkpointRig(home.path);
  const pathTo = (name: string) => join(rig.root, name);
  const server = work();
  await rig.call(() => writeFileSync(pathTo("a"), "a"), { left: [server] });
  writeFileSync(pathTo("early"), "1");
  const second = await rig.call(() => writeFileSync(pathTo("b"), "b"));
  writeFileSync(pathTo("late"), "2");
  const done = await rig.files.restore(second, { ...all, withDoubts: true }, never);
  assert.ok(done.ok);
  assert.deepEqual(
    ["a", "early", "b", "late"].map((name) => existsSync(pathTo(name))),
    [true, true, false, false],
  );
  // The process continues after the restore.
  writeFileSync(pathTo("later"), "3");
  const listed = await rig.files.list(10, undefined, never);
  assert.ok(listed.ok);
  assert.deepEqual(
    listed.value.map(({ kind, changed }) => [kind, changed]),
    [
      ["process", 1],
      ["restore", 2],
      ["process", 1],
      ["call", 1],
      ["process", 1],
      ["call", 1],
    ],
  );
});

test("another program sees the writes of a live program's process, but ignores processes of a program that exited", async () => {
  await using home = await tempHome();
  await using other = await checkpointRig(home.path);
  {
    await using rig = await checkpointRig(home.path);
    await rig.call(() => writeFileSync(join(rig.root, "a"), "a"), { left: [work()], label: "watch" });
    writeFileSync(join(rig.root, "b"), "b");
    const seen = await other.files.list(1, undefined, never);
    assert.ok(seen.ok);
    assert.deepEqual(
      seen.value.map(({ kind, changed, isOpen }) => [kind, changed, isOpen]),
      [["process", 1, true]],
    );
    writeFileSync(join(rig.root, "c"), "c");
  }
  writeFileSync(join(other.root, "d"), "d");
  const listed = await other.files.list(1, undefined, never);
  assert.ok(listed.ok);
  assert.deepEqual(
    listed.value.map(({ kind, changed, isOpen }) => [kind, changed, isOpen]),
    [["process", 2, false]],
  );
});
