import assert from "node:assert/strict";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { assertFails } from "../../../test/support/failure.ts";
import { tempHome } from "../../../test/support/temp-home.ts";
import { systemClock } from "../../base/clock.ts";
import { createSnapshots } from "./snapshots.ts";

const { signal } = new AbortController();

test("snapshots of many tasks are saved at once, each under its own name, in a private file", async () => {
  await using home = await tempHome();
  const file = join(home.path, "deep", "modal_snapshots.json");
  const tasks = Array.from({ length: 20 }, (_, index) => `task ${index}`);
  const kept = await Promise.all(
    tasks.map((task) => createSnapshots(file, systemClock).keep(task, `im-${task}`, signal)),
  );
  assert.ok(kept.every(({ ok }) => ok));
  const expected = Object.fromEntries(tasks.map((task) => [`direct:${task}`, `im-${task}`]));
  assert.deepEqual(JSON.parse(await readFile(file, "utf8")), expected);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.deepEqual(await createSnapshots(file, systemClock).find("task 7"), { ok: true, value: "im-task 7" });
  assert.deepEqual(await createSnapshots(file, systemClock).find("none"), { ok: true, value: undefined });
});

test("a snapshot that is set aside does not replace an earlier one", async () => {
  await using home = await tempHome();
  const file = join(home.path, "modal_snapshots.json");
  const snapshots = createSnapshots(file, systemClock);
  for (const id of ["im-1", "im-2"]) {
    await snapshots.keep("task", id, signal);
    await snapshots.setAside("task", signal);
  }
  assert.deepEqual(JSON.parse(await readFile(file, "utf8")), {
    "unrestored:task": "im-1",
    "unrestored:task:2": "im-2",
  });
});

test("a file that is not a list of snapshots is not touched", async () => {
  await using home = await tempHome();
  const file = join(home.path, "modal_snapshots.json");
  const snapshots = createSnapshots(file, systemClock);
  for (const text of ["{", "[]"]) {
    await writeFile(file, text);
    const kept = await snapshots.keep("task", "im-1", signal);
    assert.match(kept.ok ? "" : kept.error, /repair it or move it away/);
    assertFails(await snapshots.find("task"), /is not (?:JSON|a list of snapshots); repair it/u);
    assert.equal(await readFile(file, "utf8"), text);
  }
});
