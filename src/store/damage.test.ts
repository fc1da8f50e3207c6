import assert from "node:assert/strict";
import { copyFileSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { messageEntry, textsOf } from "../../test/support/store-scene.ts";
import { tempHome } from "../../test/support/temp-home.ts";
import { systemClock as clock } from "../base/clock.ts";
import { asId, type SessionId } from "../base/ids.ts";
import { inspectStore } from "./inspect-store.ts";
import { openOrRepairStore } from "./open-or-repair.ts";
import { openSessionStore } from "./session-store.ts";
import { StoreError } from "./store-fault.ts";
import { verifyStore } from "./verify-store.ts";

const pageBytes = 4096;
const names = ["ann", "bob", "cat"];
const me = { id: "me" };
const never = new AbortController().signal;

interface Filled {
  readonly path: string;
  readonly ids: ReadonlyMap<string, SessionId>;
  readonly texts: ReadonlyMap<string, readonly string[]>;
}

/** Creates three sessions, one after the other in the file. `crash` is called while the store is open. */
async function filled(folder: string, crash?: (path: string) => void): Promise<Filled> {
  const path = join(folder, "sessions.db");
  const ids = new Map<string, SessionId>();
  const texts = new Map<string, readonly string[]>();
  await using store = await openSessionStore(path, { clock });
  for (const name of names) {
    const { id } = await store.create({ source: "cli", principal: me });
    const lease = await store.lease(id, "test");
    assert.ok(lease.ok);
    const said40 = Array.from({ length: 40 }, (_, index) => `${name}-${index}-${"x".repeat((index * 37) % 700)}`);
    for (const text of said40) await store.append(id, [messageEntry(text)]);
    await lease.value[Symbol.asyncDispose]();
    ids.set(name, id);
    texts.set(name, said40);
  }
  crash?.(path);
  return { path, ids, texts };
}

/**
 * Opens a damaged copy and checks that entries are unchanged and in order, and that an entry or an error reports the
 * missing ones. Returns the intact sessions.
 */
async function readDamaged(path: string, { ids, texts }: Filled, what: string): Promise<readonly string[]> {
  const whole: string[] = [];
  try {
    await using store = await openSessionStore(path, { clock });
    for (const [name, id] of ids) {
      try {
        const read = textsOf(await store.path(id));
        const expected = texts.get(name) ?? [];
        const places = read.filter((text) => text !== "damaged").map((text) => expected.indexOf(text));
        assert.ok(!places.includes(-1), `${what}: ${name} has something that was never written`);
        assert.deepEqual(
          places,
          places.toSorted((a, b) => a - b),
          `${what}: ${name} is out of order`,
        );
        const isWhole = places.length === expected.length;
        assert.ok(isWhole || read.includes("damaged"), `${what}: ${name} is silently short (${places.length})`);
        if (isWhole) whole.push(name);
      } catch (thrown) {
        assert.ok(thrown instanceof StoreError, `${what}: ${name}: ${String(thrown)}`);
      }
    }
  } catch (thrown) {
    assert.ok(thrown instanceof StoreError, `${what}: ${String(thrown)}`);
  }
  return whole;
}

const harms: Readonly<Record<string, (page: Buffer, index: number) => void>> = {
  "zeros over": (page) => void page.fill(0),
  "noise over": (page, offset) => {
    for (let byte = 0; byte < page.length; byte++) page[byte] = (byte * 31 + offset * 17 + 7) & 0xff;
  },
  "one byte changed in": (page, position) => {
    const byte = (position * 977 + 1500) % page.length;
    page[byte] = (page[byte] ?? 0) ^ 0x10;
  },
  "another place's page over": (page) => void page.copyWithin(0, 2048),
};

for (const [how, harm] of Object.entries(harms)) {
  test(`${how} over any page: the loss is reported and the rest is readable`, async () => {
    await using home = await tempHome();
    const good = await filled(home.path);
    const bytes = readFileSync(good.path);
    let wholeSessions = 0;
    const pages = bytes.length / pageBytes;
    for (let index = 0; index < pages; index++) {
      const path = join(home.path, `page-${index}.db`);
      const harmed = Buffer.from(bytes);
      harm(harmed.subarray(index * pageBytes, (index + 1) * pageBytes), index);
      writeFileSync(path, harmed);
      wholeSessions += (await readDamaged(path, good, `${how} page ${index + 1}`)).length;
    }
    // A page usually contains entries of one or two sessions.
    assert.ok(wholeSessions > pages * 1.2, `${wholeSessions} whole sessions of ${pages} damaged files`);
  });
}

test("a truncated store file is never accepted as complete", async () => {
  await using home = await tempHome();
  const good = await filled(home.path);
  const { length } = readFileSync(good.path);
  for (let kept = 0; kept < length; kept += 3_000) {
    const path = join(home.path, `cut-${kept}.db`);
    copyFileSync(good.path, path);
    truncateSync(path, kept);
    if (kept > 0) await readDamaged(path, good, `cut to ${kept}`);
  }
});

test("a store file of zeros counts as damaged, not as new, and stays unchanged", async () => {
  await using home = await tempHome();
  const path = join(home.path, "sessions.db");
  writeFileSync(path, Buffer.alloc(3 * pageBytes));
  await assert.rejects(openSessionStore(path, { clock }), /overwritten with zeros/u);
  assert.deepEqual(readFileSync(path), Buffer.alloc(3 * pageBytes));
});

test("a missing or empty store next to its write-ahead log is not recreated", async () => {
  await using home = await tempHome();
  const path = join(home.path, "lost.db");
  await filled(home.path, (open) => copyFileSync(`${open}-wal`, `${path}-wal`));
  const wal = readFileSync(`${path}-wal`);
  await assert.rejects(openSessionStore(path, { clock }), /write-ahead log still exists/u);
  writeFileSync(path, "");
  await assert.rejects(openSessionStore(path, { clock }), /write-ahead log still exists/u);
  assert.deepEqual(readFileSync(`${path}-wal`), wal);
});

test("an emptied store is not recreated, and a missing one is recreated with a message", async () => {
  await using home = await tempHome();
  const { path } = await filled(home.path);
  writeFileSync(path, "");
  await assert.rejects(openSessionStore(path, { clock }), /it contained sessions; restore a copy, or delete it/u);
  assert.equal(readFileSync(path).length, 0);
  rmSync(path);
  const messages: string[] = [];
  await using _store = await openSessionStore(path, { clock, say: (sentence) => messages.push(sentence) });
  assert.match(messages.join("\n"), /is missing; created a new, empty store/u);
});

/** Creates a store with a write-ahead log, as after a crash. `harm` damages the log. */
async function crashedStore(folder: string, harm: (wal: Buffer) => Buffer): Promise<Filled> {
  const path = join(folder, "crashed.db");
  const good = await filled(folder, (open) => {
    copyFileSync(open, path);
    writeFileSync(`${path}-wal`, harm(readFileSync(`${open}-wal`)));
  });
  return { ...good, path };
}

async function crashed(folder: string, harm: (wal: Buffer) => Buffer) {
  const { path, ids } = await crashedStore(folder, harm);
  const messages: string[] = [];
  await using store = await openSessionStore(path, { clock, say: (sentence) => messages.push(sentence) });
  const read: number[] = [];
  for (const id of ids.values()) read.push(textsOf(await store.path(id)).length);
  return { told: messages, read };
}

test("writes that a crash left in the write-ahead log are recovered silently", async () => {
  await using home = await tempHome();
  assert.deepEqual(await crashed(home.path, (wal) => wal), { told: [], read: [40, 40, 40] });
});

test("a write that a crash left unfinished is not damage", async () => {
  await using home = await tempHome();
  const { told: messages, read } = await crashed(home.path, (wal) =>
    wal.subarray(0, wal.length - pageBytes - 24 - 1000),
  );
  assert.deepEqual(messages, []);
  assert.deepEqual(read, [40, 40, 39]);
});

const harmed = (wal: Buffer) => wal.fill(7, wal.length - 60 * pageBytes, wal.length - 60 * pageBytes + 100);

test("committed writes after a damaged part of the write-ahead log are not overwritten, even by repeated opens", async () => {
  await using home = await tempHome();
  const { path, ids, texts } = await crashedStore(home.path, harmed);
  const wal = readFileSync(`${path}-wal`);
  for (let opened = 0; opened < 3; opened++) {
    await assert.rejects(
      openSessionStore(path, { clock }),
      /write-ahead log is damaged; at least the last \d+ writes/u,
    );
    const { problems } = await verifyStore(path, clock, never);
    assert.match(problems.join("\n"), /write-ahead log is damaged/u);
    assert.match((await inspectStore(path))?.fault ?? "", /write-ahead log is damaged/u);
    assert.deepEqual(readFileSync(`${path}-wal`), wal);
  }
  // The state after a crash between closing and renaming the file.
  renameSync(`${path}-wal`, `${path}-wal.aside`);
  const reported: string[] = [];
  await using store = await openOrRepairStore(
    path,
    { clock, principal: me.id, say: (sentence) => reported.push(sentence) },
    never,
  );
  assert.match(reported.join("\n"), /were recovered/u);
  for (const [name, id] of ids) {
    const said40 = textsOf(await store.path(id)).filter((text) => text !== "damaged");
    const missing = (texts.get(name) ?? []).filter((text) => !said40.includes(text));
    assert.ok(missing.length <= 4, `${name} misses ${missing.length}`);
  }
  const left = readdirSync(home.path).filter((name) => name.startsWith("crashed.db-wal.") || name.includes("repair"));
  assert.deepEqual(left, []);
});

test("a write-ahead log of random bytes is not overwritten", async () => {
  await using home = await tempHome();
  const { path } = await crashedStore(home.path, (wal) => Buffer.alloc(wal.length, "noise"));
  const wal = readFileSync(`${path}-wal`);
  await assert.rejects(openSessionStore(path, { clock }), /write-ahead log is damaged/u);
  assert.deepEqual(readFileSync(`${path}-wal`), wal);
});

test("leftovers of a killed program after the last finished write are not damage", async () => {
  await using home = await tempHome();
  const [first, second, third] = ["a.db", "b.db", "c.db"].map((name) => join(home.path, name));
  assert.ok(first !== undefined && second !== undefined && third !== undefined);
  const copy = (from: string, to: string) => {
    for (const suffix of ["", "-wal"]) copyFileSync(from + suffix, to + suffix);
  };
  /** Appends entries and returns the content of the write-ahead log. */
  const write = async (path: string, texts: readonly string[], before?: () => void) => {
    await using store = await openSessionStore(path, { clock });
    const [cached] = await store.list({ limit: 1 }, me);
    const { id } = cached ?? (await store.create({ source: "cli", principal: me }));
    const lease = await store.lease(id, "test");
    assert.ok(lease.ok);
    await using _lease = lease.value;
    before?.();
    await store.append(id, texts.map(messageEntry));
    return readFileSync(`${path}-wal`);
  };
  // Writes the same offset twice: first by a program that is killed before it reports success, then by another program.
  const killed = await write(
    first,
    Array.from({ length: 40 }, (_, index) => `${index}${"x".repeat(900)}`),
    () => copy(first, second),
  );
  const other = await write(second, ["small"], () => copy(second, third));
  assert.ok(killed.length > other.length);
  writeFileSync(`${third}-wal`, Buffer.concat([other, killed.subarray(other.length)]));
  const messages: string[] = [];
  await using store = await openSessionStore(third, { clock, say: (sentence) => messages.push(sentence) });
  assert.deepEqual(messages, []);
  const [record] = await store.list({ limit: 1 }, me);
  assert.deepEqual(textsOf(await store.path(record?.id ?? asId<SessionId>(""))), ["small"]);
});

/** A store with two acknowledged writes, and two versions of the third, as left by two killed programs. */
async function overwrittenStore(folder: string): Promise<{ readonly path: string; readonly id: SessionId }> {
  const [base, first, second, path] = ["base.db", "first.db", "second.db", "torn.db"].map((name) => join(folder, name));
  assert.ok(base !== undefined && first !== undefined && second !== undefined && path !== undefined);
  const copy = (from: string, to: string) => {
    for (const suffix of ["", "-wal", ".writes"]) copyFileSync(from + suffix, to + suffix);
  };
  let id: SessionId | undefined;
  {
    await using store = await openSessionStore(base, { clock });
    ({ id } = await store.create({ source: "cli", principal: me }));
    const lease = await store.lease(id, "test");
    assert.ok(lease.ok);
    await using _lease = lease.value;
    await store.append(id, [messageEntry("acknowledged")]);
    for (const to of [first, second, path]) copy(base, to);
  }
  const before = readFileSync(`${path}-wal`).length;
  const logs: Buffer[] = [];
  for (const [copied, fill] of [
    [first, "x"],
    [second, "y"],
  ] as const) {
    await using store = await openSessionStore(copied, { clock });
    const lease = await store.lease(id, "test");
    assert.ok(lease.ok);
    await using _lease = lease.value;
    await store.append(id, [messageEntry(fill.repeat(20_000))]);
    logs.push(readFileSync(`${copied}-wal`));
  }
  const [killed, next] = logs;
  assert.ok(killed && next);
  // The second program overwrote two frames of the first one and a part of the third.
  const cut = before + 2 * (24 + pageBytes) + 24;
  writeFileSync(`${path}-wal`, Buffer.concat([next.subarray(0, cut), killed.subarray(cut)]));
  return { path, id };
}

test("an unacknowledged write that the next one partly overwrote is not damage", async () => {
  await using home = await tempHome();
  const { path, id } = await overwrittenStore(home.path);
  const messages: string[] = [];
  await using store = await openSessionStore(path, { clock, say: (sentence) => messages.push(sentence) });
  assert.deepEqual(messages, []);
  assert.deepEqual(textsOf(await store.path(id)), ["acknowledged"]);
});

test("without a record of acknowledged writes, a log with a partly overwritten write counts as damaged", async () => {
  await using home = await tempHome();
  const { path } = await overwrittenStore(home.path);
  rmSync(`${path}.writes`);
  await assert.rejects(openSessionStore(path, { clock }), /at least the last 1 writes/u);
});

for (const [how, empty] of Object.entries({
  emptied: (wal: string) => writeFileSync(wal, ""),
  deleted: (wal: string) => rmSync(wal),
  "cut down to its header": (wal: string) => truncateSync(wal, 32),
  "cut in the middle": (wal: string) => truncateSync(wal, 32 + 5 * (24 + pageBytes)),
})) {
  test(`a write-ahead log that was ${how} is reported, and a repair continues with the last good state`, async () => {
    await using home = await tempHome();
    const path = join(home.path, "crashed.db");
    const { path: source, ids, texts } = await filled(home.path);
    {
      // Earlier writes are in the store; the following ones are only in the log.
      await using store = await openSessionStore(source, { clock });
      const { id } = await store.create({ source: "cli", principal: me });
      const lease = await store.lease(id, "test");
      assert.ok(lease.ok);
      await using _lease = lease.value;
      for (let index = 0; index < 20; index++) await store.append(id, [messageEntry(`only in the log ${index}`)]);
      for (const suffix of ["", "-wal", ".writes"]) copyFileSync(source + suffix, path + suffix);
    }
    empty(`${path}-wal`);
    for (let opened = 0; opened < 2; opened++)
      await assert.rejects(openSessionStore(path, { clock }), /hermes sessions repair/u);
    assert.match((await inspectStore(path))?.fault ?? "", /write-ahead log is damaged or gone/u);
    const reported: string[] = [];
    const deps = { clock, principal: me.id, say: (sentence: string) => void reported.push(sentence) };
    await using store = await openOrRepairStore(path, deps, never);
    if (how !== "cut in the middle") assert.match(reported.join("\n"), /Lost: the last 21 writes/u);
    for (const [name, id] of ids) assert.deepEqual(textsOf(await store.path(id)), texts.get(name));
    await store.create({ source: "cli", principal: me });
    await store[Symbol.asyncDispose]();
    await using again = await openSessionStore(path, { clock, say: (sentence) => assert.fail(sentence) });
    assert.ok((await again.list({ limit: 9 }, me)).length > ids.size);
  });
}

test("a store whose writes were all in an emptied log does not count as new", async () => {
  await using home = await tempHome();
  const path = join(home.path, "crashed.db");
  await filled(home.path, (open) => {
    for (const suffix of ["", "-wal", ".writes"]) copyFileSync(open + suffix, path + suffix);
  });
  writeFileSync(`${path}-wal`, "");
  await assert.rejects(openSessionStore(path, { clock }), /the last \d+ writes are missing/u);
  assert.match((await inspectStore(path))?.fault ?? "", /write-ahead log is damaged or gone/u);
  await assert.rejects(openOrRepairStore(path, { clock, principal: me.id }, never), /no session data found/u);
});
