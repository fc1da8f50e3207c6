import type { Clock } from "../../base/clock.ts";
import type { SessionId } from "../../base/ids.ts";
import type { Usage } from "../../contracts/model/model.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import type { SessionStore, Spent } from "../../contracts/session/session.ts";

/** Spending limits. Undefined: no limit. 0: no model is called. */
export interface SpendCaps {
  readonly usd: Partial<Record<Period, number>>;
  readonly tokens: Partial<Record<Period, number>>;
}

export type Period = "turn" | "session" | "day";

export interface SpendGuard {
  /**
   * Called before every model call, including auxiliary ones. Returns why the call must not be made, as text for a
   * person. `requestTokens` is the estimated size of the request; it counts before the request is sent.
   */
  refusal(turn: Usage, requestTokens?: number): Promise<string | undefined>;
  /**
   * Returns a warning for the user, once, if a limit in dollars cannot be enforced because the cost of this answer is
   * unknown.
   */
  doubt(usage: Usage, model: string): string | undefined;
}

/** The running turn of a session that a person or program opened. */
export interface FamilyTurn {
  startedAt?: number;
}

export interface SpendOwner {
  readonly sessionId: SessionId;
  readonly principal: Principal;
  /** The running turn of the session and its child agents. Undefined: only the session's own calls count for a turn. */
  readonly turn?: FamilyTurn;
}

/**
 * Uses the costs in the store, so that other processes, child agents and auxiliary calls count too. The daily limit
 * applies to each principal.
 */
export function createSpendGuard(
  caps: SpendCaps,
  { sessionId, principal, turn: family }: SpendOwner,
  { store, clock }: { readonly store: Pick<SessionStore, "spent">; readonly clock: Clock },
): SpendGuard {
  async function spentIn(period: Period, turn: Usage): Promise<Pick<Spent, "costUsd" | "tokens">> {
    if (period === "turn") return inTurn({ costUsd: turn.costUsd ?? 0, tokens: turn.input + turn.output });
    return store.spent(period === "session" ? { sessionId } : { who: principal, since: startOfDay(clock.now()) });
  }

  /** Counts the calls of the session and of all its child agents in this turn. */
  async function inTurn(own: Pick<Spent, "costUsd" | "tokens">): Promise<Pick<Spent, "costUsd" | "tokens">> {
    if (family?.startedAt === undefined) return own;
    const all = await store.spent({ sessionId, since: family.startedAt });
    return { costUsd: Math.max(own.costUsd, all.costUsd), tokens: Math.max(own.tokens, all.tokens) };
  }

  let isDoubted = false;
  return {
    doubt(usage, model) {
      if (isDoubted || usage.costUsd !== undefined || Object.values(caps.usd).length === 0) return undefined;
      isDoubted = true;
      return `The price of ${model} is unknown, so Hermes cannot enforce the budget in dollars. Set its price (model_overrides), or limit tokens: budget.max_tokens_per_session.`;
    },
    async refusal(turn, requestTokens = 0) {
      for (const period of periods) {
        const usd = caps.usd[period];
        const tokens = caps.tokens[period];
        if (usd === undefined && tokens === undefined) continue;
        const spent = usd === 0 || tokens === 0 ? nothing : await spentIn(period, turn);
        if (usd !== undefined && spent.costUsd >= usd) {
          return refusalText(period, `$${usd}`, `$${spent.costUsd.toFixed(4)}`, `max_usd_per_${period}`);
        }
        if (tokens !== undefined && (spent.tokens >= tokens || spent.tokens + requestTokens > tokens)) {
          const next = spent.tokens >= tokens ? "" : ` and about ${requestTokens} needed for the next request`;
          return refusalText(period, `${tokens} tokens`, `${spent.tokens}`, `max_tokens_per_${period}`, next);
        }
      }
      return undefined;
    },
  };
}

/** Wraps a guard with an additional rule that is checked first, such as the budget of a child agent. */
export function limitedSpend(guard: SpendGuard, rule: (() => Promise<string | undefined>) | undefined): SpendGuard {
  if (!rule) return guard;
  return {
    doubt: guard.doubt,
    refusal: async (turn, requestTokens) => (await rule()) ?? guard.refusal(turn, requestTokens),
  };
}

const periods: readonly Period[] = ["turn", "session", "day"];

const nothing = { costUsd: 0, tokens: 0 };

function refusalText(period: Period, cap: string, spent: string, key: string, next = ""): string {
  return `The budget of this ${period} is ${cap}, with ${spent} used${next}: the model was not called. Raise it with: hermes config set budget.${key} …`;
}

/** The start of the day in the local time zone. */
export function startOfDay(now: number): number {
  const day = new Date(now);
  day.setHours(0, 0, 0, 0);
  return day.getTime();
}
