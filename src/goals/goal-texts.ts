import { cut } from "../base/text/text.ts";
import { type Goal, type GoalContract, type GoalField, goalFields } from "../contracts/session/goals.ts";
import { announcedHeads, notFromPerson } from "../contracts/session/program-prompt.ts";

/** Formats the goal with its contract and subgoals for a model. */
export function goalText({ text, contract, subgoals }: Pick<Goal, "text" | "contract" | "subgoals">): string {
  return [
    text,
    ...goalFields.flatMap((field) => {
      const value = contract[field];
      return value === undefined ? [] : [`${fieldTitles[field]}: ${value}`];
    }),
    ...(subgoals.length === 0
      ? []
      : ["All of these must hold too:", ...subgoals.map((each, index) => `${index + 1}. ${each}`)]),
  ].join("\n");
}

const fieldTitles: Readonly<Record<GoalField, string>> = {
  outcome: "Outcome",
  verification: "Verification",
  constraints: "Constraints",
  boundaries: "Boundaries",
  stop_when: "Stop when",
};

/** The first prompt of a goal. */
export function firstPrompt(goal: Goal): string {
  // The goal comes first, because titles and lists of sessions show the beginning.
  return [
    goalText(goal),
    "",
    "[Work towards this goal until it is reached. After each of your turns a judge reads your answer, and you go on if it is not reached yet. Show evidence in your answer: commands that you ran, and their results.]",
  ].join("\n");
}

/** The prompt after a turn that did not reach the goal. */
export function nextPrompt(goal: Goal, why: string, maxTurns: number): string {
  return [
    `${announcedHeads.goal}, turn ${goal.turns + 1} of ${maxTurns}. ${notFromPerson}]`,
    `Judge: ${cut(why, maxReasonChars)}`,
    "Continue with the next step. If only the person can help, say so, and say what you need.",
    "",
    `Goal: ${goalText(goal)}`,
  ].join("\n");
}

/** The prompt after a gate that failed. */
export function gatePrompt(goal: Goal, command: string, output: string): string {
  return [
    `${announcedHeads.check}. ${notFromPerson}]`,
    `Command: ${command}`,
    "The end of its output:",
    output,
    "",
    "Make it pass without weakening the check itself.",
    `Goal: ${goalText(goal)}`,
  ].join("\n");
}

const maxReasonChars = 2_000;

/**
 * Parses the text of `/goal`: lines such as `verification: npm test passes` are parts of the contract, the rest is the
 * goal.
 */
export function readGoalText(text: string): { readonly text: string; readonly contract: GoalContract } {
  const fields = new Map<GoalField, string[]>();
  const rest: string[] = [];
  let current: string[] | undefined;
  for (const line of text.split("\n")) {
    const [, name = "", value = ""] = /^\s*([a-z][a-z _]*?)\s*:\s*(.*)$/iu.exec(line) ?? [];
    const field = goalFields.find((each) => each === name.toLowerCase().replaceAll(" ", "_"));
    if (field) {
      current = [value];
      fields.set(field, current);
    } else if (current && /^\s+\S/u.test(line)) current.push(line.trim());
    else {
      current = undefined;
      rest.push(line);
    }
  }
  const contract = Object.fromEntries(
    Array.from(fields, ([field, lines]) => [field, lines.join("\n").trim()] as const).filter(
      ([, value]) => value !== "",
    ),
  );
  const own = rest.join("\n").trim();
  return { text: own === "" ? (contract["outcome"] ?? "") : own, contract };
}
