import assert from "node:assert/strict";
import { test } from "node:test";

import { slashRun } from "../../../test/support/slash-run.ts";
import { PlainFailure } from "../../base/plain-failure.ts";
import { err, ok } from "../../base/result.ts";
import type { Checkpoint, Checkpoints, RestoreChange } from "../../contracts/knowledge/checkpoint.ts";
import type { SlashContext } from "../slash-command.ts";
import { rollbackCommand } from "./rollback.ts";

const checkpoint: Checkpoint = {
  id: "ck_1",
  kind: "call",
  takenAt: 0,
  tool: "terminal",
  label: "rm -rf src",
  changed: 2,
  isOpen: false,
  notes: [],
};
const sure: RestoreChange = { path: "src/a", how: "create", kind: "file", bytesNow: 0, bytesThen: 1_500 };
const doubtful: RestoreChange = { ...sure, path: "b", how: "change", doubt: "changed by somebody else since" };

const unused = () => assert.fail("not used here");

function rig(answers: readonly boolean[], changes: readonly RestoreChange[] = [sure, doubtful]) {
  const requested: string[] = [];
  const done: string[] = [];
  const waiting = [...answers];
  const checkpoints: Checkpoints = {
    root: async () => "/project",
    list: async () => ok([checkpoint]),
    find: async (text) =>
      ["1", checkpoint.id].includes(text) ? ok(checkpoint) : err({ message: `there is no checkpoint ${text}` }),
    plan: async () => ok({ checkpoint, root: "/project", changes, left: [] }),
    diff: async (_, path) => ok(`diff of ${path ?? "all"}`),
    async restore(id, { path, withDoubts }) {
      done.push(`${id} ${path ?? "all"} ${withDoubts === true ? "with doubts" : "without"}`);
      const did = changes.filter(({ doubt }) => withDoubts === true || doubt === undefined);
      return ok({ checkpoint, root: "/project", changes: did, left: [], undo: { ...checkpoint, id: "ck_2" } });
    },
    mark: async () => ok(checkpoint),
  };
  const host = {
    async confirm(question: string) {
      requested.push(question);
      return waiting.shift() ?? false;
    },
  };
  const open = async () => ({ checkpoints });
  const run = slashRun({ checkpoints: { open, status: unused, prune: unused } });
  const ctx = { ...host, run, signal: new AbortController().signal } as unknown as SlashContext;
  return { asked: requested, done, run: (args: string) => rollbackCommand.run(args, ctx) };
}

test("/rollback without a number lists the checkpoints", async () => {
  assert.match((await rig([]).run("")).text, /1 {2}00:00:00 {2}terminal \(2 changes\): rm -rf src/u);
});

test("/rollback shows the changes and asks before restoring, and asks again about doubtful changes", async () => {
  const both = rig([true, true]);
  assert.match(
    (await both.run("1")).text,
    /^Done: 1 file recreated, 1 file changed back\.[^]*\/rollback ck_2 undoes this\.$/u,
  );
  assert.match(both.asked[0] ?? "", /\+ src\/a \(1\.5 kB\)\n~ b \(0 B → 1\.5 kB\) ! changed by somebody else since/u);
  assert.deepEqual(both.done, ["ck_1 all with doubts"]);
  const one = rig([true, false]);
  await one.run("1 src/a file");
  assert.deepEqual(one.done, ["ck_1 src/a file without"]);
  const none = rig([false]);
  assert.equal((await none.run("1")).text, "Nothing was changed.");
  assert.deepEqual(none.done, []);
});

test("`now` skips the confirmation, and --force includes doubtful changes", async () => {
  const now = rig([]);
  await now.run("1 now");
  await now.run("1 now --force");
  assert.deepEqual([now.asked, now.done], [[], ["ck_1 all without", "ck_1 all with doubts"]]);
});

test("a diff, an invalid number, and a restore without changes give clear replies", async () => {
  assert.equal((await rig([]).run("diff 1 src")).output, "diff of src");
  await assert.rejects(rig([]).run("9"), new PlainFailure("there is no checkpoint 9"));
  assert.equal((await rig([], []).run("1")).text, "Nothing to restore.");
});
