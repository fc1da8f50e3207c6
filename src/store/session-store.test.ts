import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";

import { said, storeConformance, textsOf } from "../../test/support/store-conformance.ts";
import { tempHome } from "../../test/support/temp-home.ts";
import { systemClock as clock } from "../base/clock.ts";
import { openSessionStore } from "./session-store.ts";

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
  await store.append(id, texts.map(said));
  return id;
}

test("a damaged entry is named and nothing of it is believed; the others are there", async () => {
  await using home = await tempHome();
  const path = join(home.path, "sessions.db");
  const id = await filled(path, ["one", "two", "three"]);
  const database = new DatabaseSync(path);
  database.exec("UPDATE entries SET body = replace(body, 'two', 'TWO')");
  database.close();
  await using store = await openSessionStore(path, { clock });
  assert.deepEqual(textsOf(await store.path(id)), ["one", "damaged", "three"]);
});

test("the file is for its owner alone", { skip: process.platform === "win32" }, async () => {
  await using home = await tempHome();
  const path = join(home.path, "sessions.db");
  await filled(path, ["one"]);
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test("a file of a newer version is left alone", async () => {
  await using home = await tempHome();
  const path = join(home.path, "sessions.db");
  await filled(path, ["one"]);
  const database = new DatabaseSync(path);
  database.exec("PRAGMA user_version = 99");
  database.close();
  const before = readFileSync(path);
  await assert.rejects(openSessionStore(path, { clock }), /newer version/u);
  assert.deepEqual(readFileSync(path), before);
});

test("a file of somebody else is left alone", async () => {
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
