import type { Message } from "../../contracts/message.ts";

/**
 * Where a cached prefix may end: behind the newest message and behind the one that was newest in the request before, so
 * that each request finds what the last one wrote. With the two of the system prompt these are the four that a provider
 * takes. `until`: messages from there on are not the same next time.
 */
export function cacheMarks(messages: readonly Message[], until = messages.length): readonly number[] {
  const last = Math.min(until, messages.length) - 1;
  if (last < 0) return [];
  const before = messages.findLastIndex(({ role }, at) => at < last && role !== "assistant");
  return before === -1 ? [last] : [before, last];
}
