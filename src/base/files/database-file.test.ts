import assert from "node:assert/strict";
import { once } from "node:events";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { Worker } from "node:worker_threads";

import { tempHome } from "../../../test/support/temp-home.ts";
import { switchToWal } from "./database-file.ts";

/** Holds the write lock until the main thread waits for it. */
const holder = `
  const { parentPort, workerData } = require("node:worker_threads");
  const { DatabaseSync } = require("node:sqlite");
  const database = new DatabaseSync(workerData);
  database.exec("CREATE TABLE notes (text); BEGIN IMMEDIATE; INSERT INTO notes VALUES ('first')");
  parentPort.postMessage("locked");
  setTimeout(() => { database.exec("COMMIT"); database.close(); }, 300);
`;

test("the switch to a write-ahead log waits for another writer", async () => {
  await using home = await tempHome();
  const path = join(home.path, "notes.db");
  const worker = new Worker(holder, { eval: true, workerData: path });
  await once(worker, "message");
  const database = new DatabaseSync(path, { timeout: 60_000 });
  switchToWal(database);
  assert.deepEqual({ ...database.prepare("PRAGMA journal_mode").get() }, { journal_mode: "wal" });
  assert.equal(database.prepare("SELECT text FROM notes").get()?.["text"], "first");
  database.close();
  await once(worker, "exit");
});
