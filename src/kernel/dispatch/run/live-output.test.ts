import assert from "node:assert/strict";
import { test } from "node:test";

import { fakeClock } from "../../../../test/support/fake-clock.ts";
import { createLiveOutput } from "./live-output.ts";

function watching(clean = (text: string) => text) {
  const clock = fakeClock();
  const shown: (readonly string[])[] = [];
  const live = createLiveOutput(clock, clean, (lines) => shown.push(lines));
  return { clock, shown, live, add: (text: string) => live.add(Buffer.from(text)) };
}

test("progress shows whole lines a few times a second, and an unfinished line if nothing follows it", () => {
  const { clock, shown, add } = watching();
  add("one\ntwo\npass");
  add("word\nhal");
  clock.advance(200);
  assert.deepEqual(shown, [["one", "two", "password"]]);
  add("f");
  clock.advance(200);
  assert.deepEqual(shown.at(-1), ["one", "two", "password"]);
  clock.advance(200);
  assert.deepEqual(shown.at(-1), ["one", "two", "password", "half"]);
  clock.advance(10_000);
  assert.equal(shown.length, 3);
});

test("a secret that arrives in pieces is masked in every progress update", () => {
  const { clock, shown, add } = watching((text) => text.replaceAll("sk-123456", "***"));
  for (const piece of ["key sk-1", "23", "456", " ok\nnext\n"]) {
    add(piece);
    clock.advance(150);
  }
  clock.advance(1_000);
  assert.doesNotMatch(JSON.stringify(shown), /sk-1/u);
  assert.deepEqual(shown.at(-1), ["key *** ok", "next"]);
});

test("endless output costs little: progress keeps only the last lines, redrawn lines once, without colours and binary data", () => {
  const { clock, shown, add, live } = watching();
  for (let index = 0; index < 5_000; index++) add(`\x1b[32mline ${index}\x1b[0m\n`);
  add("10 %\r20 %\r30 %\r");
  clock.advance(200);
  assert.equal(shown.at(-1)?.length, 10);
  assert.deepEqual(shown.at(-1)?.slice(-2), ["line 4999", "30 %"]);
  add("\0\x01\x02\0\0\xff".repeat(3_000));
  clock.advance(200);
  clock.advance(200);
  assert.deepEqual(shown.at(-1), []);
  live[Symbol.dispose]();
  assert.equal(clock.waiting, 0);
});
