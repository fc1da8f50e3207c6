import type { PolicyRequest } from "../../contracts/safety/approval.ts";

type Turn = Pick<PolicyRequest, "sessionId" | "turnId">;

/** Counts what was denied in a row, for each conversation. A new turn begins anew. */
export interface DenialCount {
  /** How many in a row, this one included. */
  denied(turn: Turn): number;
  approved(turn: Turn): void;
  count(turn: Turn): number;
}

export function createDenialCount(): DenialCount {
  const counts = new Map<string, { readonly turnId: string | undefined; readonly count: number }>();
  const count = ({ sessionId, turnId }: Turn) => {
    const known = counts.get(sessionId);
    return known?.turnId === turnId ? (known?.count ?? 0) : 0;
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
