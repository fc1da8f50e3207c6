import assert from "node:assert/strict";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { tempHome } from "../../test/support/temp-home.ts";
import { asId, type CallId } from "../base/ids.ts";
import { createSpillStore } from "./spill-store.ts";

const signal = new AbortController().signal;

test("a spilled result is stored in full, and only its owner can read it", async () => {
  await using home = await tempHome();
  const store = createSpillStore({ folder: join(home.path, "results"), maxTotalBytes: 1_000_000 });
  const spilled = await store.spill(asId<CallId>("call_1"), "line\n".repeat(1000), signal);
  assert.ok(spilled.ok);
  assert.equal(await readFile(spilled.value.path, "utf8"), "line\n".repeat(1000));
  assert.equal((await stat(spilled.value.path)).mode & 0o777, 0o600);
});

test("ids that differ only in unusual characters get separate files inside the folder", async () => {
  await using home = await tempHome();
  const folder = join(home.path, "results");
  const store = createSpillStore({ folder, maxTotalBytes: 1_000_000 });
  const ids = ["a/b", "a:b", "../../etc/passwd", "..", "", "a_b", "x".repeat(500), `${"x".repeat(500)}y`, "a\0b"];
  for (const id of ids) assert.ok((await store.spill(asId<CallId>(id), id, signal)).ok);
  assert.equal((await readdir(folder)).length, ids.length);
});

test("the spill folder respects its size limit, and the newest result stays", async () => {
  await using home = await tempHome();
  const folder = join(home.path, "results");
  const store = createSpillStore({ folder, maxTotalBytes: 3000 });
  for (let index = 0; index < 10; index++) await store.spill(asId<CallId>(`call_${index}`), "x".repeat(1000), signal);
  const left = await readdir(folder);
  assert.ok(left.length <= 3);
  assert.ok(left.includes("call_9.txt"));
});
