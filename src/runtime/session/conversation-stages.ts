import type { SessionTap } from "../../contracts/session/session-tap.ts";
import type { TurnCompanion } from "../../contracts/session/turn-companion.ts";
import type { PlanMode } from "../../sessions/plan-mode.ts";
import type { OpenedSessionApprovals } from "./services/open-approvals.ts";
import type { OpenedKnowledge } from "./services/open-knowledge.ts";
import type { OpenedRecord } from "./services/open-record.ts";
import type { SessionModel } from "./session-model.ts";
import type { SessionRequests } from "./session-requests.ts";
import type { OpenedWorkbench } from "./session-workbench.ts";

export interface ConversationStages {
  readonly opened: OpenedRecord;
  readonly bench: OpenedWorkbench;
  readonly knowledge: OpenedKnowledge;
  readonly sessionModel: SessionModel;
  readonly requests: SessionRequests;
  readonly approvals: OpenedSessionApprovals;
  readonly tap: SessionTap;
  readonly planMode: PlanMode;
  readonly companions: readonly TurnCompanion[];
}
