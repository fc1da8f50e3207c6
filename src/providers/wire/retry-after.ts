import { isObject } from "../../base/json.ts";

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const maxWaitMs = 7 * 24 * 3_600_000;

/** Returns how long to wait before a retry, if the response states it. Zero is ignored. */
export function retryAfterMs(headers: Headers, body: unknown, message: string, now: number): number | undefined {
  const named = errorIn(body)["retry_after"];
  const stated = [
    numberIn(headers["retry-after-ms"]),
    (numberIn(headers["retry-after"]) ?? NaN) * 1000,
    Date.parse(String(headers["retry-after"])) - now,
    typeof named === "number" ? named * 1000 : undefined,
  ];
  const begin = message.slice(0, 8_000);
  const inMessage = waits.flatMap((words) =>
    Array.from(begin.matchAll(words), ([, duration = ""]) => durationMs(duration)),
  );
  return [...stated, ...inMessage].map(bounded).find((ms) => ms !== undefined);
}

function numberIn(header: string | string[] | undefined): number | undefined {
  return typeof header === "string" && /^\s*\d+(?:\.\d+)?\s*$/u.test(header) ? Number(header) : undefined;
}

const unit = String.raw`(?:ms|milliseconds?|s(?:ec(?:ond)?s?)?|m(?:in(?:ute)?s?)?|h(?:(?:ou)?rs?)?|d(?:ays?)?)(?![a-z])`;
/**
 * Patterns for `"retryDelay": "34s"`, "Please try again in 6m0.5s" and "Resets in 6hr 29min"; the most explicit one
 * comes first.
 */
const waits = [
  String.raw`retrydelay"?:?\s*"?`,
  String.raw`(?:try again|retry|resets?|available|wait)(?:\s+(?:in|after|for))?\s*`,
  String.raw`quotaresetdelay"?:?\s*"?`,
].map((words) => new RegExp(String.raw`${words}((?:\d+(?:\.\d+)?\s*${unit}\s*)+)`, "giu"));

/** Returns the time at which an exhausted limit resets, in epoch milliseconds, if the response states it. */
export function resetsAt(headers: Headers, body: unknown, now: number): number | undefined {
  const spent = Object.keys(headers).flatMap((name) => {
    const value = headers[name];
    if (typeof value !== "string" || !resetHeader.test(name)) return [];
    const left = headers[name.replace("reset", "remaining")];
    const status = headers[name.replace("reset", "status")];
    const isLeft = (typeof left === "string" && Number(left) > 0) || (status !== undefined && status !== "rejected");
    return isLeft ? [] : (timeIn(value, now) ?? []);
  });
  const error = errorIn(body);
  const named = error["resets_at"] ?? error["reset_at"] ?? resetInDetails(error["details"]);
  if (typeof named === "number" || typeof named === "string") spent.push(timeIn(String(named), now) ?? 0);
  const seconds = error["resets_in_seconds"];
  if (typeof seconds === "number") spent.push(now + seconds * 1000);
  const later = spent.filter((time) => time > now && time - now <= maxWaitMs);
  return later.length === 0 ? undefined : Math.max(...later);
}

/** Reset headers of request and token limits of all providers. */
const resetHeader = /^(?:(?:x-)?ratelimit-reset(?:-[a-z0-9-]+)?|anthropic-ratelimit-[a-z0-9-]+-reset)$/u;

/** The format of Google. */
function resetInDetails(details: unknown): unknown {
  const metadata = (Array.isArray(details) ? details : []).map((one: unknown) => isObject(one) && one["metadata"]);
  return metadata
    .filter(isObject)
    .map((one) => one["quotaResetTimeStamp"])
    .find(Boolean);
}

function errorIn(body: unknown): Record<string, unknown> {
  if (!isObject(body)) return {};
  return isObject(body["error"]) ? body["error"] : body;
}

/** Parses a date, an epoch in seconds or milliseconds, or a duration such as `1m30s` or plain seconds. */
function timeIn(text: string, now: number): number | undefined {
  const value = text.trim();
  if (/^\d+(?:\.\d+)?$/u.test(value)) {
    const plain = Number(value);
    if (plain > 1e11) return plain;
    return plain > 1e9 ? plain * 1000 : now + plain * 1000;
  }
  if (/^(?:\d+(?:\.\d+)?(?:ms|[dhms]))+$/u.test(value)) return now + durationMs(value);
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : time;
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, mil: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function durationMs(text: string): number {
  let sum = 0;
  for (const [, amount, unit = "s"] of text.matchAll(/(\d+(?:\.\d+)?)\s*(ms|mil|[dhms])/giu))
    sum += Number(amount) * (unitMs[unit.toLowerCase()] ?? 0);
  return sum;
}

function bounded(ms = NaN): number | undefined {
  return Number.isFinite(ms) && ms > 0 ? Math.ceil(Math.min(ms, maxWaitMs)) : undefined;
}
