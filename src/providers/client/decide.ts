import type { ModelError, ModelRequest } from "../../contracts/model/model.ts";
import type { Credential } from "../credentials/credential-pool.ts";
import type { Quirks } from "../endpoint.ts";
import { backOffMs } from "./back-off.ts";
import { errorPlans, maxWaitMs, maxWaitWithFallbackMs } from "./error-plans.ts";
import { type Repair, repairs } from "./repairs.ts";

/** The state after a failed attempt. */
export interface FailureContext {
  readonly request: ModelRequest;
  readonly quirks: Quirks;
  /** Names of the repairs already tried. */
  readonly repaired: ReadonlySet<string>;
  /** The key that failed, and another key that can be used instead. */
  readonly key: Credential | undefined;
  readonly otherKey: Credential | undefined;
  /** True if a fallback model is available. */
  readonly hasNext: boolean;
  /** The number of retries of the same request: in total, and with this key. */
  readonly retries: number;
  readonly retriesWithKey: number;
  readonly maxRetries: number;
  /** The base delay between retries, which grows with each retry. */
  readonly baseMs: number;
  readonly random: () => number;
}

/** `keyRests`: the key is not used for a while. `passMs`: how long the model is skipped. */
export type Decision =
  | { readonly do: "tell_caller" }
  | { readonly do: "repair"; readonly repair: Repair }
  | { readonly do: "rotate"; readonly to: Credential; readonly keyRests: true }
  | { readonly do: "retry"; readonly waitMs: number; readonly keyRests: boolean }
  | { readonly do: "fall_back"; readonly passMs: number; readonly keyRests: boolean }
  | { readonly do: "give_up"; readonly keyRests: boolean };

/** Returns the first possible step of the plan for this error. */
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
