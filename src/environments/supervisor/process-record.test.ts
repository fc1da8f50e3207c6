import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { tempHome } from "../../../test/support/temp-home.ts";
import { createProcessRecords, type ProcessRecord } from "./process-record.ts";

const record: ProcessRecord = {
  id: "proc_0123456789ab",
  command: "echo",
  cwd: "/",
  place: "local",
  backend: "local",
  owner: { program: "p", session: "s", principal: "x", isKept: true },
  startedAt: 5,
  isTerminal: false,
  marker: "m",
  files: [],
};

test("a record and its ending can be read unchanged until they are removed", async () => {
  await using home = await tempHome();
  const store = createProcessRecords(home.path);
  store.create(record);
  assert.throws(() => store.create(record));
  assert.deepEqual(store.read(record.id), record);
  assert.equal(store.ending(record.id), undefined);
  store.update({ ...record, pid: 7 });
  store.end(record.id, { how: "exited", exitCode: 3, endedAt: 9 });
  assert.deepEqual(createProcessRecords(home.path).ids(), [record.id]);
  assert.equal(store.read(record.id)?.pid, 7);
  assert.deepEqual(store.ending(record.id), { how: "exited", exitCode: 3, endedAt: 9 });
  assert.ok(store.bytesOf(record.id) > 0);
  store.remove(record.id);
  assert.deepEqual([store.ids(), store.read(record.id), store.bytesOf(record.id)], [[], undefined, 0]);
});

test("an invalid id matches nothing, and an invalid record is skipped", async () => {
  await using home = await tempHome();
  const store = createProcessRecords(home.path);
  for (const id of ["..", "../x", "proc_../../../x", "", "proc_0123456789ab/..", "proc_0123456789ABC"]) {
    assert.throws(() => store.remove(id));
    assert.equal(store.read(id), undefined);
  }
  mkdirSync(join(home.path, record.id));
  for (const text of ["", "{", "[]", "null", JSON.stringify({ ...record, id: "proc_ffffffffffff" }), '{"id":5}']) {
    writeFileSync(join(home.path, record.id, "record"), text);
    assert.equal(store.read(record.id), undefined);
  }
});
