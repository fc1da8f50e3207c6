import { oneLine } from "../../../base/text/text.ts";
import type { ApprovalReviewer, SessionApprovalDesk } from "../../../contracts/safety/approval.ts";
import type { EntryBody } from "../../../contracts/session/session.ts";
import { type OpenedApprovals, stricterApprovals } from "../../../sessions/session-approvals.ts";
import type { SessionDeps } from "../session-deps.ts";
import type { SessionModel } from "../session-model.ts";
import type { OpenedRecord } from "./open-record.ts";

/** The approvals of a session: its mode and grants, and its view of the desk. Disposing detaches its surfaces. */
export interface OpenedSessionApprovals extends Disposable {
  readonly state: OpenedApprovals;
  readonly desk: SessionApprovalDesk;
}

/** A session that another one starts shares its approvals; its questions appear on the surfaces of the parent. */
export function openApprovals(opened: OpenedRecord, model: SessionModel, deps: SessionDeps): OpenedSessionApprovals {
  const { record, options, principal, parent, child, entries, lease, log } = opened;
  const state = parent
    ? deps.approvals.share(record.id, {
        ...stricterApprovals(parent.approvals, child?.plan.permissions),
        ...(options.background !== undefined && { background: options.background }),
        ...(child && {
          agent: child.plan.task.agent ?? oneLine(child.plan.task.goal, 60),
          isDeniedUnattended: !deps.config.values.delegation.subagent_auto_approve,
        }),
      })
    : deps.approvals.open(record.id, {
        mode: deps.config.values.approvals.mode,
        entries,
        ...(lease && { store: (body: EntryBody) => log.append([body]) }),
        reviewer: reviewerWith(model),
      });
  const attached = new DisposableStack();
  const { id: session, mode, setMode, grants, revokeGrants } = state;
  return {
    state,
    desk: {
      mode,
      setMode,
      grants,
      revokeGrants,
      attach: (surface) => attached.use(deps.desk.attach(surface, { session })),
      pending: async () => (await deps.desk.pending(principal)).filter(({ shownIn }) => shownIn === session),
      answer: (id, answer, name) => deps.desk.answer(id, answer, { principal, name }),
    },
    [Symbol.dispose]() {
      attached.dispose();
      state[Symbol.dispose]();
    },
  };
}

/** The answer is one word; models that reason first need more tokens. */
const maxReviewTokens = 4_000;

function reviewerWith({ auxiliary }: SessionModel): ApprovalReviewer {
  return { review: (prompt, signal) => auxiliary.complete("approval", prompt, { maxTokens: maxReviewTokens }, signal) };
}
