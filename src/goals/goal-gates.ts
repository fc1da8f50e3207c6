import type { Goal, GoalGate } from "../contracts/session/goals.ts";
import type { GateRun, GoalPorts } from "./goal-ports.ts";

export interface GateFailure {
  readonly gate: GoalGate;
  readonly run: Exclude<GateRun, { readonly how: "passed" }>;
  /** True if nothing changed since the last failure, so that the command did not run again. */
  readonly isReplayed: boolean;
}

export interface GateOutcome {
  readonly gates: readonly GoalGate[];
  readonly failure?: GateFailure;
}

/**
 * Runs the gates of a goal. If nothing changed since a gate failed, returns its previous output instead of running it
 * again.
 */
export interface GateKeeper {
  check(goal: Goal, signal: AbortSignal): Promise<GateOutcome>;
}

/** The number of consecutive failures of a gate after which the goal is paused. */
export const maxGateFailures = 3;

export function createGateKeeper(ports: Pick<GoalPorts, "runGate" | "changes">): GateKeeper {
  const failures = new Map<string, { readonly changes: number; readonly run: GateFailure["run"] }>();

  async function runOne({ command }: GoalGate, signal: AbortSignal): Promise<{ run: GateRun; isReplayed: boolean }> {
    const before = failures.get(command);
    if (before?.changes === ports.changes()) return { run: before.run, isReplayed: true };
    const run = await ports.runGate(command, signal);
    if (run.how === "passed") failures.delete(command);
    // The command itself may count as a change, so the counter is read after it.
    else failures.set(command, { changes: ports.changes(), run });
    return { run, isReplayed: false };
  }

  return {
    async check({ gates }, signal) {
      const checked: GoalGate[] = [];
      for (const [index, gate] of gates.entries()) {
        const { run, isReplayed } = await runOne(gate, signal);
        if (run.how === "passed") {
          checked.push({ ...gate, failures: 0 });
          continue;
        }
        const failed = { ...gate, failures: gate.failures + 1 };
        return { gates: [...checked, failed, ...gates.slice(index + 1)], failure: { gate: failed, run, isReplayed } };
      }
      return { gates: checked };
    },
  };
}
