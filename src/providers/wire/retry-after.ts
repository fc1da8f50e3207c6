import { isObject } from "../../base/json.ts";

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const longest = 7 * 24 * 3_600_000;

/** How long to wait before the next attempt, if the answer says so. */
export function retryAfterMs(headers: Headers, message: string, now: number): number | undefined {
  const exact = headers["retry-after-ms"];
  if (typeof exact === "string" && /^\d+(?:\.\d+)?$/u.test(exact)) return bounded(Number(exact));
  const after = headers["retry-after"];
  if (typeof after === "string") {
    if (/^\s*\d+(?:\.\d+)?\s*$/u.test(after)) return bounded(Number(after) * 1000);
    const at = Date.parse(after);
    if (!Number.isNaN(at)) return bounded(at - now);
  }
  // "Please try again in 6m0.5s", "retry in 20s", "retryDelay": "34s"
  const words =
    /(?:try again|retry|retrydelay"?:?\s*"?)(?:\s+(?:in|after))?\s*((?:\d+(?:\.\d+)?\s*(?:ms|m|h|s)[a-z]*\s*)+)/iu;
  const said = words.exec(message)?.[1];
  return said === undefined ? undefined : bounded(durationMs(said));
}

/** When a limit that was used up is renewed, if the answer says so. Epoch milliseconds. */
export function resetsAt(headers: Headers, body: unknown, now: number): number | undefined {
  const spent = limits.flatMap(({ remaining, reset }) => {
    const left = headers[remaining];
    const at = headers[reset];
    if (typeof at !== "string" || (typeof left === "string" && Number(left) > 0)) return [];
    return timeIn(at, now) ?? [];
  });
  const error = isObject(body) && isObject(body["error"]) ? body["error"] : body;
  const named = isObject(error) ? (error["resets_at"] ?? error["reset_at"]) : undefined;
  if (typeof named === "number" || typeof named === "string") spent.push(...[timeIn(String(named), now) ?? []].flat());
  const seconds = isObject(error) ? error["resets_in_seconds"] : undefined;
  if (typeof seconds === "number") spent.push(now + seconds * 1000);
  const later = spent.filter((at) => at > now && at - now <= longest);
  return later.length === 0 ? undefined : Math.max(...later);
}

const limits = [
  { remaining: "x-ratelimit-remaining", reset: "x-ratelimit-reset" },
  ...["requests", "tokens"].map((what) => ({
    remaining: `x-ratelimit-remaining-${what}`,
    reset: `x-ratelimit-reset-${what}`,
  })),
  ...["requests", "tokens", "input-tokens", "output-tokens", "unified"].map((what) => ({
    remaining: `anthropic-ratelimit-${what}-remaining`,
    reset: `anthropic-ratelimit-${what}-reset`,
  })),
];

/** A date, an epoch in seconds or milliseconds, or a duration such as `1m30s` or plain seconds. */
function timeIn(text: string, now: number): number | undefined {
  const value = text.trim();
  if (/^\d+(?:\.\d+)?$/u.test(value)) {
    const plain = Number(value);
    if (plain > 1e11) return plain;
    return plain > 1e9 ? plain * 1000 : now + plain * 1000;
  }
  if (/^(?:\d+(?:\.\d+)?(?:ms|[hms]))+$/u.test(value)) return now + durationMs(value);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : at;
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

function durationMs(text: string): number {
  let sum = 0;
  for (const [, amount, unit = "s"] of text.matchAll(/(\d+(?:\.\d+)?)\s*(ms|[hms])/giu))
    sum += Number(amount) * (unitMs[unit.toLowerCase()] ?? 0);
  return sum;
}

function bounded(ms: number): number | undefined {
  return Number.isFinite(ms) ? Math.ceil(Math.min(Math.max(0, ms), longest)) : undefined;
}
