import { createPlanMode, type PlanMode, planState } from "../../sessions/plan-mode.ts";
import type { OpenedSessionApprovals } from "./open-approvals.ts";
import type { OpenedRecord } from "./open-record.ts";
import type { SessionDeps } from "./session-deps.ts";

/** The plan mode of a session. Sessions that it starts share its approvals, so the mode applies to them too. */
export function openPlanMode(
  { entries, lease, log, parent }: OpenedRecord,
  { state }: OpenedSessionApprovals,
  { logger }: SessionDeps,
): PlanMode {
  const readOnly = lease ? undefined : "This session is written to by another program; it can only be read here.";
  const refusal = parent ? "Plan mode belongs to the session that a person talks to." : readOnly;
  return createPlanMode(parent ? [] : entries, refusal, {
    restrict: state.restrict,
    store: (value) => log.append([{ type: "state", name: planState, value }]),
    log: logger,
  });
}
