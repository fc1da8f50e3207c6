import assert from "node:assert/strict";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";

import { storeConformance } from "../../test/support/store-conformance.ts";
import { messageEntry, textsOf } from "../../test/support/store-scene.ts";
import { tempHome } from "../../test/support/temp-home.ts";
import { systemClock as clock } from "../base/clock.ts";
import { asId, type EntryId, type SessionId } from "../base/ids.ts";
import { openSessionStore } from "./session-store.ts";
import { StoreError } from "./store-fault.ts";

storeConformance("SQLite", async () => {
  const home = await tempHome();
  const path = join(home.path, "sessions.db");
  const again = () => openSessionStore(path, { clock });
  const store = await again();
  return {
    store,
    again,
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
});

async function filled(path: string, texts: readonly string[]) {
  await using store = await openSessionStore(path, { clock });
  const { id } = await store.create({ source: "cli", principal: { id: "me" } });
  const lease = await store.lease(id, "chat");
  assert.ok(lease.ok);
  await using _lease = lease.value;
  await store.append(id, texts.map(messageEntry));
  return id;
}

test("a damaged entry is reported and ignored; the others are readable", async () => {
  await using home = await tempHome();
  const path = join(home.path, "sessions.db");
  const id = await filled(path, ["one", "two", "three"]);
  const database = new DatabaseSync(path);
  database.exec("UPDATE entries SET body = replace(body, 'two', 'TWO')");
  database.close();
  await using store = await openSessionStore(path, { clock });
  assert.deepEqual(textsOf(await store.path(id)), ["one", "damaged", "three"]);
});

test("only the owner can access the session store file", { skip: process.platform === "win32" }, async () => {
  await using home = await tempHome();
  const path = join(home.path, "sessions.db");
  await filled(path, ["one"]);
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test("a session store file of another user is not changed", async () => {
  await using home = await tempHome();
  const path = join(home.path, "sessions.db");
  writeFileSync(path, "This is not a database, and long enough to be looked at as one. ".repeat(20));
  await assert.rejects(openSessionStore(path, { clock }), /not a session store/u);
  const other = join(home.path, "other.db");
  const database = new DatabaseSync(other);
  database.exec("CREATE TABLE mine (a)");
  database.close();
  await assert.rejects(openSessionStore(other, { clock }), /not a session store/u);
});

test("the space of deleted sessions is returned to the disk in small steps", async () => {
  await using home = await tempHome();
  const path = join(home.path, "sessions.db");
  await filled(path, ["one"]);
  using database = new DatabaseSync(path);
  assert.equal(database.prepare("PRAGMA auto_vacuum").get()?.["auto_vacuum"], 2);
});

test("setting the clock back does not change the order of sessions", async () => {
  await using home = await tempHome();
  let now = 5_000_000_000;
  const backwards = { ...clock, now: () => (now -= 60_000) };
  await using store = await openSessionStore(join(home.path, "sessions.db"), { clock: backwards });
  const me = { id: "me" };
  for (const text of ["first", "second"]) {
    const { id } = await store.create({ source: "cli", principal: me });
    const lease = await store.lease(id, "test");
    assert.ok(lease.ok);
    await using _lease = lease.value;
    await store.append(id, [messageEntry(`${text} a`)]);
    await store.append(id, [messageEntry(`${text} b`)]);
    assert.deepEqual(textsOf(await store.path(id)), [`${text} a`, `${text} b`]);
  }
  const previews = (await store.list({ limit: 9 }, me)).map(({ preview }) => preview);
  assert.deepEqual(previews, ["second a", "first a"]);
  const latest = await store.find("latest", me);
  assert.equal(latest.ok && latest.value.preview, "second a");
});

test("a session head that is missing in the sessions table is restored from the entries", async () => {
  await using home = await tempHome();
  const path = join(home.path, "sessions.db");
  const id = await filled(path, ["one", "two"]);
  for (const damage of ["head = NULL", "head = 1", "head = 77"]) {
    {
      using database = new DatabaseSync(path);
      database.exec(`UPDATE sessions SET ${damage}`);
    }
    await using store = await openSessionStore(path, { clock });
    const texts = textsOf(await store.path(id));
    assert.deepEqual(
      texts.filter((text) => text !== "damaged"),
      ["one", "two"],
      damage,
    );
  }
});

test("an entry of many megabytes is stored and read", async () => {
  await using home = await tempHome();
  const path = join(home.path, "sessions.db");
  const long = "Größe ".repeat(500_000);
  const id = await filled(path, [long, "short"]);
  await using store = await openSessionStore(path, { clock });
  const [first, second] = textsOf(await store.path(id));
  assert.ok(first === long && second === "short");
});

test("every failure of the session store has a message", async () => {
  await using home = await tempHome();
  const path = join(home.path, "sessions.db");
  const store = await openSessionStore(path, { clock });
  const me = { id: "me" };
  const { id } = await store.create({ source: "cli", principal: me, id: asId<SessionId>("mine") });
  const other = await store.create({ source: "cli", principal: me });
  const lease = await store.lease(id, "test");
  const otherLease = await store.lease(other.id, "test");
  assert.ok(lease.ok && otherLease.ok);
  const [foreign] = await store.append(other.id, [messageEntry("theirs")]);
  const refuses = async (request: () => Promise<unknown>, words: RegExp) =>
    assert.rejects(request, (thrown) => {
      assert.ok(thrown instanceof StoreError, String(thrown));
      assert.match(thrown.message, words);
      return true;
    });
  await refuses(() => store.create({ source: "cli", principal: me, id }), /is a session mine already/u);
  await refuses(() => store.create({ source: "cli", principal: me, id: asId<SessionId>("../x") }), /cannot be the id/u);
  await refuses(() => store.create({ source: "cli", principal: me, parent: asId<SessionId>("no") }), /no session no/u);
  await refuses(() => store.lease(asId<SessionId>("no"), "test"), /no session no/u);
  for (const to of [foreign?.id, asId<EntryId>("e999"), asId<EntryId>("nonsense")]) {
    await refuses(
      () => store.append(id, [messageEntry("x"), { type: "head_moved", ...(to && { to }), why: "undo" }]),
      /not an entry of this session/u,
    );
  }
  assert.deepEqual(await store.path(id), []);
  await lease.value[Symbol.asyncDispose]();
  await lease.value[Symbol.asyncDispose]();
  await otherLease.value[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  await refuses(() => store.create({ source: "cli", principal: me }), /is closed/u);
  await refuses(() => store.list({ limit: 1 }, me), /is closed/u);
});

test("the lock file of a session is removed with it", async () => {
  await using home = await tempHome();
  const path = join(home.path, "sessions.db");
  const id = await filled(path, ["one"]);
  const locks = join(home.path, "session-locks");
  assert.deepEqual(readdirSync(locks), [`${id}.lock`]);
  await using store = await openSessionStore(path, { clock });
  await store.erase([id], { id: "me" });
  assert.deepEqual(readdirSync(locks), []);
});

test("an interrupted erase leaves nothing visible and is finished later", async () => {
  await using home = await tempHome();
  const path = join(home.path, "sessions.db");
  const id = await filled(
    path,
    Array.from({ length: 400 }, (_, index) => `${index}`),
  );
  await using store = await openSessionStore(path, { clock });
  const stop = new AbortController();
  const erasing = store.erase([id], { id: "me" }, stop.signal);
  stop.abort();
  assert.deepEqual((await erasing).sessions, [id]);
  using database = new DatabaseSync(path);
  const left = () => Number(database.prepare("SELECT count(*) AS count FROM entries").get()?.["count"]);
  assert.ok(left() > 0);
  assert.deepEqual(await store.entriesAfter(0, 9), []);
  assert.equal(await store.get(id, { id: "me" }), undefined);
  await store.upkeep.finishErasing(new AbortController().signal);
  assert.equal(left(), 0);
});

test("a failed write to the session store does not affect other writes", async () => {
  await using home = await tempHome();
  await using store = await openSessionStore(join(home.path, "sessions.db"), { clock });
  const { id } = await store.create({ source: "cli", principal: { id: "me" } });
  const lease = await store.lease(id, "test");
  assert.ok(lease.ok);
  await using _lease = lease.value;
  const done = await Promise.allSettled([
    store.append(id, [messageEntry("one")]),
    store.append(id, [messageEntry("bad"), { type: "head_moved", to: asId<EntryId>("e999"), why: "undo" }]),
    store.append(id, [messageEntry("two")]),
  ]);
  assert.deepEqual(
    done.map(({ status }) => status),
    ["fulfilled", "rejected", "fulfilled"],
  );
  assert.deepEqual(textsOf(await store.path(id)), ["one", "two"]);
});

test("writes requested during a lease are stored before another process gets the lease", async () => {
  await using home = await tempHome();
  const path = join(home.path, "sessions.db");
  await using store = await openSessionStore(path, { clock });
  await using other = await openSessionStore(path, { clock });
  const { id } = await store.create({ source: "cli", principal: { id: "me" } });
  const lease = await store.lease(id, "first");
  assert.ok(lease.ok);
  const writing = store.append(id, [messageEntry("mine")]);
  await lease.value[Symbol.asyncDispose]();
  const used = await other.lease(id, "second");
  assert.ok(used.ok);
  await using _taken = used.value;
  await other.append(id, [messageEntry("theirs")]);
  await writing;
  assert.deepEqual(textsOf(await store.path(id)), ["mine", "theirs"]);
});
