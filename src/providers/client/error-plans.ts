import type { ModelErrorKind } from "../../contracts/model/model.ts";

/** The steps after a failure, in this order. The first possible step is used. */
export interface ErrorPlan {
  /** The error is returned to the caller, without a retry. */
  readonly caller?: boolean;
  /** True if the request is changed and retried. Each repair is tried once: see `repairs.ts`. */
  readonly repair?: boolean;
  /** Retries with another key. `later`: only after another attempt with the same key. */
  readonly rotate?: "now" | "later";
  readonly retry?: boolean;
  /** Falls back to the next model of `fallback_providers`. */
  readonly fallback?: boolean;
  /** How long the failed model is skipped afterwards. */
  readonly passMs?: number;
}

const minuteMs = 60_000;

/** The recovery plan of each kind of error. */
export const errorPlans: Readonly<Record<ModelErrorKind, ErrorPlan>> = {
  rate_limited: { rotate: "later", retry: true, fallback: true, passMs: 5 * minuteMs },
  overloaded: { retry: true, fallback: true, passMs: minuteMs },
  server: { retry: true, fallback: true, passMs: minuteMs },
  network: { retry: true, fallback: true, passMs: minuteMs },
  stalled: { retry: true, fallback: true, passMs: minuteMs },
  malformed: { retry: true, fallback: true, passMs: minuteMs },
  auth: { rotate: "now", fallback: true, passMs: 5 * minuteMs },
  billing: { rotate: "now", fallback: true, passMs: 10 * minuteMs },
  not_found: { fallback: true, passMs: 10 * minuteMs },
  content_policy: { fallback: true, passMs: 0 },
  schema_rejected: { repair: true, fallback: true, passMs: 0 },
  reasoning_rejected: { repair: true, fallback: true, passMs: 0 },
  image_too_large: { repair: true, fallback: true, passMs: 0 },
  invalid_request: { repair: true, fallback: true, passMs: 0 },
  payload_too_large: { repair: true, caller: true },
  context_overflow: { caller: true },
  certificate: {},
  aborted: { caller: true },
};

/** The longest delay before a retry. A user waits for the answer, so a longer delay becomes an error. */
export const maxWaitMs = 10 * minuteMs;
/** The longest delay if a fallback model is available. */
export const maxWaitWithFallbackMs = 30_000;
