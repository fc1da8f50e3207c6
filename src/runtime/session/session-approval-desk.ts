import type { ApprovalDesk, SessionApprovalDesk } from "../../contracts/safety/approval.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import type { OpenedApprovals } from "../../sessions/session-approvals.ts";

/** The desk as one session sees it. Disposing detaches its surfaces. */
export function openSessionApprovalDesk(
  approvals: OpenedApprovals,
  principal: Principal,
  desk: Omit<ApprovalDesk, "ask">,
): SessionApprovalDesk & Disposable {
  const { id: session, mode, setMode } = approvals;
  const attached = new DisposableStack();
  return {
    mode,
    setMode,
    attach: (surface) => attached.use(desk.attach(surface, { session })),
    pending: async () => (await desk.pending(principal)).filter(({ shownIn }) => shownIn === session),
    answer: (id, answer, name) => desk.answer(id, answer, { principal, name }),
    [Symbol.dispose]: () => attached.dispose(),
  };
}
