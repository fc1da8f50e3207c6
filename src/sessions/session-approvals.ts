import type { SessionId } from "../base/ids.ts";
import type { Logger } from "../base/log/log.ts";
import { reasonOf } from "../base/result.ts";
import type { ApprovalMode, ApprovalReviewer, SessionApprovals } from "../contracts/safety/approval.ts";
import type { Entry, EntryBody } from "../contracts/session/session.ts";

/** The approvals of the open sessions. Each session has its own mode, and its grants are kept on a resume. */
export interface ApprovalSessions {
  find(session: SessionId): SessionApprovals | undefined;
  open(session: SessionId, options: OpenApprovals): OpenedApprovals;
  /** Registers a child session, which shares mode, grants and reviewer of its parent. */
  share(child: SessionId, parent: OpenedApprovals): OpenedApprovals;
}

export interface OpenApprovals {
  readonly mode: ApprovalMode;
  readonly entries: readonly Entry[];
  /** Stores grants. Undefined in a session that this process cannot write to. */
  readonly store?: (body: EntryBody) => Promise<unknown>;
  readonly reviewer: ApprovalReviewer;
}

/** The approvals of one open session. Disposing removes them. */
export interface OpenedApprovals extends SessionApprovals, Disposable {
  setMode(mode: ApprovalMode): void;
  revokeGrants(): void;
  /** Turns the restriction on or off: if true, only reading is allowed, whatever the mode. */
  restrict(isReadOnly: boolean): void;
}

export function createApprovalSessions(log: Logger): ApprovalSessions {
  const sessions = new Map<SessionId, SessionApprovals>();

  function add(id: SessionId, approvals: Omit<OpenedApprovals, typeof Symbol.dispose>): OpenedApprovals {
    sessions.set(id, approvals);
    return { ...approvals, [Symbol.dispose]: () => void sessions.delete(id) };
  }

  return {
    find: (session) => sessions.get(session),
    open(id, { entries, store, reviewer, ...initial }) {
      let { mode } = initial;
      let isReadOnly = false;
      let grants = storedGrants(entries);
      function setGrants(rules: readonly string[]): void {
        grants = rules;
        // Appends keep their order, so the grant is on disk before the call that it allows.
        store?.({ type: "state", name: "grants", value: grants }).catch((thrown: unknown) =>
          log.error("grants.not_stored", { error: reasonOf(thrown) }),
        );
      }
      return add(id, {
        id,
        mode: () => (isReadOnly ? "readonly" : mode),
        restrict: (readOnly) => void (isReadOnly = readOnly),
        setMode: (next) => void (mode = next),
        grants: () => grants,
        grant: (rules) => setGrants([...new Set([...grants, ...rules])]),
        revokeGrants: () => setGrants([]),
        reviewer,
      });
    },
    share: add,
  };
}

/** Returns the same approvals with the stricter of two modes: the parent's, which may change, and this one. */
export function stricterApprovals(approvals: OpenedApprovals, mode: ApprovalMode | undefined): OpenedApprovals {
  if (mode === undefined) return approvals;
  const strictest = (one: ApprovalMode) => (strictness.indexOf(one) < strictness.indexOf(mode) ? one : mode);
  return { ...approvals, mode: () => strictest(approvals.mode()) };
}

/** Modes from the strictest to the loosest. */
const strictness: readonly ApprovalMode[] = ["readonly", "manual", "smart", "yolo"];

function storedGrants(entries: readonly Entry[]): readonly string[] {
  const last = entries.findLast((entry) => entry.type === "state" && entry.name === "grants");
  const value = last?.type === "state" && Array.isArray(last.value) ? last.value : [];
  return value.filter((rule) => typeof rule === "string");
}
