import { once } from "../../base/async/once.ts";
import type { TextRange } from "./finding.ts";
import { createLexicon, numberOf } from "./meanings.ts";
import { type TextPart, windowsOf } from "./parts.ts";
import type { TextReading } from "./readings.ts";
import type { Surface } from "./rule.ts";
import { type Tokens, tokensOf } from "./tokens.ts";
import { surfaceTrait, traitsOf } from "./traits.ts";
import { groupOf, orderLimit, partWeight, traitGroupCount, weightOf } from "./weighing.ts";

export interface Demand extends TextRange {
  readonly rule: string;
}

/** Finds demands on a model in one reading of a text. */
export function demandsIn({ text, shown }: TextReading, surface: Surface): Demand[] {
  const tokens = tokensOf(shown, lexicon());
  const traits: number[] = [];
  // The index of the first trait of each word.
  const begins = new Uint32Array(tokens.words.length + 1);
  traitsOf(tokens, text, shown, surface, (trait, index) => {
    traits.push(groupOf(trait));
    begins[index + 1] = traits.length;
  });
  const weights = Float32Array.from(traits, weightOf);
  const before = placesBefore(traits);
  const where = groupOf(surfaceTrait(surface));
  const windows = windowsOf(tokens);
  const limit = orderLimit(windows.reduce((count, { ends }) => count + ends.length, 0));
  const demands: Demand[] = [];
  let reported = 0;
  for (const { first, ends } of windows) {
    const from = begins[first] ?? 0;
    let sum = weightOf(where);
    let count = 1;
    let place = from;
    let heaviestEnd = 0;
    let heaviestWeight = limit;
    for (const end of ends) {
      // Each group counts once per window.
      for (const to = begins[end] ?? 0; place < to; place++) {
        if ((before[place] ?? 0) >= from) continue;
        sum += weights[place] ?? 0;
        count++;
      }
      const weight = partWeight(sum, count);
      if (weight < heaviestWeight) continue;
      heaviestWeight = weight;
      heaviestEnd = end;
    }
    if (heaviestEnd <= reported) continue;
    reported = heaviestEnd;
    const window = { first, end: heaviestEnd };
    const core = heaviest(wordWeights(weights, begins, window), window);
    // Includes a preceding "do not", which has little weight.
    const context = { first: Math.max(first, core.first - 3), end: core.end };
    const rule = reasonOf(tokens, context) ?? reasonOf(tokens, window) ?? "orders_to_agent";
    demands.push({ rule, ...placeOf(tokens, shown, sentencesAround(tokens, core)) });
  }
  return demands;
}

/** For each trait the previous index with the same group; -1: none. A table does not pay off for few traits. */
function placesBefore(traits: readonly number[]): Int32Array {
  if (traits.length < 10_000) {
    const last = new Map<number, number>();
    return Int32Array.from(traits, (group, place) => {
      const before = last.get(group) ?? -1;
      last.set(group, place);
      return before;
    });
  }
  const last = new Int32Array(traitGroupCount).fill(-1);
  return Int32Array.from(traits, (group, place) => {
    const before = last[group] ?? -1;
    last[group] = place;
    return before;
  });
}

/** The weight of each word of a part. */
function wordWeights(weights: Float32Array, begins: Uint32Array, { first, end }: TextPart): Float64Array {
  return Float64Array.from({ length: end - first }, (_, offset) => {
    const index = first + offset;
    return weights.subarray(begins[index], begins[index + 1]).reduce((sum, weight) => sum + weight, 0);
  });
}

const lexicon = once(createLexicon);

/** The consecutive words with the highest total weight, without light words at the ends. */
function heaviest(weights: Float64Array, { first, end }: TextPart): TextPart {
  const light = Math.max(0, weights.reduce((sum, weight) => sum + weight, 0) / (end - first) / 2);
  let best = { first, end: first + 1, weight: -Infinity };
  let from = first;
  let weight = 0;
  for (let index = first; index < end; index++) {
    weight += (weights[index - first] ?? 0) - light;
    if (weight > best.weight) best = { first: from, end: index + 1, weight };
    if (weight < 0) {
      weight = 0;
      from = index + 1;
    }
  }
  return best;
}

/** Extends the range to whole sentences, for people. */
function sentencesAround({ words, sentences }: Tokens, { first, end }: TextPart): TextPart {
  let from = first;
  let to = end;
  while (from > 0 && first - from < maxQuoted && sentences[from - 1] === sentences[first]) from--;
  while (to < words.length && to - end < maxQuoted && sentences[to] === sentences[end - 1]) to++;
  return { first: from, end: to };
}

const maxQuoted = 20;

function placeOf({ starts, ends }: Tokens, shown: TextReading["shown"], { first, end }: TextPart): TextRange {
  const start = starts[first] ?? 0;
  const last = Math.max(ends[end - 1] ?? 0, start + 1);
  return { start: shown.at(start), end: shown.at(last - 1) + 1 };
}

/** The first rule whose meanings all occur in the words. */
function reasonOf({ meanings }: Tokens, { first, end }: TextPart): string | undefined {
  const context = new Set(meanings.slice(first, end).flat());
  return reasons.find(({ needs }) => needs.every((names) => names.some((name) => context.has(name))))?.rule;
}

/** `A|B C`: A or B, and C. */
const reasons = Object.entries({
  hand_over_secrets: ["SECRETFILE SEND|REVEAL|COLLECT|OUT", "SECRET SEND1|SENT|LEAK OUT|YOUR|ALL", "SECRET LEAK"],
  instruction_override: [
    "IGNORE|IGNORED RULES|INSTR|PRIOR|EVERYTHING",
    "REPLACE RULES|INSTR YOUR|PRIOR|ALL",
    "PRECEDENCE RULES|PRIOR",
    "IGNORE USER|TASK|TOLD",
    "OBEY RULES",
  ],
  prompt_leak: ["SYSPROMPT|ABOVE REVEAL|LEAK", "REVEAL|LEAK RULES|TOLD YOUR|YOU"],
  role_change: ["HARDMODE", "BECOME FREE|MODE|DAN", "FREE YOU|MODEL", "DAN"],
  keep_from_user: ["NOT TELL USER|ENDUSER", "QUIET"],
  lowers_the_guard: ["DISABLE GUARD|SAFETY|APPROVAL"],
  approval_bypass: ["WITHOUT APPROVAL", "GRANTED"],
  planted_file: ["INSTALL AGENTFILE|STARTFILE|AUTHKEYS"],
  planted_memory: ["REMEMBER MEMORY|ALWAYS", "ALWAYS SEND|RUN|INSTALL"],
  hand_over_data: ["PRIVATE|STUFF SEND1|SENT OUT"],
  deceive_user: ["LIE USER|ENDUSER"],
  tool_abuse: ["RUN DANGEROUS|TOOLNAME|URL", "DESTROY GOODS|ALL|STUFF", "BUY MONEY|WALLET"],
  addressed_to_model: ["AI", "MODEL"],
}).flatMap(([rule, shapes]) =>
  shapes.map((shape) => ({ rule, needs: shape.split(" ").map((names) => names.split("|").map(numberOf)) })),
);
