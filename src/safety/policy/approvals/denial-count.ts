import type { PolicyRequest } from "../../../contracts/safety/approval.ts";

type Turn = Pick<PolicyRequest, "sessionId" | "turnId">;

/** Counts consecutive denials for each session. A new turn resets the count. */
export interface DenialCount {
  /** Returns the number of consecutive denials, including this one. */
  denied(turn: Turn): number;
  approved(turn: Turn): void;
  count(turn: Turn): number;
}

export function createDenialCount(): DenialCount {
  const counts = new Map<string, { readonly turnId: string | undefined; readonly count: number }>();
  const count = ({ sessionId, turnId }: Turn) => {
    const current = counts.get(sessionId);
    return current?.turnId === turnId ? (current?.count ?? 0) : 0;
  };
  return {
    count,
    denied(turn) {
      const next = count(turn) + 1;
      counts.set(turn.sessionId, { turnId: turn.turnId, count: next });
      return next;
    },
    approved({ sessionId }) {
      counts.delete(sessionId);
    },
  };
}
