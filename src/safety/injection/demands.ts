import type { Place } from "./finding.ts";
import { createLexicon, type Lexicon } from "./meanings.ts";
import { type Part, partsOf } from "./parts.ts";
import type { Reading } from "./readings.ts";
import { reasonOf } from "./reasons.ts";
import type { Surface } from "./rule.ts";
import { type Tokens, tokensOf } from "./tokens.ts";
import { traitOfPart, traitsOf } from "./traits.ts";
import { limitOf, partWeight, weightOf } from "./weighing.ts";

export interface Demand extends Place {
  readonly rule: string;
}

/** What a reading of a text demands of a model that its user did not ask for. */
export function demandsIn({ text, shown }: Reading, surface: Surface): Demand[] {
  const tokens = tokensOf(shown, lexicon);
  const length = tokens.words.length;
  const weights = new Float64Array(length);
  // What all words before each one weigh, and how many traits they have.
  const sums = new Float64Array(length + 1);
  const counts = new Uint32Array(length + 1);
  traitsOf(tokens, text, shown, surface, (trait, at) => {
    weights[at] = (weights[at] ?? 0) + weightOf(trait);
    counts[at + 1] = (counts[at + 1] ?? 0) + 1;
  });
  for (let at = 0; at < length; at++) {
    sums[at + 1] = (sums[at] ?? 0) + (weights[at] ?? 0);
    counts[at + 1] = (counts[at + 1] ?? 0) + (counts[at] ?? 0);
  }
  const whole = weightOf(traitOfPart(surface));
  const found: Demand[] = [];
  const parts = partsOf(tokens);
  const limit = limitOf(parts.length);
  for (const { first, end } of parts) {
    const sum = (sums[end] ?? 0) - (sums[first] ?? 0) + whole;
    const count = (counts[end] ?? 0) - (counts[first] ?? 0) + 1;
    if (partWeight(sum, count) < limit) continue;
    const core = heaviest(weights, { first, end });
    const rule = reasonOf(tokens, core) ?? reasonOf(tokens, { first, end }) ?? "orders_to_agent";
    found.push({ rule, ...placeOf(tokens, shown, core) });
  }
  return found;
}

const lexicon: Lexicon = createLexicon();

/** The words in a row that weigh most together, without light ones at their ends. */
function heaviest(weights: Float64Array, { first, end }: Part): Part {
  const light = Math.max(0, weights.subarray(first, end).reduce((sum, weight) => sum + weight, 0) / (end - first) / 2);
  let best = { first, end: first + 1, weight: -Infinity };
  let from = first;
  let weight = 0;
  for (let at = first; at < end; at++) {
    weight += (weights[at] ?? 0) - light;
    if (weight > best.weight) best = { first: from, end: at + 1, weight };
    if (weight < 0) {
      weight = 0;
      from = at + 1;
    }
  }
  return best;
}

function placeOf({ starts, ends }: Tokens, shown: Reading["shown"], { first, end }: Part): Place {
  const start = starts[first] ?? 0;
  const last = Math.max(ends[end - 1] ?? 0, start + 1);
  return { start: shown.at(start), end: shown.at(last - 1) + 1 };
}
