import { noUsage, type Usage } from "../../contracts/model/model.ts";
import type { Entry } from "../../contracts/session/session.ts";
import { addUsage } from "../../kernel/loop/turn-state.ts";

/** The usage of a session since its first turn, and of its last turn. */
export interface UsageCount {
  add(turn: Usage, modelCalls: number): void;
  /** Usage outside a turn. */
  addAuxiliary(usage: Usage): void;
  total(): { readonly turn: Usage; readonly session: Usage; readonly sessionCalls: number };
}

export function createUsageCount(entries: readonly Entry[]): UsageCount {
  let turn = noUsage;
  let session = entries.reduce((sum, entry) => (entry.type === "usage" ? addUsage(sum, entry.usage) : sum), noUsage);
  let sessionCalls = entries.filter(({ type }) => type === "usage").length;
  return {
    add(usage, modelCalls) {
      turn = usage;
      session = addUsage(session, usage);
      sessionCalls += modelCalls;
    },
    addAuxiliary: (usage) => void (session = addUsage(session, usage)),
    total: () => ({ turn, session, sessionCalls }),
  };
}
