import { createPlanMode, type PlanMode, planState } from "../../../sessions/plan-mode.ts";
import type { SessionDeps } from "../session-deps.ts";
import type { OpenedSessionApprovals } from "./open-approvals.ts";
import type { OpenedRecord } from "./open-record.ts";

/** The plan mode of a session. Sessions that it starts share its approvals, so the mode applies to them too. */
export function openPlanMode(
  { entries, lease, log, parent }: OpenedRecord,
  { state }: OpenedSessionApprovals,
  { logger }: SessionDeps,
): PlanMode {
  const readOnly = lease ? undefined : "Another program writes to this session; it is read-only here.";
  const refusal = parent
    ? "Plan mode is available only in the main session of a chat, not in sessions that it starts."
    : readOnly;
  return createPlanMode(parent ? [] : entries, refusal, {
    restrict: state.restrict,
    store: (value) => log.append([{ type: "state", name: planState, value }]),
    log: logger,
  });
}
