import type { Result } from "../../base/result.ts";

/** Plan mode: the agent only reads until the user approves its plan. `plan`: its last answer. */
export interface PlanStatus {
  readonly plan?: string;
}

/**
 * The plan mode of a session, stored with it. The policy enforces it: no mode and no rule allows changes while it is
 * on.
 */
export interface SessionPlanning {
  /** Undefined: the session is not in plan mode. */
  status(): PlanStatus | undefined;
  /** Allows only reading from now on. With a request, a turn plans it. */
  start(request?: string): Promise<Result<PlanStatus>>;
  /** Leaves plan mode, fills the todo list and starts the work. `plan`: the text as edited by the user. */
  approve(plan?: string): Promise<Result<{ readonly plan: string; readonly steps: readonly string[] }>>;
  /** Leaves plan mode. Nothing is executed. */
  reject(): Promise<Result<PlanStatus>>;
}
