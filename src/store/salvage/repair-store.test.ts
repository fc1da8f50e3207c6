import assert from "node:assert/strict";
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";

import { messageEntry } from "../../../test/support/store-scene.ts";
import { sessionOfVersion1, writeStoreOfVersion1 } from "../../../test/support/store-version-1.ts";
import { tempHome } from "../../../test/support/temp-home.ts";
import { testSize } from "../../../test/support/test-size.ts";
import { systemClock as clock } from "../../base/clock.ts";
import { asId, type SessionId } from "../../base/ids.ts";
import { noUsage } from "../../contracts/model/model.ts";
import type { Entry, SessionRecord } from "../../contracts/session/session.ts";
import { openOrRepairStore } from "../open-or-repair.ts";
import { openSessionStore } from "../session-store.ts";
import { StoreError } from "../store-fault.ts";
import { verifyStore } from "../verify-store.ts";
import { type Repaired, repairStore } from "./repair-store.ts";

const pageBytes = 4096;
const me = { id: "me" };
const never = new AbortController().signal;
const deps = { clock, principal: "me" };

interface Contents {
  readonly records: readonly SessionRecord[];
  readonly entries: ReadonlyMap<SessionId, readonly Entry[]>;
}

/** A few sessions with long and short entries, titles, tags, costs, branches and one child session. */
async function fill(path: string, crash?: (path: string) => void): Promise<void> {
  await using store = await openSessionStore(path, { clock });
  let parent: SessionId | undefined;
  for (const name of ["ann", "bob", "cat"]) {
    const { id } = await store.create({ source: "cli", principal: me, title: name, ...(parent && { parent }) });
    parent = id;
    const lease = await store.lease(id, "test");
    assert.ok(lease.ok);
    await using _lease = lease.value;
    let first: Entry | undefined;
    for (let index = 0; index < 12; index++) {
      const long = index === 3 ? 5_000 : (index * 137) % 900;
      const [entry] = await store.append(id, [messageEntry(`${name}-${index} ${"ä".repeat(long)}`)]);
      first ??= entry;
    }
    await store.append(id, [
      { type: "usage", provider: "p", model: "m", task: "chat", usage: { ...noUsage, input: 7, costUsd: 0.25 } },
      { type: "titled", title: `${name} again`, by: "user" },
      { type: "head_moved", ...(first && { to: first.id }), why: "branch" },
      messageEntry("the other branch"),
    ]);
    await store.mark(id, { tags: [name] }, me);
  }
  crash?.(path);
}

async function contentsOf(path: string): Promise<Contents> {
  await using store = await openSessionStore(path, { clock, say: (sentence) => assert.fail(sentence) });
  const records = await store.list({ limit: 1_000 }, me);
  const entries = new Map<SessionId, readonly Entry[]>();
  for (const { id } of records) entries.set(id, await store.entries(id));
  return { records, entries };
}

async function repaired(path: string): Promise<Repaired> {
  const result = await repairStore(path, deps, never);
  assert.ok(result.ok, result.ok ? "" : result.error.message);
  return result.value;
}

/** Counts the lost entries of `good`. The others must be unchanged, and the loss must be reported. */
function missingIn(good: Contents, result: Contents, { harmed }: Repaired, what: string): number {
  let missing = 0;
  for (const [id, entries] of good.entries) {
    const read = new Map((result.entries.get(id) ?? []).map((entry) => [entry.id, entry]));
    const removed = entries.filter((entry) => (read.get(entry.id)?.type ?? "damaged") === "damaged");
    for (const entry of entries) if (!removed.includes(entry)) assert.deepEqual(read.get(entry.id), entry, what);
    const named = harmed.find((session) => session.id === id)?.lost ?? 0;
    assert.ok(named >= removed.length, `${what}: ${removed.length} entries of ${id} are gone, ${named} are named`);
    missing += removed.length;
  }
  return missing;
}

const harms: Readonly<Record<string, (page: Buffer) => void>> = {
  zeros: (page) => void page.fill(0),
  noise: (page) => {
    for (let byte = 0; byte < page.length; byte++) page[byte] = (byte * 31 + 7) & 0xff;
  },
};

for (const [how, harm] of Object.entries(harms)) {
  test(`${how} over any page: everything on other pages is restored`, async () => {
    await using home = await tempHome();
    const source = join(home.path, "good.db");
    await fill(source);
    const good = await contentsOf(source);
    const bytes = readFileSync(source);
    const costs = pageCosts(source);
    const step = testSize({ quick: how === "zeros" ? 4 : 9, full: 1 });
    for (let page = 1; page <= bytes.length / pageBytes; page += step) {
      const path = join(home.path, `${page}.db`);
      const harmed = Buffer.from(bytes);
      harm(harmed.subarray((page - 1) * pageBytes, page * pageBytes));
      writeFileSync(path, harmed);
      const repair = await repaired(path);
      assert.deepEqual(readFileSync(repair.keptAs), harmed, "the damaged file is kept as it was");
      const verified = await verifyStore(path, clock, never);
      assert.deepEqual(verified.problems, [], `page ${page}`);
      const result = await contentsOf(path);
      const missing = missingIn(good, result, repair, `page ${page}`);
      const max = costs.get(page) ?? 0;
      assert.ok(missing <= max, `page ${page} held ${max} entries, ${missing} are gone`);
      assert.equal(result.records.length, 3);
      if (missing === 0 && max === 0) assert.deepEqual(result.records, good.records, `page ${page}`);
      for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
      rmSync(repair.keptAs);
    }
    assert.deepEqual(
      readdirSync(home.path).filter((name) => /new-|repair/u.test(name)),
      [],
    );
  });
}

/** The number of entries on each page, complete or in part. */
function pageCosts(path: string): ReadonlyMap<number, number> {
  using database = new DatabaseSync(path, { readOnly: true });
  const pages = database.prepare("SELECT pageno, pagetype, ncell FROM dbstat WHERE name = 'entries'").all();
  return new Map(
    pages.flatMap(({ pageno, pagetype, ncell }) =>
      pagetype === "leaf" ? [[Number(pageno), Number(ncell)]] : pagetype === "overflow" ? [[Number(pageno), 1]] : [],
    ),
  );
}

test("a truncated store is restored as far as its data reaches", async () => {
  await using home = await tempHome();
  const source = join(home.path, "good.db");
  await fill(source);
  const good = await contentsOf(source);
  const costs = pageCosts(source);
  const pages = readFileSync(source).length / pageBytes;
  const step = testSize({ quick: 9, full: 1 });
  for (let kept = Math.min(...costs.keys()) + 8; kept < pages; kept += step) {
    const path = join(home.path, `${kept}.db`);
    copyFileSync(source, path);
    truncateSync(path, kept * pageBytes + 1_000);
    const repair = await repaired(path);
    const max = Array.from(costs).reduce((sum, [page, cost]) => sum + (page > kept ? cost : 0), 0);
    let missing = 0;
    const result = await contentsOf(path);
    for (const [id, entries] of good.entries) {
      const read = new Map((result.entries.get(id) ?? []).map((entry) => [entry.id, entry]));
      missing += entries.filter((entry) => (read.get(entry.id)?.type ?? "damaged") === "damaged").length;
    }
    assert.ok(missing <= max, `cut to ${kept} pages: ${missing} entries are gone, of ${max} that were behind`);
    assert.deepEqual((await verifyStore(path, clock, never)).problems, []);
    assert.ok(existsSync(repair.keptAs));
  }
});

test("committed writes in a damaged write-ahead log are restored, even those after the damage", async () => {
  await using home = await tempHome();
  const source = join(home.path, "good.db");
  const copy = join(home.path, "copy.db");
  await fill(source, (path) => {
    for (const suffix of ["", "-wal"]) copyFileSync(path + suffix, copy + suffix);
  });
  const good = await contentsOf(source);
  const wal = readFileSync(`${copy}-wal`);
  const frames = Math.floor((wal.length - 32) / (pageBytes + 24));
  assert.ok(frames > 60);
  for (const harmed of [0, Math.floor(frames / 3), Math.floor(frames / 2), frames - 20]) {
    const path = join(home.path, `${harmed}.db`);
    copyFileSync(copy, path);
    const bytes = Buffer.from(wal);
    const begin = 32 + harmed * (pageBytes + 24);
    bytes.fill(7, begin + 24, begin + 24 + pageBytes);
    writeFileSync(`${path}-wal`, bytes);
    const repair = await repaired(path);
    const missing = missingIn(good, await contentsOf(path), repair, `frame ${harmed}`);
    // A frame contains one page, and a newer frame of the same page includes its content.
    assert.ok(missing <= 4, `${missing} entries are gone with one frame`);
    assert.ok(existsSync(`${repair.keptAs}-wal`));
  }
});

test("a missing store is rebuilt from its write-ahead log", async () => {
  await using home = await tempHome();
  const source = join(home.path, "good.db");
  const path = join(home.path, "gone.db");
  await fill(source, (open) => copyFileSync(`${open}-wal`, `${path}-wal`));
  const good = await contentsOf(source);
  const wal = readFileSync(`${path}-wal`);
  const messages: string[] = [];
  await using store = await openOrRepairStore(path, { ...deps, say: (sentence) => messages.push(sentence) }, never);
  assert.match(messages.join("\n"), /entries of 3 sessions were recovered/u);
  for (const [id, entries] of good.entries) assert.deepEqual(await store.entries(id), entries);
  const kept = readdirSync(home.path).find((name) => name.includes(".damaged-") && name.endsWith("-wal"));
  assert.deepEqual(readFileSync(join(home.path, kept ?? "")), wal);
});

test("a store with an overwritten header can be opened again, and losses are reported", async () => {
  await using home = await tempHome();
  const path = join(home.path, "sessions.db");
  await fill(path);
  const good = await contentsOf(path);
  const bytes = readFileSync(path);
  bytes.fill(0, 0, 3 * pageBytes);
  writeFileSync(path, bytes);
  const messages: string[] = [];
  await using store = await openOrRepairStore(path, { ...deps, say: (sentence) => messages.push(sentence) }, never);
  assert.equal(messages.length, 1);
  assert.match(messages[0] ?? "", /The damaged file was kept as .*sessions\.db\.damaged-/u);
  assert.deepEqual(await store.list({ limit: 9 }, me), good.records);
});

test("a repaired store stays writable: ids are unique, and the tree is unchanged", async () => {
  await using home = await tempHome();
  const path = join(home.path, "sessions.db");
  await fill(path);
  const good = await contentsOf(path);
  await repaired(path);
  const again = await contentsOf(path);
  assert.deepEqual(again, good);
  await using store = await openSessionStore(path, { clock });
  const id = good.records[0]?.id ?? asId<SessionId>("");
  const lease = await store.lease(id, "test");
  assert.ok(lease.ok);
  await using _lease = lease.value;
  const [added] = await store.append(id, [messageEntry("more")]);
  const all = [...good.entries.values()].flat().map((entry) => Number(entry.id.slice(1)));
  assert.ok(Number(added?.id.slice(1)) > Math.max(...all));
  assert.equal((await store.spent({})).costUsd, 0.75);
});

test("a damaged store of version 1 is repaired too", async () => {
  await using home = await tempHome();
  const path = join(home.path, "sessions.db");
  writeStoreOfVersion1(path);
  const bytes = readFileSync(path);
  bytes.fill(0, 0, 100);
  writeFileSync(path, bytes);
  await using store = await openOrRepairStore(path, deps, never);
  const anna = { id: "local:anna" };
  const types = (await store.path(asId<SessionId>(sessionOfVersion1))).map(({ type }) => type);
  assert.deepEqual(types, ["prompted", "message", "message", "dispatched", "settled", "usage"]);
  assert.equal((await store.get(asId<SessionId>(sessionOfVersion1), anna))?.preview, "list my files");
});

test("a file that is not a Hermes store is never repaired", async () => {
  await using home = await tempHome();
  const path = join(home.path, "sessions.db");
  for (const content of ["This is a letter. ".repeat(900), "\0".repeat(12_288)]) {
    writeFileSync(path, content);
    await assert.rejects(openOrRepairStore(path, deps, never), (thrown) => {
      assert.ok(thrown instanceof StoreError);
      assert.match(thrown.message, /no session data found/u);
      return true;
    });
    assert.equal(readFileSync(path, "utf8"), content);
    assert.deepEqual(readdirSync(home.path), [basename(path)]);
  }
});

test("erased sessions are not restored, and deleted ones stay deleted", async () => {
  await using home = await tempHome();
  const path = join(home.path, "sessions.db");
  await fill(path);
  const { records } = await contentsOf(path);
  const [removed, hidden, stays] = records.map(({ id }) => id);
  assert.ok(removed && hidden && stays);
  {
    await using store = await openSessionStore(path, { clock });
    assert.deepEqual((await store.erase([removed], me)).sessions, [removed]);
    assert.ok((await store.mark(hidden, { deleted: true }, me)).ok);
  }
  assert.ok(!readFileSync(path).includes("cat-1 "), "nothing of it is left in the file");
  const bytes = readFileSync(path);
  bytes.fill(0, 0, 100);
  writeFileSync(path, bytes);
  await using store = await openOrRepairStore(path, deps, never);
  assert.deepEqual(
    (await store.list({ limit: 9 }, me)).map(({ id }) => id),
    [stays],
  );
  assert.deepEqual(
    (await store.list({ limit: 9, only: "deleted" }, me)).map(({ id }) => id),
    [hidden],
  );
});
