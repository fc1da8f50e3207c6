import { oneLine } from "../../base/text/text.ts";
import { durationText, timeText } from "../../base/text/time-text.ts";
import {
  type Goal,
  type GoalContract,
  goalFields,
  type GoalGate,
  type GoalWait,
} from "../../contracts/session/goals.ts";
import { rows } from "../reply-text.ts";

export const maxGoalChars = 200;

/** Lines that show the state of a goal. */
export function goalLines(goal: Goal, maxTurns: number): readonly string[] {
  const { text, state, reason, wait, turns, subgoals, gates } = goal;
  return [
    rows([
      ["goal", oneLine(text, maxGoalChars)],
      ["state", wait && state === "active" ? `waits ${waitWords(wait)}` : stateWords[state]],
      ["turns", `${turns} of ${maxTurns}`],
      ...(reason === undefined ? [] : [["verdict", oneLine(reason, 300)] as const]),
    ]),
    ...(subgoals.length > 0 ? ["Further criteria:", ...subgoalLines(subgoals)] : []),
    ...(gates.length > 0 ? ["Checks:", ...gateLines(gates)] : []),
  ];
}

const stateWords: Readonly<Record<Goal["state"], string>> = {
  active: "active",
  paused: "paused, /goal resume continues it",
  done: "reached",
};

function waitWords(wait: GoalWait): string {
  if (wait.kind === "time") return `until ${timeText(wait.until)}`;
  return `for the process ${wait.kind === "pid" ? wait.pid : wait.id}`;
}

export function subgoalLines(subgoals: readonly string[]): readonly string[] {
  return subgoals.map((each, index) => `  ${index + 1}. ${oneLine(each, 200)}`);
}

export function gateLines(gates: readonly GoalGate[]): readonly string[] {
  return gates.map(({ command, failures }, index) => {
    const failed = failures === 0 ? "" : ` (failed ${failures} times in a row)`;
    return `  ${index + 1}. ${oneLine(command, 160)}${failed}`;
  });
}

export function contractLines(contract: GoalContract): readonly string[] {
  return goalFields.flatMap((field) => {
    const value = contract[field];
    return value === undefined ? [] : [`- **${field.replace("_", " ")}**: ${value.replaceAll(/\s*\n\s*/gu, " ")}`];
  });
}

/** `every 5 min`, with the time of the next run. */
export function intervalText(everyMs: number | undefined, nextAt: number): string {
  return everyMs === undefined
    ? "repeats as soon as the turn has ended"
    : `every ${durationText(everyMs)}, next ${timeText(nextAt)}`;
}

/** The milliseconds of `30s`, `5m`, `2h` or `1d`. Undefined: the text is not an interval. */
export function intervalMs(text: string): number | undefined {
  const [, count = "", unit = ""] = /^(\d+(?:\.\d+)?)(s|sec|m|min|h|d)$/iu.exec(text) ?? [];
  const factor = { s: 1, sec: 1, m: 60, min: 60, h: 3_600, d: 86_400 }[unit.toLowerCase()];
  return factor === undefined ? undefined : Number(count) * factor * 1_000;
}
