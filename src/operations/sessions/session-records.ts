import { err, type Result } from "../../base/result.ts";
import { string } from "../../contracts/host/input-schema.ts";
import type { OperationFault } from "../../contracts/host/operation.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import type { SessionRecord, SessionStore } from "../../contracts/session/session.ts";

export const sessionField = string("an id, a prefix of an id, a title, or latest");

/** The maximum for lists without their own limit. */
export const maxSessions = 1_000_000;

export const noSessionsYet = err({ message: "There are no sessions yet.", hint: "Start one: hermes" });

/** A session as programs read it. */
export type SessionSummary = Omit<SessionRecord, "principal" | "head">;

export function summaryOf({ principal: _principal, head: _head, ...summary }: SessionRecord): SessionSummary {
  return summary;
}

export async function findRecord(
  store: SessionStore | undefined,
  name: string,
  principal: Principal,
): Promise<Result<SessionRecord, OperationFault>> {
  return store ? store.find(name, principal) : noSessionsYet;
}
