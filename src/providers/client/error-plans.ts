import type { ModelErrorKind } from "../../contracts/model/model.ts";

/** What is done about a failure, in this order; the first that is possible is done. */
export interface ErrorPlan {
  /** Whoever asked deals with it: nothing is tried here. */
  readonly caller?: boolean;
  /** The request is changed, each way once: see `repairs.ts`. */
  readonly repair?: boolean;
  /** Another key is tried. `later`: after one more attempt with this one. */
  readonly rotate?: "now" | "later";
  /** The same is tried again after a while. */
  readonly retry?: boolean;
  /** The next of `fallback_providers` is asked. */
  readonly fallback?: boolean;
  /** For how long this model is then passed over. */
  readonly passMs?: number;
}

const minuteMs = 60_000;

/** The one table from what went wrong to what is done. */
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

/** Longer waits are not worth it: somebody sits there. */
export const maxWaitMs = 10 * minuteMs;
/** With another model at hand nobody waits even this long. */
export const maxWaitWithFallbackMs = 30_000;
