import assert from "node:assert/strict";
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";

import { messageEntry } from "../../test/support/store-scene.ts";
import { tempHome } from "../../test/support/temp-home.ts";
import { systemClock as clock } from "../base/clock.ts";
import { noUsage } from "../contracts/model/model.ts";
import { inspectStore } from "./inspect-store.ts";
import { openSessionStore } from "./session-store.ts";
import { verifyStore } from "./verify-store.ts";

const never = new AbortController().signal;

async function storeIn(path: string): Promise<void> {
  await using store = await openSessionStore(path, { clock });
  const { id } = await store.create({ source: "cli", principal: { id: "me" } });
  const lease = await store.lease(id, "test");
  assert.ok(lease.ok);
  await using _lease = lease.value;
  const usage = { type: "usage", provider: "p", model: "m", task: "chat", usage: noUsage } as const;
  await store.append(id, [messageEntry("one"), messageEntry("two"), usage, messageEntry("three")]);
}

const harms: Readonly<Record<string, readonly [sql: string, problem: RegExp]>> = {
  "a changed word": ["UPDATE entries SET body = replace(body, 'two', 'TWO')", /e3: its checksum is wrong/u],
  "a lost entry": ["DELETE FROM entries WHERE pk = 3", /e4: its parent e3 is missing/u],
  "a wrong head": ["UPDATE sessions SET head = 2", /its head is 5, but the list says 2/u],
  "a wrong count": ["UPDATE sessions SET messages = 9", /its messages is 3, but the list says 9/u],
  "a lost booking": ["DELETE FROM usage", /its cost records are wrong/u],
  "a lost line": ["DELETE FROM sessions", /its session is not listed/u],
  "a lost beginning": ["DELETE FROM entries WHERE pk = 1", /its first entry is not there/u],
  "a lost line of an index": [
    "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'usage_by_time'",
    /SQLite: /u,
  ],
};

test("an intact store has no problems, and verifying changes nothing", async () => {
  await using home = await tempHome();
  const path = join(home.path, "sessions.db");
  await storeIn(path);
  const before = readFileSync(path);
  const { problems, sessions, entries, harmed } = await verifyStore(path, clock, never);
  assert.deepEqual({ problems, sessions, entries, harmed }, { problems: [], sessions: 1, entries: 5, harmed: [] });
  assert.deepEqual(readFileSync(path), before);
  assert.equal((await inspectStore(path))?.verified?.problems, 0);
});

test("interrupted erasing is not damage, and the next start finishes it", async () => {
  await using home = await tempHome();
  const path = join(home.path, "sessions.db");
  await storeIn(path);
  await storeIn(path);
  {
    using database = new DatabaseSync(path);
    // The state after the first steps of eraseStoredSessions.
    database.exec(`UPDATE sessions SET id = 'erased:' || id, principal = '', head = NULL, deleted_at = 0 WHERE pk = 1;
      DELETE FROM entries WHERE pk IN (1, 2, 3)`);
  }
  const { problems, sessions, entries, harmed } = await verifyStore(path, clock, never);
  assert.deepEqual({ problems, sessions, entries, harmed }, { problems: [], sessions: 1, entries: 5, harmed: [] });
  assert.equal((await inspectStore(path))?.fault, undefined);
  {
    const notices: string[] = [];
    await using store = await openSessionStore(path, { clock, say: (sentence) => notices.push(sentence) });
    await store.upkeep.finishErasing(never);
    assert.deepEqual(notices, []);
  }
  using database = new DatabaseSync(path);
  assert.equal(database.prepare("SELECT count(*) AS count FROM entries WHERE session = 1").get()?.["count"], 0);
});

test("reading everything finds every kind of damage", async () => {
  await using home = await tempHome();
  const good = join(home.path, "good.db");
  await storeIn(good);
  for (const [what, [sql, problem]] of Object.entries(harms)) {
    const path = join(home.path, `${what}.db`);
    copyFileSync(good, path);
    {
      using database = new DatabaseSync(path, { enableForeignKeyConstraints: false, defensive: false });
      database.exec(sql);
    }
    const { problems } = await verifyStore(path, clock, never);
    assert.match(problems.join("\n"), problem, what);
    assert.ok(((await inspectStore(path))?.verified?.problems ?? 0) > 0, what);
  }
});

test("reading everything can be interrupted", async () => {
  await using home = await tempHome();
  const path = join(home.path, "sessions.db");
  await storeIn(path);
  await assert.rejects(verifyStore(path, clock, AbortSignal.abort(new Error("enough"))), /enough/u);
});
