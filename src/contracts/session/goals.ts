import type { Result } from "../../base/result.ts";

/** The parts of a goal's contract. The judge checks each of them. */
export const goalFields = ["outcome", "verification", "constraints", "boundaries", "stop_when"] as const;
export type GoalField = (typeof goalFields)[number];
export type GoalContract = Readonly<Partial<Record<GoalField, string>>>;

/** An event or a time that a goal waits for. Waiting costs no tokens. */
export type GoalWait =
  /**
   * A process on this machine. `startTime` is its start time as reported by the system; it reveals whether another
   * process now has the same number.
   */
  | { readonly kind: "pid"; readonly pid: number; readonly startTime?: string }
  /** A background process of the session: `proc_…`. */
  | { readonly kind: "process"; readonly id: string }
  | { readonly kind: "time"; readonly until: number };

/** A command that must exit with 0 before the judge is called. */
export interface GoalGate {
  readonly command: string;
  /** The number of consecutive failures. */
  readonly failures: number;
}

/** A goal of a session. The session works on it turn after turn, until a judge decides that it is reached. */
export interface Goal {
  readonly text: string;
  readonly contract: GoalContract;
  readonly subgoals: readonly string[];
  readonly gates: readonly GoalGate[];
  readonly state: "active" | "paused" | "done";
  /** The reason of the last verdict, or of the pause. */
  readonly reason?: string;
  readonly wait?: GoalWait;
  /** The number of judged turns since the start or the last resume. */
  readonly turns: number;
  /** The number of consecutive verdicts that could not be parsed, and of consecutive requests that failed. */
  readonly faults: { readonly unreadable: number; readonly failed: number };
  readonly startedAt: number;
}

/** A prompt that the session repeats (a loop). */
export interface PromptLoop {
  readonly prompt: string;
  /** The interval between two runs. Undefined: the next run starts as soon as the turn has ended. */
  readonly everyMs?: number;
  readonly runs: number;
  readonly times?: number;
  /** A condition that ends the loop; a judge checks it after each run. */
  readonly until?: string;
  readonly state: "active" | "paused";
  readonly reason?: string;
  /** The time of the next run. */
  readonly nextAt: number;
}

/**
 * A prompt that the session repeats at an interval while it is idle (a heartbeat). If several runs were missed, only
 * one is made up for.
 */
export interface Heartbeat {
  readonly prompt: string;
  readonly everyMs: number;
  readonly runs: number;
  readonly nextAt: number;
}

/** The goal, loop and heartbeat of a session, in a form for the status line. */
export interface GoalsStatus {
  readonly goal?: Goal & { readonly maxTurns: number };
  readonly loop?: PromptLoop;
  readonly heartbeat?: Heartbeat;
}

/** The goal, the loop and the heartbeat of a session. All of them are stored with it and survive a crash. */
export interface SessionGoals {
  status(): GoalsStatus;
  /** Replaces an earlier goal and starts its first turn. */
  setGoal(text: string, contract?: GoalContract): Promise<Result<Goal>>;
  /** Uses a model to write the contract of a goal. Changes nothing. */
  draft(text: string, signal: AbortSignal): Promise<Result<GoalContract>>;
  /** Changes the goal. `resume` also starts its next turn and resets its turn limit. */
  changeGoal(change: GoalChange): Promise<Result<Goal>>;
  clearGoal(): Promise<Result<Goal>>;
  startLoop(wish: LoopWish): Promise<Result<PromptLoop>>;
  changeLoop(change: "pause" | "resume" | "stop"): Promise<Result<PromptLoop>>;
  startHeartbeat(wish: { readonly prompt: string; readonly everyMs: number }): Promise<Result<Heartbeat>>;
  stopHeartbeat(): Promise<Result<Heartbeat>>;
}

export interface LoopWish {
  readonly prompt: string;
  readonly everyMs?: number;
  readonly times?: number;
  readonly until?: string;
}

export type GoalChange =
  | { readonly kind: "pause" | "resume" | "unwait" | "clearSubgoals" }
  | { readonly kind: "addSubgoal"; readonly text: string }
  /** Positions start at 1. */
  | { readonly kind: "removeSubgoal" | "removeGate"; readonly place: number }
  | { readonly kind: "addGate"; readonly command: string }
  | { readonly kind: "wait"; readonly wait: GoalWait };

/** The maximum length of a goal, a subgoal or a gate, and the maximum number of them. */
export const goalLimits = { chars: 20_000, items: 50 } as const;

/** The minimum interval of a loop or heartbeat. */
export const minHeartbeatMs = 60_000;
export const minLoopMs = 1_000;
/** The longest pause between two runs: 30 days. */
export const maxRepeatMs = 30 * 24 * 3_600_000;
