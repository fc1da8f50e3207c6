import type { SessionId } from "../../../base/ids.ts";
import type { SubjectAsk } from "../approvals/question.ts";

/** The memory of a policy about its sessions. It ends with the program. */
export interface SessionChanges {
  /** Files that its calls are known to have written. */
  written(session: SessionId): ReadonlySet<string>;
  /** A call was allowed that writes these files. */
  allowed(session: SessionId, written: readonly string[]): void;
  /** A person answered these questions with yes. */
  answered(session: SessionId, asks: readonly SubjectAsk[]): void;
  /** Whether a person has answered this question in the session, if one answer is enough. */
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
      for (const { key, isForSession } of asks) if (isForSession) open(session).keys.add(key);
    },
    isAnswered: (session, { key, isForSession = false }) =>
      isForSession && sessions.get(session)?.keys.has(key) === true,
  };
}

const maxPaths = 10_000;
