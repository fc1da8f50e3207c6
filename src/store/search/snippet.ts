import { oneLine } from "../../base/text/text.ts";
import type { Spot } from "./find-spots.ts";

/** The part of a text where most of what was asked for stands together, on one line, what was found between marks. */
export function snippetOf(text: string, spots: readonly Spot[]): string {
  const sorted = spots.toSorted((one, two) => one.from - two.from || two.to - one.to);
  const start = bestStart(sorted);
  const from = wordEdge(text, Math.max(0, start - beforeChars));
  const to = Math.min(text.length, from + snippetChars);
  let made = "";
  let at = from;
  for (const spot of merged(sorted)) {
    if (spot.from < at) continue;
    if (spot.to > to) break;
    made += `${text.slice(at, spot.from)}>>>${text.slice(spot.from, spot.to)}<<<`;
    at = spot.to;
  }
  made += text.slice(at, to).replace(/[\ud800-\udbff]$/u, "");
  return `${from > 0 ? "…" : ""}${oneLine(made, snippetChars * 2)}${to < text.length ? "…" : ""}`;
}

const snippetChars = 240;
const beforeChars = 80;

/** Where the window begins that has the most different units. */
function bestStart(spots: readonly Spot[]): number {
  let best = { start: spots[0]?.from ?? 0, units: 0 };
  for (const [at, { from }] of spots.slice(0, mostSpots).entries()) {
    const units = new Set<number>();
    for (let next = at; next < spots.length; next++) {
      const spot = spots[next];
      if (!spot || spot.to > from + snippetChars - beforeChars) break;
      units.add(spot.unit);
    }
    if (units.size > best.units) best = { start: from, units: units.size };
  }
  return best.start;
}

const mostSpots = 200;

/** Those that touch are one: pairs of letters, a whole and its parts. */
function merged(spots: readonly Spot[]): readonly { readonly from: number; readonly to: number }[] {
  const made: { from: number; to: number }[] = [];
  for (const { from, to } of spots) {
    const last = made.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else made.push({ from, to });
  }
  return made;
}

/** A little later, where a word begins. */
function wordEdge(text: string, at: number): number {
  if (at === 0) return 0;
  const blank = text.slice(at, at + 24).search(/\s/u);
  const edge = blank < 0 ? at : at + blank + 1;
  const code = text.charCodeAt(edge);
  return code >= 0xdc00 && code <= 0xdfff ? edge + 1 : edge;
}
