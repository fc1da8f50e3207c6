import assert from "node:assert/strict";
import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";

import { messageEntry, textsOf } from "../../test/support/store-scene.ts";
import { tempHome } from "../../test/support/temp-home.ts";
import { systemClock } from "../base/clock.ts";
import { asId, type CallId, type SessionId } from "../base/ids.ts";
import { loadConfig } from "../config/load.ts";
import { eraseSessions, eraseOutsideData } from "../runtime/store/erase-sessions.ts";
import { openSessionStore } from "../store/session-store.ts";
import { spillFile } from "../store/spill-store.ts";
import { type RetentionDeps, applyRetention, takeRemovalReport } from "./session-retention.ts";

const me = { id: "me" };
const day = 86_400_000;
const never = new AbortController().signal;

/** Creates a store whose clock the test can move. */
async function scene() {
  const home = await tempHome();
  const path = join(home.path, "sessions.db");
  const time = { passed: 0, unconfirmed: 0 };
  const clock = { ...systemClock, now: () => systemClock.now() + time.passed + time.unconfirmed };
  const config = await loadConfig({ env: { HERMES_HOME: home.path, HOME: home.path }, cwd: home.path });
  assert.ok(config.ok);
  const store = await openSessionStore(path, { clock });
  const add = async (text: string) => {
    const { id } = await store.create({ source: "cli", principal: me });
    const lease = await store.lease(id, "test");
    assert.ok(lease.ok);
    await using _lease = lease.value;
    await store.append(id, [messageEntry(text), { type: "dispatched", callId: asId<CallId>(`call of ${id}`) }]);
    return id;
  };
  const deps = (retentionDays: number, maxMb: number): RetentionDeps => ({
    store,
    limits: { retentionDays, maxMb },
    erase: (these) =>
      eraseSessions(
        these.map(({ id }) => id),
        me,
        { store, config: config.value },
        never,
      ),
    beside: eraseOutsideData(config.value),
    clock,
    uptime: () => ({ bootId: "a", ms: systemClock.elapsed() + time.passed }),
  });
  const listed = async (only?: "deleted" | "archived") =>
    (await store.list({ limit: 99, ...(only && { only }) }, me)).map(({ id }) => id);
  return {
    home: home.path,
    path,
    time,
    store,
    add,
    deps,
    listed,
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

test("with a clock that is a year ahead nothing is deleted or erased, and a notice reports it", async () => {
  await using under = await scene();
  const { store, time } = under;
  const ids = [await under.add("one"), await under.add("two")];
  assert.ok((await store.mark(ids[0]!, { deleted: true }, me)).ok);
  // Even the first run has a wrong clock; the newest session reveals it.
  time.unconfirmed = 365 * day;
  for (let start = 0; start < 3; start++) {
    await applyRetention(under.deps(30, 0), never);
    assert.deepEqual([await under.listed(), await under.listed("deleted")], [ids.slice(1), ids.slice(0, 1)]);
    assert.match(
      (await takeRemovalReport(store.upkeep, under.deps(30, 0).limits)) ?? "",
      /jumped ahead by 3\d\d days/u,
    );
    time.passed += day / 3;
    time.unconfirmed += 2 * day;
  }
  time.unconfirmed = 0;
  await applyRetention(under.deps(30, 0), never);
  assert.equal(await takeRemovalReport(store.upkeep, under.deps(30, 0).limits), undefined);
  assert.deepEqual(await under.listed(), ids.slice(1));
});

test("a deleted session is erased exactly a day later, with its recording and its long results", async () => {
  await using under = await scene();
  const { home, store, time } = under;
  const id = await under.add("secret");
  const recording = join(home, "recordings", `${id}.jsonl`);
  const spill = spillFile(join(home, "results"), `call of ${id}`);
  for (const folder of ["recordings", "results"]) mkdirSync(join(home, folder));
  for (const file of [recording, spill]) writeFileSync(file, "secret");
  assert.ok((await store.mark(id, { deleted: true }, me)).ok);
  await applyRetention(under.deps(0, 0), never);
  assert.deepEqual(await under.listed("deleted"), [id]);
  assert.ok(existsSync(recording) && existsSync(spill));
  time.passed = 1.01 * day;
  await applyRetention(under.deps(0, 0), never);
  assert.deepEqual(await under.listed("deleted"), []);
  assert.ok(!existsSync(recording) && !existsSync(spill));
  assert.equal(await takeRemovalReport(store.upkeep, { retentionDays: 0, maxMb: 0 }), undefined);
});

test("sessions beyond the retention period are deleted with one notice, and open, archived and kept sessions stay", async () => {
  await using under = await scene();
  const { store, time } = under;
  const old = await under.add("old");
  const kept = await under.add("kept");
  const archived = await under.add("archived");
  const open = await under.add("open");
  await store.mark(kept, { tags: ["work", "keep"] }, me);
  await store.mark(archived, { archived: true }, me);
  const lease = await store.lease(open, "chat");
  assert.ok(lease.ok);
  await using _lease = lease.value;
  await applyRetention(under.deps(90, 0), never);
  time.passed = 100 * day;
  const fresh = await under.add("new");
  await applyRetention(under.deps(90, 0), never);
  assert.deepEqual(await under.listed(), [fresh, open, kept]);
  assert.deepEqual(await under.listed("deleted"), [old]);
  assert.deepEqual(await under.listed("archived"), [archived]);
  const limits = { retentionDays: 90, maxMb: 0 };
  assert.match((await takeRemovalReport(store.upkeep, limits)) ?? "", /^1 session not used for 90 days was deleted\./u);
  assert.equal(await takeRemovalReport(store.upkeep, limits), undefined);
  assert.ok((await store.mark(old, { deleted: false }, me)).ok);
  assert.deepEqual(textsOf(await store.path(old)).slice(0, 1), ["old"]);
});

test("above the size limit the oldest sessions are erased, the space is freed, and a notice reports it", async () => {
  await using under = await scene();
  const { store, time, path } = under;
  const ids: SessionId[] = [];
  for (let index = 0; index < 8; index++) ids.push(await under.add("x".repeat(950_000)));
  await store.mark(ids[0] ?? asId<SessionId>(""), { tags: ["keep"] }, me);
  await store.mark(ids[1] ?? asId<SessionId>(""), { archived: true }, me);
  time.passed = 2 * day;
  const today = await under.add("y".repeat(950_000));
  await applyRetention(under.deps(0, 5), never);
  assert.deepEqual(await under.listed(), [today, ids[7], ids[6], ids[0]]);
  assert.deepEqual(await under.listed("archived"), [ids[1]]);
  assert.ok((await store.upkeep.bytes()) <= 5e6);
  const reported = (await takeRemovalReport(store.upkeep, { retentionDays: 0, maxMb: 5 })) ?? "";
  assert.match(reported, /^The oldest 4 sessions \(4 MB\) were erased, because all sessions together exceeded 5 MB/u);
  await store[Symbol.asyncDispose]();
  assert.ok(statSync(path).size < 5.2e6, `${statSync(path).size}`);
});

test("an erase interrupted by a crash is finished later, and the remaining entries are invisible", async () => {
  await using under = await scene();
  const { store, home } = under;
  const id = await under.add("half");
  assert.equal((await store.entriesAfter(0, 9)).length, 2);
  mkdirSync(join(home, "recordings"));
  const recording = join(home, "recordings", `${id}.jsonl`);
  writeFileSync(recording, "half");
  using database = new DatabaseSync(under.path);
  const killed = new Error("killed");
  await assert.rejects(
    store.erase([id], me, never, () => Promise.reject(killed)),
    killed,
  );
  assert.equal(database.prepare("SELECT count(*) AS n FROM entries WHERE type <> 'began'").get()?.["n"], 2);
  assert.equal(await store.get(id, me), undefined);
  assert.deepEqual(await under.listed("deleted"), []);
  assert.deepEqual(await store.entriesAfter(0, 9), []);
  await applyRetention(under.deps(0, 0), never);
  assert.equal(database.prepare("SELECT count(*) AS n FROM entries").get()?.["n"], 0);
  assert.equal(database.prepare("SELECT count(*) AS n FROM sessions").get()?.["n"], 0);
  assert.ok(!existsSync(recording));
});
