import assert from "node:assert/strict";
import { test } from "node:test";

import { expiredProcesses } from "./retention.ts";

const hour = 3_600_000;
const now = 100 * hour;
const finished = (id: string, agoMs: number, bytes = 1) => ({ id, endedAt: now - agoMs, bytes });

test("a process that ended more than a day ago is removed", () => {
  assert.deepEqual(expiredProcesses([finished("old", 25 * hour), finished("new", 23 * hour)], now), ["old"]);
});

test("the oldest finished processes are removed first, and those that just ended are kept", () => {
  const old = Array.from({ length: 70 }, (_, index) => finished(`old${index}`, hour + index));
  assert.deepEqual(expiredProcesses(old, now), ["old69", "old68", "old67", "old66", "old65", "old64"]);
  const fresh = Array.from({ length: 200 }, (_, index) => finished(`fresh${index}`, index));
  assert.deepEqual(expiredProcesses(fresh, now), []);
  assert.equal(expiredProcesses([...old, ...fresh], now).length, 70);
});

test("all outputs together take at most half a gigabyte", () => {
  const large = Array.from({ length: 10 }, (_, index) => finished(`p${index}`, index, 64 * 1024 * 1024));
  assert.deepEqual(expiredProcesses(large, now), ["p9", "p8"]);
});
