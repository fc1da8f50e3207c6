import assert from "node:assert/strict";
import { test } from "node:test";

import { err, ok } from "../base/result.ts";
import { createFileReads } from "./file-reads.ts";

const page = { lines: 2000, lineChars: 2000 };

test("the last recorded state of a file counts as seen until it is forgotten", () => {
  const reads = createFileReads(page);
  reads.record("/a", { hash: "1", at: 1, text: "one" });
  reads.record("/a", { hash: "2", at: 2 });
  assert.deepEqual(reads.seen("/a"), { hash: "2", at: 2 });
  reads.forget("/a");
  reads.forget("/never seen");
  assert.equal(reads.seen("/a"), undefined);
});

test("after the conversation went back, each version that the session saw before counts, until the file is seen again", () => {
  const reads = createFileReads(page);
  for (const hash of ["1", "2", "3"]) reads.record("/a", { hash, at: 1, text: hash });
  reads.record("/b", { hash: "1", at: 1 });
  reads.wentBack();
  assert.deepEqual(reads.seen("/a"), { hash: "3", at: 1, text: "3", earlier: ["1", "2"] });
  assert.deepEqual(reads.seen("/b"), { hash: "1", at: 1, earlier: [] });
  reads.record("/a", { hash: "2", at: 2 });
  assert.deepEqual(reads.seen("/a"), { hash: "2", at: 2 });
});

test("the second identical answer in a row is marked as a repeat, and the third one is sent in full", () => {
  const reads = createFileReads(page);
  assert.deepEqual(
    ["x", "x", "x", "x", "y", "x"].map((shown) => reads.repeats(shown)),
    [false, true, false, true, false, false],
  );
});

test("a page of a file that may have left the context is not marked as a repeat", () => {
  const reads = createFileReads(page);
  assert.equal(reads.repeats("x"), false);
  reads.forgetShown();
  assert.equal(reads.repeats("x"), false);
});

test("models get images unless the settings say otherwise", () => {
  assert.equal(createFileReads(page).page.images, true);
  assert.equal(createFileReads({ ...page, images: () => false }).page.images, false);
});

test("documents are extracted one at a time, and the last one is cached", async () => {
  const reads = createFileReads(page);
  let running = 0;
  let extracted = 0;
  const extract = (text: string) => async () => {
    assert.equal(++running, 1);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    extracted++;
    return ok({ kind: "a document", text, notes: [] });
  };
  const both = await Promise.all([reads.document("1", extract("one")), reads.document("1", extract("one"))]);
  assert.deepEqual(both[0], both[1]);
  assert.equal(extracted, 1);
  await assert.rejects(
    reads.document("2", () => assert.fail("on purpose")),
    /on purpose/u,
  );
  assert.deepEqual(await reads.document("2", async () => err("no")), err("no"));
  assert.ok((await reads.document("1", extract("one"))).ok);
  assert.equal(extracted, 1, "a failure does not take its place");
  await reads.document("3", extract("three"));
  await reads.document("1", extract("one"));
  assert.equal(extracted, 3);
});

test("memory use is limited: the oldest texts are dropped first, then the oldest files", () => {
  const reads = createFileReads(page, { files: 3, textChars: 40 });
  for (const number of [1, 2, 3, 4])
    reads.record(`/${number}`, { hash: `${number}`, at: number, text: "x".repeat(10) });
  reads.record("/5", { hash: "5", at: 5, text: "x".repeat(11) });
  assert.equal(reads.seen("/2"), undefined);
  assert.deepEqual(reads.seen("/3"), { hash: "3", at: 3, text: "x".repeat(10) });
  assert.deepEqual(reads.seen("/5"), { hash: "5", at: 5 });

  const small = createFileReads(page, { files: 10, textChars: 40 });
  for (const number of [1, 2, 3, 4, 5])
    small.record(`/${number}`, { hash: `${number}`, at: number, text: "x".repeat(10) });
  assert.deepEqual(small.seen("/1"), { hash: "1", at: 1 });
  assert.equal(small.seen("/2")?.text?.length, 10);
});

test("work on one file is serialised, and work on other files runs in parallel, even after a failure", async () => {
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

test("reading a part of a new version does not count as having seen the changes, but reading all parts does", () => {
  const reads = createFileReads(page);
  const [first, second] = [
    { hash: "1", at: 1, text: "one" },
    { hash: "2", at: 2, text: "two" },
  ];
  reads.record("/a", first);
  reads.record("/a", second, { first: 3, last: 4, total: 6 });
  assert.deepEqual(reads.seen("/a"), { ...second, older: first });
  reads.record("/a", { hash: "3", at: 3 }, { first: 1, last: 2, total: 6 });
  assert.deepEqual(reads.seen("/a"), { hash: "3", at: 3, older: first });
  reads.record("/a", { hash: "3", at: 4 }, { first: 4, last: 6, total: 6 });
  assert.deepEqual(reads.seen("/a")?.older, first);
  reads.record("/a", { hash: "3", at: 5 }, { first: 2, last: 3, total: 6 });
  assert.deepEqual(reads.seen("/a"), { hash: "3", at: 5 });
  reads.record("/b", first, { first: 1, last: 2, total: 6 });
  assert.deepEqual(reads.seen("/b"), first, "it never saw another version");
});
