import assert from "node:assert/strict";
import { test } from "node:test";

import { createFileReads } from "./file-reads.ts";

const page = { lines: 2000, lineChars: 2000 };

test("what was recorded last of a path is what was seen, until it is forgotten", () => {
  const reads = createFileReads(page);
  reads.record("/a", { hash: "1", at: 1, text: "one" });
  reads.record("/a", { hash: "2", at: 2 });
  assert.deepEqual(reads.seen("/a"), { hash: "2", at: 2 });
  reads.forget("/a");
  reads.forget("/never seen");
  assert.equal(reads.seen("/a"), undefined);
});

test("an answer is a repeat the second time in a row, and not the third", () => {
  const reads = createFileReads(page);
  assert.deepEqual(
    ["x", "x", "x", "x", "y", "x"].map((shown) => reads.repeats(shown)),
    [false, true, false, true, false, false],
  );
});

test("memory is bounded: the oldest texts go first, then the oldest files", () => {
  const reads = createFileReads(page, { files: 3, textChars: 40 });
  for (const at of [1, 2, 3, 4]) reads.record(`/${at}`, { hash: `${at}`, at, text: "x".repeat(10) });
  reads.record("/5", { hash: "5", at: 5, text: "x".repeat(11) });
  assert.equal(reads.seen("/2"), undefined);
  assert.deepEqual(reads.seen("/3"), { hash: "3", at: 3, text: "x".repeat(10) });
  assert.deepEqual(reads.seen("/5"), { hash: "5", at: 5 });

  const small = createFileReads(page, { files: 10, textChars: 40 });
  for (const at of [1, 2, 3, 4, 5]) small.record(`/${at}`, { hash: `${at}`, at, text: "x".repeat(10) });
  assert.deepEqual(small.seen("/1"), { hash: "1", at: 1 });
  assert.equal(small.seen("/2")?.text?.length, 10);
});

test("work on the same file happens in turn, other work beside it, also after a failure", async () => {
  const reads = createFileReads(page);
  const order: string[] = [];
  const gate = Promise.withResolvers<void>();
  const work = (name: string, wait?: Promise<void>) => async () => {
    order.push(`${name} begins`);
    await wait;
    order.push(`${name} ends`);
  };
  const slow = reads.inTurn(["/a", "/b"], work("slow", gate.promise));
  const failing = reads.inTurn(["/b"], async () => assert.fail("on purpose"));
  const last = reads.inTurn(["/b", "/c"], work("last"));
  await reads.inTurn(["/x"], work("other"));
  gate.resolve();
  await slow;
  await assert.rejects(failing, /on purpose/u);
  await last;
  assert.deepEqual(order, ["slow begins", "other begins", "other ends", "slow ends", "last begins", "last ends"]);
});
