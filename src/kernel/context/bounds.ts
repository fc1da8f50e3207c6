import type { HistoryItem } from "../../contracts/model/context.ts";
import { messageSize } from "./tokens.ts";

export interface TailRules {
  /** What the tail may take. */
  readonly tokens: number;
  /** How many messages are kept when they fit. */
  readonly messages: number;
  /** How many are kept whatever they take. */
  readonly least: number;
}

/** How far the last message that is taken may go beyond. */
const softly = 1.5;

/** Where the part that stays word for word begins. A message that calls tools is never parted from its results. */
export function tailStart(history: readonly HistoryItem[], rules: TailRules): number {
  const { least } = rules;
  const most = Math.max(rules.messages, least);
  let start = history.length;
  let tokens = 0;
  while (start > 0 && history.length - start < most) {
    const item = history[start - 1];
    const size = item ? messageSize(item.message) : 0;
    if (history.length - start >= least && (tokens >= rules.tokens || tokens + size > softly * rules.tokens)) break;
    tokens += size;
    start -= 1;
  }
  while (start > 0 && history[start]?.message.role === "tool") start -= 1;
  return start;
}
