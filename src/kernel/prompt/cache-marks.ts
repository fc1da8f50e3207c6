import type { Message } from "../../contracts/model/message.ts";

/**
 * Where a cached prefix may end: behind the newest message and behind the one that was newest in the request before, so
 * that each request finds what the last one wrote. With the two of the system prompt these are the four that a provider
 * takes.
 */
export function cacheMarks(messages: readonly Message[]): readonly number[] {
  const last = messages.length - 1;
  if (last < 0) return [];
  const before = messages.findLastIndex(({ role }, index) => index < last && role !== "assistant");
  return before === -1 ? [last] : [before, last];
}
