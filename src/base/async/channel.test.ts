import assert from "node:assert/strict";
import { test } from "node:test";

import * as fc from "fast-check";

import { assertGrowsLinearly } from "../../../test/support/growth.ts";
import { createChannel } from "./channel.ts";

async function readAll<T>(channel: AsyncIterable<T>): Promise<T[]> {
  return Array.fromAsync(channel);
}

test("values arrive in order, whether they are pushed before or during a read", async () => {
  const channel = createChannel<number>();
  channel.push(1);
  const read = readAll(channel);
  channel.push(2);
  await Promise.resolve();
  channel.push(3);
  channel.end();
  assert.deepEqual(await read, [1, 2, 3]);
});

test("a closed channel rejects new values", async () => {
  const channel = createChannel<number>();
  assert.equal(channel.push(1), true);
  channel.end();
  channel.fail(new Error("too late"));
  assert.equal(channel.push(2), false);
  assert.deepEqual(await readAll(channel), [1]);
});

test("a channel delivers a failure once, after all earlier values", async () => {
  const channel = createChannel<number>();
  channel.push(1);
  channel.fail(new Error("broken"));
  const reader = channel[Symbol.asyncIterator]();
  assert.deepEqual(await reader.next(), { done: false, value: 1 });
  await assert.rejects(reader.next(), /broken/u);
  assert.deepEqual(await reader.next(), { done: true, value: undefined });
});

test("a waiting reader receives a failure or the end of the channel", async () => {
  const failing = createChannel<number>();
  const rejected = assert.rejects(readAll(failing), /broken/u);
  failing.fail(new Error("broken"));
  await rejected;
  const ending = createChannel<undefined>();
  const read = readAll(ending);
  ending.push(undefined);
  ending.end();
  assert.deepEqual(await read, [undefined]);
});

test("a full channel drops its oldest values and counts them", async () => {
  const channel = createChannel<number>({ capacity: 2 });
  for (const value of [1, 2, 3, 4, 5]) assert.equal(channel.push(value), true);
  channel.end();
  assert.deepEqual([await readAll(channel), channel.dropped], [[4, 5], 3]);
});

test("the producer of a channel is notified when its reader stops early", async () => {
  const channel = createChannel<number>();
  channel.push(1);
  channel.push(2);
  for await (const value of channel) {
    assert.equal(value, 1);
    break;
  }
  assert.deepEqual([channel.readerLeft.aborted, channel.push(3)], [true, false]);
});

test("a reader that reads to the end does not count as stopping early", async () => {
  const channel = createChannel<number>();
  channel.end();
  await readAll(channel);
  assert.equal(channel.readerLeft.aborted, false);
});

test("a reader that stops early ends its pending read", async () => {
  const channel = createChannel<number>();
  const reader = channel[Symbol.asyncIterator]();
  const waiting = reader.next();
  await reader.return?.();
  assert.deepEqual(await waiting, { done: true, value: undefined });
});

test("a second reader of a channel throws", () => {
  const channel = createChannel<number>();
  channel[Symbol.asyncIterator]();
  assert.throws(() => channel[Symbol.asyncIterator](), /one reader/u);
});

test("a channel never loses or duplicates a value, whatever the order of pushes and reads", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom("push", "read", "pause"), { maxLength: 60 }), async (steps) => {
      const channel = createChannel<number>();
      const reader = channel[Symbol.asyncIterator]();
      const reads: Promise<IteratorResult<number, void>>[] = [];
      let pushed = 0;
      for (const step of steps) {
        if (step === "push") channel.push(pushed++);
        else if (step === "read") reads.push(reader.next());
        else await Promise.resolve();
      }
      channel.end();
      const values = (await Promise.all(reads)).flatMap((read) => (read.done ? [] : [read.value]));
      for (let next = await reader.next(); !next.done; next = await reader.next()) values.push(next.value);
      assert.deepEqual(
        values,
        Array.from({ length: pushed }, (_, index) => index),
      );
    }),
  );
});

test("the time to read queued values of a channel is proportional to their number", async () => {
  await assertGrowsLinearly(100_000, async (size) => {
    const channel = createChannel<number>({ capacity: Infinity });
    for (let value = 0; value < size; value++) channel.push(value);
    channel.end();
    assert.equal((await readAll(channel)).length, size);
  });
});
