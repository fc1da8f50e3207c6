import assert from "node:assert/strict";
import { readdirSync, readlinkSync } from "node:fs";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { fakeClock } from "../../../test/support/fake-clock.ts";
import { tempHome } from "../../../test/support/temp-home.ts";
import { sleep } from "../async/abort.ts";
import { systemClock } from "../clock.ts";
import { createFileLock, withFileLock } from "./file-lock.ts";

const { signal } = new AbortController();
const patient = { signal, timeoutMs: 120_000, clock: systemClock };

test("a locked function returns its value and releases the lock", async () => {
  await using home = await tempHome();
  const path = join(home.path, "file");
  for (const value of [1, 2]) {
    assert.deepEqual(await withFileLock(path, async () => value, patient), { ok: true, value });
  }
  const { mode, size } = await stat(`${path}.lock`);
  assert.deepEqual([await readdir(home.path), mode & 0o777, size], [["file.lock"], 0o600, 0]);
});

test("a locked function that throws releases the lock", async () => {
  await using home = await tempHome();
  const path = join(home.path, "file");
  await assert.rejects(
    withFileLock(path, () => Promise.reject(new Error("a bug")), patient),
    /a bug/u,
  );
  assert.deepEqual(await withFileLock(path, async () => "free", patient), { ok: true, value: "free" });
});

test("a hundred concurrent holders in one process run one after another", async () => {
  await using home = await tempHome();
  let inside = 0;
  let max = 0;
  const runs = Array.from({ length: 100 }, () =>
    withFileLock(
      join(home.path, "file"),
      async () => {
        max = Math.max(max, ++inside);
        await Promise.resolve();
        inside -= 1;
      },
      patient,
    ),
  );
  assert.ok((await Promise.all(runs)).every((run) => run.ok));
  assert.equal(max, 1);
});

test("waiting for a file lock ends as soon as the signal is aborted", async () => {
  await using home = await tempHome();
  const path = join(home.path, "file");
  await withFileLock(
    path,
    async () => {
      const controller = new AbortController();
      const waiting = withFileLock(path, async () => "mine", { ...patient, signal: controller.signal });
      await sleep(5, signal, systemClock);
      controller.abort();
      const result = await waiting;
      assert.equal(result.ok ? "taken" : result.error.code, "ABORT_ERR");
      const late = await withFileLock(path, async () => "mine", { ...patient, signal: controller.signal });
      assert.equal(late.ok ? "taken" : late.error.code, "ABORT_ERR");
    },
    patient,
  );
});

test("file lock timeouts use the given clock", async () => {
  await using home = await tempHome();
  const path = join(home.path, "file");
  const clock = fakeClock();
  await withFileLock(
    path,
    async () => {
      const waiting = withFileLock(path, async () => "mine", { signal, clock, timeoutMs: 60_000 });
      while (clock.waiting === 0) await sleep(1, signal, systemClock);
      clock.advance(60_000);
      const result = await waiting;
      assert.match(result.ok ? "" : result.error.message, /held by this process after 60000 ms/u);
    },
    patient,
  );
});

test("a lock file that cannot be created is a fault", async () => {
  await using home = await tempHome();
  await mkdir(join(home.path, "folder.lock"));
  await writeFile(join(home.path, "foreign.lock"), "12345 somebody else's lock file\n".repeat(50));
  const codes: string[] = [];
  for (const name of ["missing/file", "folder", "foreign", "nul\0"]) {
    const result = await withFileLock(join(home.path, name), async () => "mine", patient);
    codes.push(result.ok ? "taken" : result.error.code);
  }
  assert.deepEqual(codes, ["ENOENT", "EISDIR", "EEXIST", "ERR_INVALID_ARG_VALUE"]);
  assert.match(await readFile(join(home.path, "foreign.lock"), "utf8"), /^12345/u);
});

test("no waiter for a file lock starves", async () => {
  await using home = await tempHome();
  const path = join(home.path, "file");
  const waits = await Promise.all(
    Array.from({ length: 20 }, async () => {
      for (let turn = 0; turn < 3; turn++)
        if (!(await withFileLock(path, () => sleep(10, signal, systemClock), { ...patient, timeoutMs: 60_000 })).ok)
          return false;
      return true;
    }),
  );
  assert.ok(waits.every(Boolean));
});

test("a frequently used lock closes its file soon after the last holder releases it", async () => {
  await using home = await tempHome();
  const path = join(home.path, "file");
  const clock = fakeClock();
  const lock = createFileLock(path);
  const options = { ...patient, clock };
  const openFiles = () =>
    readdirSync("/proc/self/fd").filter((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).startsWith(`${path}.lock`);
      } catch {
        return false;
      }
    }).length;
  for (const value of [1, 2, 3]) assert.deepEqual(await lock.hold(async () => value, options), { ok: true, value });
  assert.equal(openFiles(), 1);
  // Another process can take the lock immediately.
  assert.deepEqual(await withFileLock(path, async () => "other", { ...patient, timeoutMs: 0 }), {
    ok: true,
    value: "other",
  });
  await lock.hold(async () => {
    const others = await withFileLock(path, async () => "other", { ...patient, timeoutMs: 0 });
    assert.equal(others.ok ? "taken" : others.error.code, "ETIMEDOUT");
  }, options);
  clock.advance(1_000);
  assert.equal(openFiles(), 0);
});
