import type { Message } from "../../contracts/model/message.ts";

/**
 * Returns the positions where a cached prefix may end: after the newest message, and after the newest message of the
 * previous request, so that each request can use the cache of the previous one. Together with the two marks of the
 * system prompt these are the four marks that a provider accepts.
 */
export function cacheMarks(messages: readonly Message[]): readonly number[] {
  const last = messages.length - 1;
  if (last < 0) return [];
  const before = messages.findLastIndex(({ role }, index) => index < last && role !== "assistant");
  return before === -1 ? [last] : [before, last];
}
