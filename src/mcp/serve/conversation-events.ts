import type { JsonObject } from "../../base/json.ts";
import type { PendingApproval } from "../../contracts/safety/approval.ts";
import type { OwnSessions, PlacedEntry } from "../../contracts/session/session.ts";

/** Collects new messages and questions after a cursor. */
export interface ConversationEvents {
  /** Without a cursor, returns no events and the current cursor. */
  after(
    cursor: string | undefined,
    filter: { readonly limit: number; readonly session?: string },
  ): Promise<{ readonly events: JsonObject[]; readonly next_cursor: string }>;
}

export interface ConversationEventsDeps {
  sessions(): Promise<OwnSessions>;
  /** The entries of all sessions after that row, oldest first. */
  entriesAfter(place: number, limit: number): Promise<readonly PlacedEntry[]>;
  pending(): Promise<readonly PendingApproval[]>;
  message(entry: Extract<PlacedEntry["entry"], { readonly type: "message" }>): JsonObject;
  question(pending: PendingApproval): JsonObject;
}

/** Messages come from the store; open questions are compared with those of the last poll. */
export function createConversationEvents(deps: ConversationEventsDeps): ConversationEvents {
  const questions: { readonly number: number; readonly session: string; readonly event: JsonObject }[] = [];
  const open = new Map<string, PendingApproval>();
  let count = 0;

  function note(type: string, pending: PendingApproval): void {
    count += 1;
    questions.push({ number: count, session: pending.sessionId, event: { type, ...deps.question(pending) } });
    if (questions.length > maxKept) questions.shift();
  }

  async function compareQuestions(): Promise<void> {
    const now = new Map((await deps.pending()).map((pending) => [String(pending.id), pending]));
    for (const [id, pending] of now) if (!open.has(id)) note("approval_requested", pending);
    for (const [id, pending] of open) if (!now.has(id)) note("approval_resolved", pending);
    open.clear();
    for (const [id, pending] of now) open.set(id, pending);
  }

  /** Finds the last row by binary search, because rows have gaps. */
  async function lastPlace(): Promise<number> {
    let [low, high] = [0, 2 ** 40];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const [next] = await deps.entriesAfter(middle, 1);
      if (next) low = next.place;
      else high = middle;
    }
    return low;
  }

  return {
    async after(cursor, { limit, session }) {
      await compareQuestions();
      if (cursor === undefined) return { events: [], next_cursor: `${await lastPlace()}.${count}` };
      const [from = 0, since = 0] = cursor.split(".").map((part) => (/^\d{1,15}$/u.test(part) ? Number(part) : 0));
      const sessions = await deps.sessions();
      const events: JsonObject[] = [];
      let place = from;
      let number = since;
      for (const one of questions) {
        if (one.number <= since || events.length >= limit) continue;
        number = one.number;
        if (session === undefined || one.session === session) events.push(one.event);
      }
      for (const { place: row, sessionId, entry } of await deps.entriesAfter(from, maxRows)) {
        if (events.length >= limit) break;
        place = row;
        if (entry.type !== "message" || (session !== undefined && session !== sessionId)) continue;
        if (await sessions.get(sessionId))
          events.push({ type: "message", session_id: sessionId, ...deps.message(entry) });
      }
      return { events, next_cursor: `${place}.${number}` };
    },
  };
}

const maxKept = 1_000;
const maxRows = 1_000;
