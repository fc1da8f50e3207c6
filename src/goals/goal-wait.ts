import { durationText, timeText } from "../base/text/time-text.ts";
import type { GoalWait } from "../contracts/session/goals.ts";
import type { GoalPorts } from "./goal-ports.ts";

/** Returns whether the goal must still wait. A process that is unknown or was replaced counts as ended. */
export async function isHolding(
  wait: GoalWait,
  { processes, startOf, clock }: Pick<GoalPorts, "processes" | "startOf" | "clock">,
  signal: AbortSignal,
): Promise<boolean> {
  switch (wait.kind) {
    case "time":
      return clock.now() < wait.until;
    case "pid": {
      const start = startOf(wait.pid);
      return start !== undefined && (wait.startTime === undefined || wait.startTime === start);
    }
    case "process":
      return (await processes(signal)).some(({ id }) => id.startsWith(wait.id));
  }
}

/** Returns the delay until the next check of the wait. */
export function lookAgainMs(wait: GoalWait, now: number): number {
  return wait.kind === "time" ? Math.min(Math.max(0, wait.until - now), maxTimerMs) : pollMs;
}

export function waitText(wait: GoalWait, now: number): string {
  switch (wait.kind) {
    case "time":
      return `until ${timeText(wait.until)} (${durationText(Math.max(0, wait.until - now))})`;
    case "pid":
      return `for the process ${wait.pid}`;
    case "process":
      return `for ${wait.id}`;
  }
}

const pollMs = 5_000;
/** System timers support at most 24 days. */
export const maxTimerMs = 24 * 3_600_000;
