import assert from "node:assert/strict";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";

import { systemClock as clock } from "../../src/base/clock.ts";
import { asId, type SessionId } from "../../src/base/ids.ts";
import type { SessionStore } from "../../src/contracts/session.ts";
import { openSessionStore } from "../../src/store/session-store.ts";
import { StoreError } from "../../src/store/store-fault.ts";
import { type Child, inChild, runAll } from "../support/child-process.ts";
import { cannotMount, smallDisk } from "../support/small-disk.ts";
import { said, textsOf } from "../support/store-conformance.ts";
import { tempHome } from "../support/temp-home.ts";

const source = join(import.meta.dirname, "..", "..", "src");
const me = { id: "me" };

/** Two sessions with two callers each; says what is acknowledged, in the moment it is: `SESSION CALLER NUMBER`. */
const writer = `
  import { writeSync } from "node:fs";
  import { systemClock as clock } from "./base/clock.ts";
  import { openSessionStore } from "./store/session-store.ts";
  const [path, most] = process.argv.slice(1);
  const store = await openSessionStore(path, { clock });
  const said = (text) => ({ type: "message", message: { role: "user", content: [{ type: "text", text }] } });
  async function append(id, caller) {
    for (let at = 0; at < Number(most); at++) {
      await store.append(id, [said(caller + " " + at), said("x".repeat((at * 131) % 5000))]);
      writeSync(1, id + " " + caller + " " + at + "\\n");
    }
  }
  const sessions = await Promise.all([1, 2].map(() => store.create({ source: "test", principal: { id: "me" } })));
  for (const { id } of sessions) if (!(await store.lease(id, "writer")).ok) throw new Error("held");
  await Promise.all(sessions.flatMap(({ id }) => ["a", "b"].map((caller) => append(id, caller))));
  await store[Symbol.asyncDispose]();`;

/** Every acknowledged append is there, in its order; nothing is damaged; what is there is a beginning of what was asked. */
async function checkAcknowledged(store: SessionStore, output: string): Promise<number> {
  const acknowledged = new Map<SessionId, Map<string, number>>();
  const lines = output.split("\n").slice(0, -1);
  for (const line of lines) {
    const [id = "", caller = "", at] = line.split(" ");
    const session = acknowledged.get(asId<SessionId>(id)) ?? new Map<string, number>();
    acknowledged.set(asId<SessionId>(id), session.set(caller, Number(at)));
  }
  for (const [id, callers] of acknowledged) {
    const texts = textsOf(await store.path(id));
    assert.ok(!texts.includes("damaged"));
    for (const [caller, last] of callers) {
      const there = texts.filter((text) => text.startsWith(`${caller} `));
      assert.ok(there.length > last, `${caller} ${last} was acknowledged and is gone`);
      assert.deepEqual(
        there,
        there.map((_, at) => `${caller} ${at}`),
      );
    }
  }
  return lines.length;
}

async function append(store: SessionStore, text: string, id?: SessionId): Promise<SessionId> {
  const to = id ?? (await store.create({ source: "test", principal: me })).id;
  const lease = await store.lease(to, "test");
  assert.ok(lease.ok);
  await using _lease = lease.value;
  await store.append(to, [said(text)]);
  return to;
}

function integrity(path: string): unknown {
  using database = new DatabaseSync(path);
  return database.prepare("PRAGMA integrity_check").get()?.["integrity_check"];
}

test("nothing that was acknowledged is lost when writers are killed, 25 times", async () => {
  await using home = await tempHome();
  const path = join(home.path, "sessions.db");
  let seen = 0;
  for (let round = 0; round < 5; round++) {
    const children = Array.from({ length: 5 }, () => inChild(source, writer, [path, "1000000"]));
    await runAll(children, async () => {
      await Promise.all(
        children.map(async ({ process: child }) => {
          await once(child.stdout ?? child, "data");
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 300));
          child.kill("SIGKILL");
        }),
      );
    });
    const told: string[] = [];
    await using store = await openSessionStore(path, { clock, say: (sentence) => told.push(sentence) });
    for (const { ended } of children) seen += await checkAcknowledged(store, (await ended).output);
    const id = await append(store, "after");
    assert.deepEqual(textsOf(await store.path(id)), ["after"]);
    assert.deepEqual(told, []);
  }
  assert.ok(seen > 100, `only ${seen} appends were acknowledged`);
  assert.equal(integrity(path), "ok");
});

test("programs that begin at the same moment make one store, and four write 500 times each without loss", async () => {
  await using home = await tempHome();
  const path = join(home.path, "sessions.db");
  const children = Array.from({ length: 4 }, () => inChild(source, writer, [path, "125"]));
  await runAll(children, async () => {
    const ended = Promise.all(children.map((child) => child.ended));
    // Writes of others are no damage.
    while (children.some(({ process: { exitCode, signalCode } }) => exitCode === null && signalCode === null)) {
      await using _store = await openSessionStore(path, { clock, say: (sentence) => assert.fail(sentence) });
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    for (const { code } of await ended) assert.equal(code, 0);
  });
  await using store = await openSessionStore(path, { clock });
  for (const { ended } of children) assert.equal(await checkAcknowledged(store, (await ended).output), 500);
});

const holder = `
  import { writeSync } from "node:fs";
  import { systemClock as clock } from "./base/clock.ts";
  import { openSessionStore } from "./store/session-store.ts";
  const [path, id, tries] = process.argv.slice(1);
  const store = await openSessionStore(path, { clock });
  const said = (text) => ({ type: "message", message: { role: "user", content: [{ type: "text", text }] } });
  let taken = 0;
  while (taken < Number(tries)) {
    const lease = await store.lease(id, "fighter");
    if (!lease.ok) { await new Promise((resolve) => setTimeout(resolve, 1)); continue; }
    taken++;
    writeSync(1, "taken\\n");
    if (tries === "1") await new Promise(() => setInterval(() => {}, 1000));
    await store.append(id, [said("from " + process.pid)]);
    await store.append(id, [said("to " + process.pid)]);
    await lease.value[Symbol.asyncDispose]();
  }
  await store[Symbol.asyncDispose]();`;

test("two programs that fight for a session write one after the other", async () => {
  await using home = await tempHome();
  const path = join(home.path, "sessions.db");
  await using store = await openSessionStore(path, { clock });
  const { id } = await store.create({ source: "test", principal: me });
  const children = [1, 2].map(() => inChild(source, holder, [path, id, "30"]));
  await runAll(children, async () => {
    for (const { code } of await Promise.all(children.map((child) => child.ended))) assert.equal(code, 0);
  });
  const texts = textsOf(await store.path(id));
  assert.equal(texts.length, 120);
  for (let at = 0; at < texts.length; at += 2) assert.equal(texts[at + 1], texts[at]?.replace("from", "to"));
});

test("a holder is named; when it is killed the session is free at once", async () => {
  await using home = await tempHome();
  const path = join(home.path, "sessions.db");
  await using store = await openSessionStore(path, { clock });
  const { id } = await store.create({ source: "test", principal: me });
  const child = inChild(source, holder, [path, id, "1"]);
  await runAll([child], async () => {
    await once(child.process.stdout ?? child.process, "data");
    const refused = await store.lease(id, "chat");
    assert.match(refused.ok ? "" : refused.error.heldBy, new RegExp(`fighter \\(process ${child.process.pid},`, "u"));
  });
  const taken = await store.lease(id, "chat");
  assert.ok(taken.ok);
  await taken.value[Symbol.asyncDispose]();
});

test("a write waits for another program's, and the program does not end meanwhile", async () => {
  await using home = await tempHome();
  const path = join(home.path, "sessions.db");
  await using store = await openSessionStore(path, { clock });
  using other = new DatabaseSync(path);
  other.exec("BEGIN IMMEDIATE");
  const child: Child = inChild(source, writer, [path, "1"]);
  await runAll([child], async () => {
    setTimeout(() => other.exec("COMMIT"), 700);
    const { code, output } = await child.ended;
    assert.equal(code, 0);
    assert.equal(await checkAcknowledged(store, output), 4);
  });
});

const skip = cannotMount();

test("a full disk refuses what is new, keeps what is old, and takes more when there is room", { skip }, async () => {
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
      for (; stored < 1_000; stored++) await store.append(record.id, [said(`${stored} ${"x".repeat(3_000)}`)]);
    };
    await assert.rejects(fill, (thrown) => {
      assert.ok(thrown instanceof StoreError);
      assert.equal(thrown.kind, "full");
      assert.match(thrown.message, /disk is full; free some space/u);
      return true;
    });
    assert.ok(stored > 10);
    assert.equal((await store.path(record.id)).length, stored);
    // Many at once fail as one does.
    const many = await Promise.allSettled(
      Array.from({ length: 20 }, () => store.append(record.id, [said("y".repeat(90_000))])),
    );
    assert.ok(many.every((each) => each.status === "rejected" && each.reason instanceof StoreError));
    rmSync(room);
    await store.append(record.id, [said("after")]);
    assert.equal(textsOf(await store.path(record.id)).at(-1), "after");
    return record;
  })();
  await using again = await openSessionStore(path, { clock });
  assert.equal((await again.path(id)).length, stored + 1);
});

test("a full disk refuses a new store and a new session with words", { skip }, async () => {
  await using home = await tempHome();
  using disk = smallDisk(join(home.path, "disk"), 256);
  const path = join(disk.path, "sessions.db");
  writeFileSync(join(disk.path, "room"), Buffer.alloc(256 * 1024 - 4096));
  await assert.rejects(openSessionStore(path, { clock }), (thrown) => thrown instanceof StoreError);
  rmSync(join(disk.path, "room"));
  await using store = await openSessionStore(path, { clock });
  await append(store, "works");
});

test("a read-only disk is told as one, and the store is unchanged", { skip }, async () => {
  await using home = await tempHome();
  using disk = smallDisk(join(home.path, "disk"), 1_024);
  const path = join(disk.path, "sessions.db");
  {
    await using store = await openSessionStore(path, { clock });
    await append(store, "one");
  }
  assert.equal(disk.makeReadOnly(), "");
  await assert.rejects(openSessionStore(path, { clock }), (thrown) => {
    assert.ok(thrown instanceof StoreError);
    assert.match(thrown.message, /cannot be (written to|opened)/u);
    return true;
  });
});
