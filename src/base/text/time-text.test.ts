import assert from "node:assert/strict";
import { test } from "node:test";

import { durationText, shortTimeText, timeText } from "./time-text.ts";

test("times are shown in local time, and today's date is omitted", () => {
  const time = new Date(2026, 10, 15, 9, 5).getTime();
  assert.equal(timeText(time), "2026-11-15 09:05");
  assert.equal(shortTimeText(time, time + 60_000), "09:05");
  assert.equal(shortTimeText(time, time + 86_400_000), "11-15 09:05");
  assert.equal(shortTimeText(time, time + 100 * 86_400_000), "2026-11-15 09:05");
  assert.equal(timeText(Number.MAX_SAFE_INTEGER), "?");
});

test("durations show their two largest units", () => {
  assert.deepEqual([400, 45_000, 720_000, 12_000_000, 7_200_000, 400_000_000].map(durationText), [
    "0 s",
    "45 s",
    "12 min",
    "3 h 20 min",
    "2 h",
    "4 days",
  ]);
});
