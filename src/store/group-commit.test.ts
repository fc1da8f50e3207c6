import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";

import { systemClock } from "../base/clock.ts";
import { createGroupCommit } from "./group-commit.ts";

function counted() {
  const database = new DatabaseSync(":memory:");
  database.exec("CREATE TABLE said (text TEXT)");
  const transactions: string[][] = [];
  const commit = createGroupCommit(database, "said.db", systemClock);
  let current: string[] | undefined;
  const say = (text: string, joins?: boolean) =>
    commit.write(() => {
      database.prepare("INSERT INTO said VALUES (?)").run(text);
      if (!current) transactions.push((current = []));
      current.push(text);
      // The writes of one transaction run without interruption.
      queueMicrotask(() => (current = undefined));
    }, joins);
  return { commit, say, transactions, [Symbol.dispose]: () => database.close() };
}

test("a deferred write reaches the disk with the next one, in order", async () => {
  using store = counted();
  const first = store.say("answer", true);
  await new Promise((resolve) => setImmediate(resolve));
  await store.say("call begun");
  await first;
  assert.deepEqual(store.transactions, [["answer", "call begun"]]);
});

test("a deferred write reaches the disk even if no other write follows", async () => {
  using store = counted();
  await store.say("answer", true);
  assert.deepEqual(store.transactions, [["answer"]]);
});

test("a flush includes every deferred write", async () => {
  using store = counted();
  void store.say("answer", true);
  await store.commit.idle();
  assert.deepEqual(store.transactions, [["answer"]]);
});
