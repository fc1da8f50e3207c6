import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";

import { messageEntry, textsOf } from "../../test/support/store-scene.ts";
import { writeStoreOfVersion1 } from "../../test/support/store-version-1.ts";
import { writeStoreOfVersion2 } from "../../test/support/store-version-2.ts";
import { tempHome } from "../../test/support/temp-home.ts";
import { systemClock as clock } from "../base/clock.ts";
import { inspectStore } from "./inspect-store.ts";
import { repairStore } from "./salvage/repair-store.ts";
import { migrations } from "./schema.ts";
import { openSessionStore } from "./session-store.ts";
import { verifyStore } from "./verify-store.ts";

/** Files written by each released version, in order. */
const released = [writeStoreOfVersion1, writeStoreOfVersion2];
const anna = { id: "local:anna" };
const never = new AbortController().signal;

function rowsOf(path: string, sql: string): readonly unknown[] {
  using database = new DatabaseSync(path, { readOnly: true });
  return database
    .prepare(sql)
    .all()
    .map((row) => ({ ...row }));
}

test("a test file exists for each released version", () => assert.equal(released.length, migrations.length));

for (const [before, write] of released.entries()) {
  const version = before + 1;

  test(`the first migrations, up to version ${version} are those that created its files`, async () => {
    await using home = await tempHome();
    const [ours, theirs] = ["ours.db", "theirs.db"].map((name) => join(home.path, name));
    assert.ok(ours !== undefined && theirs !== undefined);
    {
      using database = new DatabaseSync(ours);
      for (const step of migrations.slice(0, version)) database.exec(step);
    }
    write(theirs);
    const schema = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name";
    assert.deepEqual(rowsOf(ours, schema), rowsOf(theirs, schema));
  });

  test(`a store of version ${version} is migrated with all its rows, stays writable, and can be repaired`, async () => {
    await using home = await tempHome();
    const path = join(home.path, "sessions.db");
    write(path);
    const columns = rowsOf(path, "SELECT name FROM pragma_table_info('sessions')") as readonly { name: string }[];
    const tables = [
      "SELECT * FROM entries",
      "SELECT * FROM usage",
      `SELECT ${columns.map(({ name }) => name).join(", ")} FROM sessions`,
    ];
    const was = tables.map((sql) => rowsOf(path, sql));
    const open = () => openSessionStore(path, { clock, say: (sentence) => assert.fail(sentence) });
    await (await open())[Symbol.asyncDispose]();
    assert.deepEqual(rowsOf(path, "PRAGMA user_version"), [{ user_version: migrations.length }]);
    assert.deepEqual(
      tables.map((sql) => rowsOf(path, sql)),
      was,
    );
    assert.deepEqual((await verifyStore(path, clock, never)).problems, []);
    const order = async () => {
      await using store = await open();
      return (await store.list({ limit: 9 }, anna)).map(({ id, head, title, messages }) => ({
        id,
        head,
        title,
        messages,
      }));
    };
    const listed = await order();
    {
      await using store = await open();
      const id = listed.at(-1)?.id;
      const lease = id === undefined ? undefined : await store.lease(id, "test");
      assert.ok(id !== undefined && lease?.ok === true);
      await using _lease = lease.value;
      await store.append(id, [messageEntry("and now")]);
      assert.equal(textsOf(await store.path(id)).at(-1), "and now");
    }
    const goneOn = await order();
    assert.equal(goneOn[0]?.id, listed.at(-1)?.id);
    const repaired = await repairStore(path, { clock, principal: anna.id }, never);
    assert.ok(repaired.ok && repaired.value.harmed.length === 0);
    assert.deepEqual(await order(), goneOn);
  });
}

test("a failed migration step leaves the store unchanged, and can be retried", async () => {
  await using home = await tempHome();
  const path = join(home.path, "sessions.db");
  writeStoreOfVersion1(path);
  const change = (sql: string) => {
    using database = new DatabaseSync(path);
    database.exec(sql);
  };
  const all = "SELECT * FROM sqlite_schema";
  change("CREATE TABLE facts (other)");
  const was = rowsOf(path, all);
  await assert.rejects(openSessionStore(path, { clock }), /facts already exists/u);
  assert.deepEqual(rowsOf(path, all), was);
  assert.deepEqual(rowsOf(path, "PRAGMA user_version"), [{ user_version: 1 }]);
  change("DROP TABLE facts");
  await using store = await openSessionStore(path, { clock });
  assert.equal((await store.list({ limit: 9 }, anna)).length, 1);
});

test("a store of a newer version stays unchanged, and the message says what to do", async () => {
  await using home = await tempHome();
  const path = join(home.path, "sessions.db");
  await (await openSessionStore(path, { clock }))[Symbol.asyncDispose]();
  {
    using database = new DatabaseSync(path);
    database.exec(`CREATE TABLE of_tomorrow (a); PRAGMA user_version = ${migrations.length + 1}`);
  }
  const bytes = readFileSync(path);
  const newer = new RegExp(
    `newer Hermes wrote this file \\(file version ${migrations.length + 1}.* update this Hermes, or set HERMES_HOME`,
    "u",
  );
  await assert.rejects(openSessionStore(path, { clock }), newer);
  assert.match((await inspectStore(path))?.fault ?? "", newer);
  await assert.rejects(verifyStore(path, clock, never), newer);
  const repaired = await repairStore(path, { clock, principal: anna.id }, never);
  assert.match(repaired.ok ? "" : repaired.error.message, newer);
  assert.deepEqual(readFileSync(path), bytes);
});
