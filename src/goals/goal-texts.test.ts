import assert from "node:assert/strict";
import { test } from "node:test";

import type { Goal } from "../contracts/session/goals.ts";
import { promptForPeople } from "../contracts/session/program-prompt.ts";
import { firstPrompt, gatePrompt, nextPrompt } from "./goal-texts.ts";
import { conditionGoal, loopPrompt } from "./loop-texts.ts";

const goal: Goal = { ...conditionGoal("x"), text: "make the tests pass" };

test("people see prompts of goals and loops without the instructions for the model", () => {
  assert.equal(promptForPeople(firstPrompt(goal)), "make the tests pass");
  assert.equal(
    promptForPeople(nextPrompt(goal, "two tests fail", 20)),
    "The goal is not reached yet, turn 1 of 20. Judge: two tests fail",
  );
  assert.equal(
    promptForPeople(gatePrompt(goal, "npm test", "2 failed")),
    "A check of the goal fails. Command: npm test",
  );
  const loop = { prompt: "look at the\nbuild", runs: 2, state: "active", startedAt: 0, nextAt: 0 } as const;
  assert.equal(promptForPeople(loopPrompt(loop)), "look at the\nbuild");
  for (const text of ["plain", "[a note]\n\nwith [brackets]", "", "\n\n[Work towards it]"])
    assert.equal(promptForPeople(text), text);
});
