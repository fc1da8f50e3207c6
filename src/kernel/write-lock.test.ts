import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { eventually } from "../../test/support/eventually.ts";
import { fakeClock } from "../../test/support/fake-clock.ts";
import { tempHome } from "../../test/support/temp-home.ts";
import { systemClock as clock } from "../base/clock.ts";
import { takeFileLock } from "../base/files/file-lock.ts";
import { silentLog as log } from "../base/log/log.ts";
import { ok } from "../base/result.ts";
import { createWriteLock } from "./write-lock.ts";

const signal = new AbortController().signal;

test("concurrent sessions that read and then change a file lose no write", async () => {
  await using home = await tempHome();
  const file = join(home.path, "count");
  await writeFile(file, "0");
  const conversations = Array.from({ length: 4 }, () => createWriteLock(join(home.path, "lock"), { clock, log }));
  const countOn = async () => writeFile(file, String(Number(await readFile(file, "utf8")) + 1));
  await Promise.all(
    conversations.map(async (writeAlone) => {
      for (let round = 0; round < 5; round++) await writeAlone(countOn, signal);
    }),
  );
  assert.equal(await readFile(file, "utf8"), "20");
});

test("if the folder cannot be locked, the work still runs, exactly once", async () => {
  await using home = await tempHome();
  const writeAlone = createWriteLock(join(home.path, "missing", "lock"), { clock, log });
  let times = 0;
  assert.deepEqual(await writeAlone(async () => ++times, signal), ok(1));
  assert.equal(times, 1);
});

test("nothing is written if another session holds the lock for too long", async () => {
  await using home = await tempHome();
  const path = join(home.path, "lock");
  const held = await takeFileLock(path, { signal, timeoutMs: 1_000, clock });
  assert.ok(held.ok);
  const time = fakeClock();
  const waiting = createWriteLock(path, { clock: time, log })(async () => assert.fail("ran"), signal);
  await eventually(() => time.waiting === 1);
  time.advance(10_000);
  const refusal = await waiting;
  held.value[Symbol.dispose]();
  assert.match(refusal.ok ? "" : refusal.error, /still held by this process/u);
});
