// covers: src/store
import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";

import { systemClock as clock } from "../../src/base/clock.ts";
import type { SessionId } from "../../src/base/ids.ts";
import type { SessionStore } from "../../src/contracts/session/session.ts";
import { repairStore } from "../../src/store/salvage/repair-store.ts";
import { openSessionStore } from "../../src/store/session-store.ts";
import { StoreError } from "../../src/store/store-fault.ts";
import { verifyStore } from "../../src/store/verify-store.ts";
import { type Child, inChild, runAll } from "../support/child-process.ts";
import { checkAcknowledged, killWriters, storeSource, writer } from "../support/killed-writers.ts";
import { cannotMount, smallDisk } from "../support/small-disk.ts";
import { messageEntry, textsOf } from "../support/store-scene.ts";
import { tempHome } from "../support/temp-home.ts";

const me = { id: "me" };

async function append(store: SessionStore, text: string, id?: SessionId): Promise<SessionId> {
  const to = id ?? (await store.create({ source: "test", principal: me })).id;
  const lease = await store.lease(to, "test");
  assert.ok(lease.ok);
  await using _lease = lease.value;
  await store.append(to, [messageEntry(text)]);
  return to;
}

test("no acknowledged write is lost when writers are killed, 25 times", async () => {
  await using home = await tempHome();
  const path = join(home.path, "sessions.db");
  let seen = 0;
  for (let round = 0; round < 5; round++) {
    seen += await killWriters(path, 5, 200);
    await using store = await openSessionStore(path, { clock });
    const id = await append(store, "after");
    assert.deepEqual(textsOf(await store.path(id)), ["after"]);
  }
  assert.ok(seen > 100, `only ${seen} appends were acknowledged`);
  assert.deepEqual((await verifyStore(path, clock, new AbortController().signal)).problems, []);
});

test("programs that start at the same moment create one store, and four write 500 times each without loss", async () => {
  await using home = await tempHome();
  const path = join(home.path, "sessions.db");
  const children = Array.from({ length: 4 }, () => inChild(storeSource, writer, [path, "125"]));
  await runAll(children, async () => {
    const ended = Promise.all(children.map((child) => child.ended));
    // Writes of other programs are not damage.
    while (children.some(({ process: { exitCode, signalCode } }) => exitCode === null && signalCode === null)) {
      await using _store = await openSessionStore(path, { clock, say: (sentence) => assert.fail(sentence) });
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    for (const { code } of await ended) assert.equal(code, 0);
  });
  await using store = await openSessionStore(path, { clock });
  for (const { ended } of children) assert.equal(await checkAcknowledged(store, (await ended).output), 500);
});

/** Lists and reads forever, and reports the longest read. */
const reader = `
  import { systemClock as clock } from "./base/clock.ts";
  import { openSessionStore } from "./store/session-store.ts";
  const [path] = process.argv.slice(1);
  const store = await openSessionStore(path, { clock, say: (sentence) => { throw new Error(sentence); } });
  const seen = new Map();
  let isEnding = false;
  process.on("SIGTERM", () => (isEnding = true));
  while (!isEnding) {
    for (const { id } of await store.list({ limit: 20, source: "test" }, { id: "me" })) {
      const { length } = await store.path(id);
      if (length < (seen.get(id) ?? 0)) throw new Error("entries are gone");
      seen.set(id, length);
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await store[Symbol.asyncDispose]();
  console.log([...seen.values()].reduce((sum, length) => sum + length, 0));`;

test("four programs write and two read at the same time: nothing is lost, fails or hangs", async () => {
  await using home = await tempHome();
  const path = join(home.path, "sessions.db");
  await (await openSessionStore(path, { clock }))[Symbol.asyncDispose]();
  const writers = Array.from({ length: 4 }, (_, index) => inChild(storeSource, writer, [path, "60", String(index)]));
  const readers = [1, 2].map(() => inChild(storeSource, reader, [path]));
  await runAll([...writers, ...readers], async () => {
    for (const { code } of await Promise.all(writers.map(({ ended }) => ended))) assert.equal(code, 0);
    for (const { process: child } of readers) child.kill("SIGTERM");
    for (const { ended } of readers) {
      const { code, output } = await ended;
      assert.equal(code, 0);
      assert.ok(Number(output) > 0);
    }
  });
  await using store = await openSessionStore(path, { clock });
  for (const { ended } of writers) assert.equal(await checkAcknowledged(store, (await ended).output), 240);
});

const holder = `
  import { writeSync } from "node:fs";
  import { systemClock as clock } from "./base/clock.ts";
  import { openSessionStore } from "./store/session-store.ts";
  const [path, id, tries] = process.argv.slice(1);
  const store = await openSessionStore(path, { clock });
  const messageEntry = (text) => ({ type: "message", message: { role: "user", content: [{ type: "text", text }] } });
  let taken = 0;
  while (taken < Number(tries)) {
    const lease = await store.lease(id, "fighter");
    if (!lease.ok) { await new Promise((resolve) => setTimeout(resolve, 1)); continue; }
    taken++;
    writeSync(1, "taken\\n");
    if (tries === "1") await new Promise(() => setInterval(() => {}, 1000));
    await store.append(id, [messageEntry("from " + process.pid)]);
    await store.append(id, [messageEntry("to " + process.pid)]);
    await lease.value[Symbol.asyncDispose]();
  }
  await store[Symbol.asyncDispose]();`;

test("two programs that compete for a session write one after the other", async () => {
  await using home = await tempHome();
  const path = join(home.path, "sessions.db");
  await using store = await openSessionStore(path, { clock });
  const { id } = await store.create({ source: "test", principal: me });
  const children = [1, 2].map(() => inChild(storeSource, holder, [path, id, "30"]));
  await runAll(children, async () => {
    for (const { code } of await Promise.all(children.map((child) => child.ended))) assert.equal(code, 0);
  });
  const texts = textsOf(await store.path(id));
  assert.equal(texts.length, 120);
  for (let offset = 0; offset < texts.length; offset += 2)
    assert.equal(texts[offset + 1], texts[offset]?.replace("from", "to"));
});

test("the error names the holder of a session; when it is killed the session is free at once", async () => {
  await using home = await tempHome();
  const path = join(home.path, "sessions.db");
  await using store = await openSessionStore(path, { clock });
  const { id } = await store.create({ source: "test", principal: me });
  const child = inChild(storeSource, holder, [path, id, "1"]);
  await runAll([child], async () => {
    await once(child.process.stdout ?? child.process, "data");
    const refused = await store.lease(id, "chat");
    assert.match(refused.ok ? "" : refused.error.heldBy, new RegExp(`fighter \\(process ${child.process.pid},`, "u"));
  });
  const lease = await store.lease(id, "chat");
  assert.ok(lease.ok);
  await lease.value[Symbol.asyncDispose]();
});

test("a write waits for another program's write, and keeps the process running", async () => {
  await using home = await tempHome();
  const path = join(home.path, "sessions.db");
  await using store = await openSessionStore(path, { clock });
  using other = new DatabaseSync(path);
  other.exec("BEGIN IMMEDIATE");
  const child: Child = inChild(storeSource, writer, [path, "1"]);
  await runAll([child], async () => {
    setTimeout(() => other.exec("COMMIT"), 700);
    const { code, output } = await child.ended;
    assert.equal(code, 0);
    assert.equal(await checkAcknowledged(store, output), 4);
  });
});

const skip = cannotMount();

test(
  "a full disk refuses new entries, keeps old ones, and accepts more when space is free again",
  { skip },
  async () => {
    await using home = await tempHome();
    using disk = smallDisk(join(home.path, "disk"), 1_024);
    const path = join(disk.path, "sessions.db");
    const room = join(disk.path, "room");
    writeFileSync(room, Buffer.alloc(300_000));
    let stored = 0;
    const { id } = await (async () => {
      await using store = await openSessionStore(path, { clock });
      const record = await store.create({ source: "test", principal: me });
      const lease = await store.lease(record.id, "test");
      assert.ok(lease.ok);
      await using _lease = lease.value;
      const fill = async () => {
        for (; stored < 1_000; stored++)
          await store.append(record.id, [messageEntry(`${stored} ${"x".repeat(3_000)}`)]);
      };
      await assert.rejects(fill, (thrown) => {
        assert.ok(thrown instanceof StoreError);
        assert.equal(thrown.kind, "full");
        assert.match(thrown.message, /disk is full; free some space/u);
        return true;
      });
      assert.ok(stored > 10);
      assert.equal((await store.path(record.id)).length, stored);
      // Many concurrent writes fail like a single one.
      const many = await Promise.allSettled(
        Array.from({ length: 20 }, () => store.append(record.id, [messageEntry("y".repeat(90_000))])),
      );
      assert.ok(many.every((each) => each.status === "rejected" && each.reason instanceof StoreError));
      rmSync(room);
      await store.append(record.id, [messageEntry("after")]);
      assert.equal(textsOf(await store.path(record.id)).at(-1), "after");
      return record;
    })();
    await using again = await openSessionStore(path, { clock });
    assert.equal((await again.path(id)).length, stored + 1);
  },
);

test("a full disk refuses a new store and a new session with a message", { skip }, async () => {
  await using home = await tempHome();
  using disk = smallDisk(join(home.path, "disk"), 256);
  const path = join(disk.path, "sessions.db");
  writeFileSync(join(disk.path, "room"), Buffer.alloc(256 * 1024 - 4096));
  await assert.rejects(openSessionStore(path, { clock }), (thrown) => thrown instanceof StoreError);
  rmSync(join(disk.path, "room"));
  await using store = await openSessionStore(path, { clock });
  await append(store, "works");
});

test("a repair without space for the new file says so and changes nothing", { skip }, async () => {
  await using home = await tempHome();
  using disk = smallDisk(join(home.path, "disk"), 1_024);
  const path = join(disk.path, "sessions.db");
  {
    await using store = await openSessionStore(path, { clock });
    await append(store, "x".repeat(300_000));
  }
  writeFileSync(join(disk.path, "room"), Buffer.alloc(300_000));
  const before = readFileSync(path);
  const refused = await repairStore(path, { clock, principal: "me" }, new AbortController().signal);
  assert.match(refused.ok ? "" : refused.error.message, /needs 1 MB of free space|disk is full/u);
  assert.deepEqual(readFileSync(path), before);
  const left = ["room", "session-locks", "sessions.db", "sessions.db.users", "sessions.db.writes"];
  assert.deepEqual(readdirSync(disk.path).toSorted(), left);
});

test("a read-only disk is reported, and the store is unchanged", { skip }, async () => {
  await using home = await tempHome();
  using disk = smallDisk(join(home.path, "disk"), 1_024);
  const path = join(disk.path, "sessions.db");
  {
    await using store = await openSessionStore(path, { clock });
    await append(store, "one");
  }
  assert.equal(disk.makeReadOnly(), "");
  const isTold = (thrown: unknown) => {
    assert.ok(thrown instanceof StoreError);
    assert.match(thrown.message, /cannot be (written to|opened)/u);
    return true;
  };
  {
    // The store can be read, and nothing is written.
    await using store = await openSessionStore(path, { clock });
    assert.equal((await store.list({ limit: 5 }, me)).length, 1);
    await assert.rejects(append(store, "two"), isTold);
  }
  // This is not damage.
  assert.deepEqual((await verifyStore(path, clock, new AbortController().signal)).problems, []);
});
