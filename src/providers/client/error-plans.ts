import type { ModelErrorKind } from "../../contracts/model/model.ts";

/** Steps after a failure, in this order; the first possible one is taken. */
export interface ErrorPlan {
  /** The caller handles it; no retry here. */
  readonly caller?: boolean;
  /** Changes the request, each repair once: see `repairs.ts`. */
  readonly repair?: boolean;
  /** Tries another key. `later`: after another attempt with this one. */
  readonly rotate?: "now" | "later";
  readonly retry?: boolean;
  /** Falls back to the next of `fallback_providers`. */
  readonly fallback?: boolean;
  /** How long this model is then skipped. */
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

/** A user waits for the answer, so longer delays end in an error. */
export const maxWaitMs = 10 * minuteMs;
/** The limit when a fallback model is available. */
export const maxWaitWithFallbackMs = 30_000;
