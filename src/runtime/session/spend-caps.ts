import { systemClock } from "../../base/clock.ts";
import { newId, type SessionId } from "../../base/ids.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { noUsage } from "../../contracts/model/model.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import type { SessionStore, Spent } from "../../contracts/session/session.ts";
import { createSpendGuard, type SpendCaps } from "../../kernel/loop/spend-guard.ts";
import { openSessions } from "../store/open-sessions.ts";

export function spendCaps({ values: { budget } }: LoadedConfig): SpendCaps {
  const given = (turn: number | null, session: number | null, day: number | null) => ({
    ...(turn !== null && { turn }),
    ...(session !== null && { session }),
    ...(day !== null && { day }),
  });
  return {
    usd: given(budget.max_usd_per_turn, budget.max_usd_per_session, budget.max_usd_per_day),
    tokens: given(budget.max_tokens_per_turn, budget.max_tokens_per_session, budget.max_tokens_per_day),
  };
}

/** The reason why no model may be called now outside of sessions, if any. */
export async function whySpendIsRefused(
  config: LoadedConfig,
  principal: Principal,
  say: (sentence: string) => void,
): Promise<string | undefined> {
  const caps = spendCaps(config);
  if (Object.keys({ ...caps.usd, ...caps.tokens }).length === 0) return undefined;
  await using sessions = await openSessions(config, say);
  const store: Pick<SessionStore, "spent"> = sessions ?? { spent: async () => nothing };
  return createSpendGuard(
    caps,
    { sessionId: newId<SessionId>("ses"), principal },
    { store, clock: systemClock },
  ).refusal(noUsage);
}

const nothing: Spent = { costUsd: 0, tokens: 0, calls: 0, unknownCost: 0 };
