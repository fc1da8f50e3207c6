import type { Message } from "../../contracts/model/message.ts";

/**
 * Positions where a cached prefix may end: after the newest message and after the newest one of the previous request,
 * so that each request uses the cache of the previous one. With the two marks of the system prompt these are the four
 * marks that a provider accepts.
 */
export function cacheMarks(messages: readonly Message[]): readonly number[] {
  const last = messages.length - 1;
  if (last < 0) return [];
  const before = messages.findLastIndex(({ role }, index) => index < last && role !== "assistant");
  return before === -1 ? [last] : [before, last];
}
