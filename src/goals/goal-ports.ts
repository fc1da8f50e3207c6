import type { Clock } from "../base/clock.ts";
import type { JsonValue } from "../base/json.ts";
import type { Logger } from "../base/log/log.ts";
import type { Result } from "../base/result.ts";
import type { Notices } from "../contracts/host/ports.ts";
import type { GoalsStatus } from "../contracts/session/goals.ts";
import type { OngoingConversation } from "../contracts/session/turn-companion.ts";
import type { StoredName } from "./stored-goals.ts";

/** How the command of a gate ended. `denied`: it did not run because the policy or the user denied it. */
export type GateRun =
  | { readonly how: "passed" }
  | { readonly how: "failed"; readonly output: string }
  | { readonly how: "denied"; readonly why: string };

/** Access of goals, loops and heartbeats to their session. */
export interface GoalPorts extends Notices {
  readonly conversation: OngoingConversation;
  /** Sends a prompt to the model of `auxiliary.goal_judge`. Limited in time. */
  ask(prompt: string, schema: JsonValue, signal: AbortSignal): Promise<Result<string>>;
  /** Returns why no model can judge here (the built-in model cannot), or undefined if one can. */
  judgeFault(): string | undefined;
  /** Runs a command as the agent would, with policy, approvals and sandbox. Never rejects. */
  runGate(command: string, signal: AbortSignal): Promise<GateRun>;
  /** Returns the running background processes of the session. */
  processes(signal: AbortSignal): Promise<readonly OwnProcess[]>;
  /** Returns the start time of a process on this machine, in the system's unit. Undefined if it does not exist. */
  startOf(pid: number): string | undefined;
  /** A counter that increases with each call that may have changed files, and with each prompt of the user. */
  changes(): number;
  /** Stores a value. Resolves when it is on disk. */
  store(name: StoredName, value: JsonValue): Promise<unknown>;
  changed(status: GoalsStatus): void;
  readonly maxTurns: number;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface OwnProcess {
  readonly id: string;
  readonly pid: number | undefined;
  readonly command: string;
}
