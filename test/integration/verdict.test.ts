// covers: src/safety
import assert from "node:assert/strict";
import { test } from "node:test";

import { noShellSandbox } from "../support/verdict/shell-sandbox.ts";
import { corpusCommands, everydayShares, verdictRound } from "../support/verdict/verdict-round.ts";

test(
  "the analysis foresees every program that ran and every file that changed, or says that it cannot",
  { skip: noShellSandbox() },
  async () => {
    const corpus = corpusCommands("{safe-everyday,dangerous-hardline}.jsonl");
    const { scripts, effects, unresolved, misses } = await verdictRound({ seed: 20_261_116, count: 120, corpus });
    assert.deepEqual(misses, []);
    assert.ok(effects >= scripts, `${effects} effects of ${scripts} scripts`);
    assert.ok(unresolved <= scripts * 0.6, `${unresolved} of ${scripts} are unresolved`);
  },
);

test("commands of every day are seldom unresolved", () => {
  const { commands, needApproval, unresolved } = everydayShares();
  assert.ok(commands >= 3_000, `${commands} commands`);
  assert.ok(unresolved <= 0.005, `${unresolved} unresolved`);
  assert.ok(needApproval <= 0.01, `${needApproval} need approval`);
});
