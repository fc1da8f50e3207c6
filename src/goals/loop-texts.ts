import type { PromptLoop } from "../contracts/session/goals.ts";
import { judgePrompt } from "./goal-judge.ts";

/** The word with which the agent ends a loop. */
const lastWord = "LOOP_COMPLETE";

export function loopPrompt({ prompt, runs, times }: PromptLoop): string {
  const count = times === undefined ? `run ${runs}` : `run ${runs} of ${times}`;
  return `${prompt}\n\n[A loop of the person repeats this prompt: ${count}. If nothing is left to do, end your answer with ${lastWord}.]`;
}

/** Returns whether the last line of the answer consists of this word only. */
export function isLastRun(answer: string): boolean {
  const last = answer.trimEnd().split("\n").at(-1) ?? "";
  return new RegExp(`(?:^|\\s)[*\`_]*${lastWord}[*\`_.!]*$`, "u").test(last.trim());
}

/** Creates a goal without a contract, because a loop condition is judged like a goal. */
export function conditionGoal(condition: string) {
  return {
    text: `This condition holds: ${condition}`,
    contract: {},
    subgoals: [],
    gates: [],
    state: "active",
    turns: 0,
    faults: { unreadable: 0, failed: 0 },
    startedAt: 0,
  } as const;
}

export function untilPrompt(condition: string, answer: string): string {
  return judgePrompt(conditionGoal(condition), { answer, processes: [], passed: [] });
}
