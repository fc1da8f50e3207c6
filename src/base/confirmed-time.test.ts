import assert from "node:assert/strict";
import { test } from "node:test";

import { type ConfirmedTime, confirmTime } from "./confirmed-time.ts";

const hour = 3_600_000;
const day = 24 * hour;
const year = 365 * day;
const start: ConfirmedTime = { confirmedAt: year, wallAt: year, uptime: { bootId: "a", ms: hour }, doubtMs: 0 };

test("time that matches the uptime is confirmed", () => {
  const next = confirmTime(start, year + 3 * day, { bootId: "a", ms: hour + 3 * day });
  assert.equal(next.confirmedAt, year + 3 * day);
});

test("a clock that jumps ahead while the machine runs confirms only the running time", () => {
  const next = confirmTime(start, 2 * year, { bootId: "a", ms: 3 * hour });
  assert.equal(next.confirmedAt, year + 3 * hour);
});

test("after a restart, a jump of up to a week is accepted, and a jump of a year is not, however often the program starts", () => {
  assert.equal(confirmTime(start, year + 6 * day, { bootId: "b", ms: hour }).confirmedAt, year + 6 * day);
  let time = start;
  for (let round = 0; round < 20; round++)
    time = confirmTime(time, 2 * year + round * hour, { bootId: "b", ms: (round + 1) * hour });
  assert.ok(time.confirmedAt < year + 9 * day, String((time.confirmedAt - year) / day));
});

test("a clock that stays ahead for a week of running time is accepted", () => {
  let time = confirmTime(start, 2 * year, { bootId: "b", ms: hour });
  for (let round = 1; round <= 8; round++)
    time = confirmTime(time, 2 * year + round * day, { bootId: "b", ms: round * day });
  assert.equal(time.confirmedAt, 2 * year + 8 * day);
});

test("a clock that was ahead is trusted again as soon as it is corrected", () => {
  const ahead = confirmTime(start, 2 * year, { bootId: "a", ms: 2 * hour });
  const back = confirmTime(ahead, year + 2 * hour, { bootId: "a", ms: 3 * hour });
  assert.deepEqual([back.confirmedAt, back.doubtMs], [year + 2 * hour, 0]);
});
