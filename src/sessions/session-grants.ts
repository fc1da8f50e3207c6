import type { SessionId } from "../base/ids.ts";
import type { Logger } from "../base/log/log.ts";
import { reasonOf } from "../base/result.ts";
import type { Entry, EntryBody } from "../contracts/session/session.ts";
import type { TurnCompanion } from "../contracts/session/turn-companion.ts";

/** What a person allowed for the rest of a conversation: it counts on when the conversation is resumed. */
export interface SessionGrants {
  /** As rules are written. */
  granted(session: SessionId): readonly string[];
  keep(session: SessionId, rules: readonly string[]): void;
  /** From now on that session is known, with what was allowed on the way to where it goes on. */
  open(
    session: SessionId,
    entries: readonly Entry[],
    store: (body: EntryBody) => Promise<unknown>,
  ): Pick<TurnCompanion, "close">;
}

export function createSessionGrants(log: Logger): SessionGrants {
  const known = new Map<SessionId, { rules: readonly string[]; store(body: EntryBody): Promise<unknown> }>();
  return {
    granted: (session) => known.get(session)?.rules ?? [],
    keep(session, rules) {
      const one = known.get(session);
      if (!one) return;
      one.rules = [...new Set([...one.rules, ...rules])];
      // Reaches the disk before the call that was allowed: appends keep their order.
      one
        .store({ type: "state", name: "grants", value: one.rules })
        .catch((thrown: unknown) => log.error("grants.not_stored", { error: reasonOf(thrown) }));
    },
    open(session, entries, store) {
      const last = entries.findLast((entry) => entry.type === "state" && entry.name === "grants");
      const value = last?.type === "state" && Array.isArray(last.value) ? last.value : [];
      known.set(session, { rules: value.filter((rule) => typeof rule === "string"), store });
      return { close: async () => void known.delete(session) };
    },
  };
}
