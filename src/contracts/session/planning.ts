import type { Result } from "../../base/result.ts";

/** The state of plan mode: the agent only reads until the user approves its plan. `plan` is the agent's last answer. */
export interface PlanStatus {
  readonly plan?: string;
}

/**
 * The plan mode of a session, stored with it. The policy enforces it: while plan mode is on, no approval mode and no
 * rule allows changes.
 */
export interface SessionPlanning {
  /** Undefined: the session is not in plan mode. */
  status(): PlanStatus | undefined;
  /** Turns plan mode on. If a request is given, a turn starts that plans it. */
  start(request?: string): Promise<Result<PlanStatus>>;
  /** Leaves plan mode, fills the todo list and starts the work. `plan` is the plan text as the user edited it. */
  approve(plan?: string): Promise<Result<{ readonly plan: string; readonly steps: readonly string[] }>>;
  /** Leaves plan mode without executing the plan. */
  reject(): Promise<Result<PlanStatus>>;
}
