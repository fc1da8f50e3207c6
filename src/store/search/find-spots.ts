import type { WantedGroup } from "./score-text.ts";
import type { Splitter } from "./split-words.ts";

/** Where something stands that was asked for. */
export interface Spot {
  readonly from: number;
  readonly to: number;
  /** Which of the things that were asked for. */
  readonly unit: number;
}

/** In the text as it was written, for people to see. */
export function findSpots(text: string, groups: readonly WantedGroup[], { split }: Splitter): readonly Spot[] {
  const units = groups.flat().flatMap((term) => term.units);
  const byToken = new Map<string, number>();
  for (const [unit, { choices, parts }] of units.entries()) {
    for (const token of [...choices.keys(), ...parts]) byToken.set(token, unit);
  }
  const starts = units.flatMap(({ start }, unit) => (start === undefined ? [] : [{ start, unit }]));
  const spots: Spot[] = [];
  split(text, (token, from, to, _, kind) => {
    const unit = byToken.get(token);
    if (unit !== undefined) spots.push({ from, to, unit });
    for (const { start, unit: begun } of starts) {
      // Of a pair only its first letter was asked for.
      if (token.startsWith(start)) spots.push({ from, to: kind === "pair" ? from + start.length : to, unit: begun });
    }
  });
  return spots;
}
