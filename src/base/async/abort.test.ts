import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";

import { fakeClock } from "../../../test/support/fake-clock.ts";
import { systemClock } from "../clock.ts";
import { abortable, linkAbort, sleep } from "./abort.ts";

const never = new Promise<never>(() => {});

test("a linked child is aborted with its parent's reason", () => {
  const parent = new AbortController();
  using link = linkAbort(parent.signal);
  parent.abort("stop");
  assert.deepEqual([link.signal.aborted, link.signal.reason], [true, "stop"]);
});

test("a child linked to an aborted parent is aborted from the start", () => {
  using link = linkAbort(AbortSignal.abort("before"));
  assert.deepEqual([link.signal.aborted, link.signal.reason], [true, "before"]);
});

test("aborting the child does not abort the parent, and the first reason is kept", () => {
  const parent = new AbortController();
  using link = linkAbort(parent.signal);
  link.abort("child only");
  parent.abort("later");
  assert.equal(link.signal.reason, "child only");
});

test("a disposed abort link no longer follows its parent", () => {
  const parent = new AbortController();
  const link = linkAbort(parent.signal);
  link[Symbol.dispose]();
  parent.abort();
  assert.equal(link.signal.aborted, false);
});

test("a hundred thousand abort links and waits leave no listener behind and cause no warning", async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on("warning", onWarning);
  try {
    const { signal } = new AbortController();
    for (let count = 0; count < 100_000; count++) {
      using _link = linkAbort(signal);
    }
    const open = Array.from({ length: 1_000 }, () => linkAbort(signal));
    assert.equal(getEventListeners(signal, "abort").length, 1_000);
    for (const link of open) link[Symbol.dispose]();
    for (let count = 0; count < 1_000; count++) await abortable(Promise.resolve(count), signal);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([getEventListeners(signal, "abort").length, warnings], [0, []]);
  } finally {
    process.off("warning", onWarning);
  }
});

test("abortable resolves with the value of the work", async () => {
  const { signal } = new AbortController();
  assert.equal(await abortable(Promise.resolve(7), signal), 7);
  await assert.rejects(abortable(Promise.reject(new Error("its own")), signal), /its own/u);
});

test("abortable rejects with the abort reason even if the work never settles", async () => {
  const controller = new AbortController();
  const waiting = abortable(never, controller.signal);
  controller.abort(new Error("enough"));
  await assert.rejects(waiting, /enough/u);
});

test("abortable rejects if the abort happened first, and ignores a later rejection of the work", async () => {
  const unhandled: unknown[] = [];
  const onUnhandled = (reason: unknown) => unhandled.push(reason);
  process.on("unhandledRejection", onUnhandled);
  try {
    const work = Promise.withResolvers<never>();
    await assert.rejects(abortable(work.promise, AbortSignal.abort(new Error("aborted"))), /aborted/u);
    work.reject(new Error("late"));
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(unhandled, []);
  } finally {
    process.off("unhandledRejection", onUnhandled);
  }
});

test("sleep ends at the time that its clock gives", async () => {
  const clock = fakeClock();
  let isOver = false;
  const slept = sleep(100, new AbortController().signal, clock).then(() => (isOver = true));
  clock.advance(99);
  await Promise.resolve();
  assert.equal(isOver, false);
  clock.advance(1);
  await slept;
  assert.equal(clock.waiting, 0);
});

test("sleep rejects as soon as its signal is aborted and leaves no timer", async () => {
  const clock = fakeClock();
  const controller = new AbortController();
  const slept = sleep(1_000, controller.signal, clock);
  controller.abort(new Error("wake up"));
  await assert.rejects(slept, /wake up/u);
  assert.deepEqual([clock.waiting, getEventListeners(controller.signal, "abort").length], [0, 0]);
  await assert.rejects(sleep(1_000, controller.signal, clock), /wake up/u);
});

test("a sleep on the system clock ends after a shorter timer", async () => {
  const order: string[] = [];
  setTimeout(() => order.push("timer"), 5);
  await sleep(20, new AbortController().signal, systemClock);
  order.push("sleep");
  assert.deepEqual(order, ["timer", "sleep"]);
});
