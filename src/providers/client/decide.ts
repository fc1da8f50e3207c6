import type { ModelError, ModelRequest } from "../../contracts/model/model.ts";
import type { Credential } from "../credentials/credential-pool.ts";
import type { Quirks } from "../endpoint.ts";
import { backOffMs } from "./back-off.ts";
import { errorPlans, maxWaitMs, maxWaitWithFallbackMs } from "./error-plans.ts";
import { type Repair, repairs } from "./repairs.ts";

/** How things stand when an attempt has failed. */
export interface FailureContext {
  readonly request: ModelRequest;
  readonly quirks: Quirks;
  /** Names of the repairs that were tried. */
  readonly repaired: ReadonlySet<string>;
  /** The key that was used, and one that could be used in its place. */
  readonly key: Credential | undefined;
  readonly otherKey: Credential | undefined;
  /** Another model could be asked. */
  readonly hasNext: boolean;
  /** How often the same was tried again: at all, and with this key. */
  readonly retries: number;
  readonly retriesWithKey: number;
  readonly maxRetries: number;
  /** The first wait. */
  readonly baseMs: number;
  readonly random: () => number;
}

/** `keyRests`: what went wrong is held against the key. `passMs`: for how long the model is passed over. */
export type Decision =
  | { readonly do: "tell_caller" }
  | { readonly do: "repair"; readonly repair: Repair }
  | { readonly do: "rotate"; readonly to: Credential; readonly keyRests: true }
  | { readonly do: "retry"; readonly waitMs: number; readonly keyRests: boolean }
  | { readonly do: "fall_back"; readonly passMs: number; readonly keyRests: boolean }
  | { readonly do: "give_up"; readonly keyRests: boolean };

/** The first thing of the error's plan that can be done. */
export function decideRecovery(error: ModelError, context: FailureContext): Decision {
  const plan = errorPlans[error.kind];
  const { key, otherKey, hasNext, retries, request, quirks } = context;
  const repair = plan.repair
    ? repairs.find((one) => !context.repaired.has(one.name) && one.fits(error, request, quirks))
    : undefined;
  if (repair) return { do: "repair", repair };
  if (plan.caller) return { do: "tell_caller" };

  const isLong = (error.retryAfterMs ?? 0) > maxWaitWithFallbackMs && (otherKey !== undefined || hasNext);
  const isDue = plan.rotate === "now" || error.plan === true || context.retriesWithKey > 0 || isLong;
  const keyRests = key !== undefined && plan.rotate !== undefined && isDue;
  if (keyRests && otherKey) return { do: "rotate", to: otherKey, keyRests };

  const waitMs = error.retryAfterMs ?? backOffMs(retries, context.baseMs, context.random);
  const isWorthIt = error.plan !== true && waitMs <= (hasNext ? maxWaitWithFallbackMs : maxWaitMs);
  if (plan.retry && retries < context.maxRetries && isWorthIt) return { do: "retry", waitMs, keyRests };

  if (!plan.fallback || !hasNext) return { do: "give_up", keyRests };
  const { passMs = 0 } = plan;
  return {
    do: "fall_back",
    passMs: passMs === 0 ? 0 : Math.max(passMs, Math.min(error.retryAfterMs ?? 0, maxWaitMs)),
    keyRests,
  };
}
