import assert from "node:assert/strict";
import { test } from "node:test";

import { processView, type LiveProcess } from "./process-view.ts";

const seen = (pid: number, parent: number, group: number, session: number, startedTicks: number): LiveProcess => ({
  pid,
  parent,
  group,
  session,
  startedTicks,
});

test("processes are found by parent and group, and only the environment of young processes is read", () => {
  const looked: number[] = [];
  const all = [seen(1, 0, 1, 1, 5), seen(2, 1, 2, 1, 10), seen(3, 2, 2, 1, 11), seen(4, 1, 4, 4, 12)];
  const view = processView(all, ({ pid }) => {
    looked.push(pid);
    return pid === 4 ? undefined : [`mark-${pid}`, "all"];
  });
  const pids = (some: readonly LiveProcess[]) => some.map(({ pid }) => pid);
  assert.deepEqual(pids(view.ofGroup(2)), [2, 3]);
  assert.deepEqual(pids(view.ofSession(1)), [1, 2, 3]);
  assert.deepEqual(pids(view.childrenOf(1)), [2, 4]);
  assert.deepEqual(looked, []);
  assert.deepEqual(pids(view.marked("all", 11)), [3]);
  assert.deepEqual(looked, [3, 4]);
  assert.deepEqual(pids(view.marked("all", 10)), [3, 2]);
  assert.deepEqual(looked, [3, 4, 2]);
  assert.deepEqual(pids(view.unsure(12)), [4]);
  assert.deepEqual(pids(view.unsure(13)), []);
  assert.equal(view.find(2)?.startedTicks, 10);
});
