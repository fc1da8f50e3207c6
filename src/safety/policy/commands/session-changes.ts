import type { SessionId } from "../../../base/ids.ts";
import type { SubjectAsk } from "../approvals/question.ts";

/** The state that a policy keeps about a session. It is lost when the program ends. */
export interface SessionChanges {
  /** Files that calls of the session are known to have written. */
  written(session: SessionId): ReadonlySet<string>;
  /** Called when a call that writes these files was allowed. */
  allowed(session: SessionId, written: readonly string[]): void;
  /** Called when a person approved these questions. */
  answered(session: SessionId, asks: readonly SubjectAsk[]): void;
  /** Returns whether a person has already approved this question in the session, if one answer is enough. */
  isAnswered(session: SessionId, ask: SubjectAsk): boolean;
}

export function createSessionChanges(): SessionChanges {
  const sessions = new Map<SessionId, { readonly written: Set<string>; readonly keys: Set<string> }>();
  const open = (session: SessionId) => {
    const own = sessions.get(session) ?? { written: new Set(), keys: new Set() };
    sessions.set(session, own);
    return own;
  };
  return {
    written: (session) => sessions.get(session)?.written ?? new Set(),
    allowed(session, written) {
      for (const path of written) if (open(session).written.size < maxPaths) open(session).written.add(path);
    },
    answered(session, asks) {
      for (const { sessionKey } of asks) if (sessionKey !== undefined) open(session).keys.add(sessionKey);
    },
    isAnswered: (session, { sessionKey }) =>
      sessionKey !== undefined && sessions.get(session)?.keys.has(sessionKey) === true,
  };
}

const maxPaths = 10_000;
