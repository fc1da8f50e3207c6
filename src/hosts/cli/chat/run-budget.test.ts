import assert from "node:assert/strict";
import { test } from "node:test";

import { fakeClock } from "../../../../test/support/fake-clock.ts";
import { startRunBudget } from "./run-budget.ts";

test("the agent gets one notice at 80 % of the time and one at 100 %, and none after disposal", () => {
  const steered: unknown[] = [];
  const aborted: string[] = [];
  const turn = { abort: (why: string) => void aborted.push(why) } as unknown as Parameters<typeof startRunBudget>[2];
  const session = { turn: {}, steer: (content: unknown) => void steered.push(content) } as never;
  const clock = fakeClock();
  const asTurn = (() => turn) as never;
  const budget = startRunBudget(10, session, asTurn, clock);
  clock.advance(7_900);
  assert.deepEqual([steered.length, budget.isUsedUp], [0, false]);
  clock.advance(200);
  assert.match(JSON.stringify(steered), /About 2 s are left/u);
  clock.advance(2_000);
  assert.deepEqual([steered.length, aborted.length, budget.isUsedUp], [1, 1, true]);
  const ended = startRunBudget(10, session, asTurn, clock);
  ended[Symbol.dispose]();
  clock.advance(20_000);
  assert.deepEqual([steered.length, aborted.length, clock.waiting], [1, 1, 0]);
});
