import type { ModelError } from "../../contracts/model/model.ts";
import type { KeyState } from "./credential-file.ts";

/**
 * What a failure says of the key it was made with: how long it is not asked. Undefined: nothing. What the provider says
 * wins. `isOnly`: no other key is there, so a limit of the minute is waited for briefly.
 */
export function coolDown(
  error: ModelError,
  { before, isOnly, now }: { readonly before: KeyState | undefined; readonly isOnly: boolean; readonly now: number },
): KeyState | undefined {
  const refusals = (before?.refusals ?? 0) + 1;
  const rest = { at: now, why: error.message, refusals };
  const stated = error.resetsAt ?? (error.retryAfterMs === undefined ? undefined : now + error.retryAfterMs);
  switch (error.kind) {
    case "rate_limited": {
      const usual = error.plan === true || !isOnly ? hourMs : minuteMs;
      const until = Math.min(Math.max(stated ?? now + usual, now + 1_000), now + longestMs);
      return { status: "exhausted", until, ...rest };
    }
    case "billing":
      return { status: "exhausted", until: Math.min(stated ?? now + dayMs, now + longestMs), ...rest };
    case "auth":
      return refusals >= refusalsUntilDead
        ? { status: "dead", until: now + dayMs, ...rest }
        : { status: "exhausted", until: now + 5 * minuteMs, ...rest };
    default:
      return undefined;
  }
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** Beyond this a stated time is not believed. */
const longestMs = 32 * dayMs;
const refusalsUntilDead = 3;
