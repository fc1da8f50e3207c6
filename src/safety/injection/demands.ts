import { once } from "../../base/async/once.ts";
import type { TextRange } from "./finding.ts";
import { createLexicon, numberOf } from "./meanings.ts";
import type { TextPart } from "./parts.ts";
import type { TextReading } from "./readings.ts";
import type { Surface } from "./rule.ts";
import type { Tokens } from "./tokens.ts";
import { heaviestWindows, type TraitTable, traitTable } from "./trait-table.ts";
import { learnedWeights, orderLimits } from "./weighing.ts";

export interface Demand extends TextRange {
  readonly rule: string;
}

/** Finds demands on a model in one interpretation of a text. */
export function findDemands(reading: TextReading, surface: Surface): Demand[] {
  const table = traitTable(reading, surface, lexicon());
  const weights = learnedWeights();
  const demands: Demand[] = [];
  const heavy = heaviestWindows(table, weights).filter(({ weight }) => weight > orderLimits[surface]);
  let reported = 0;
  for (const [index, start] of heavy.entries()) {
    if (start.end <= reported) continue;
    // The shortest match omits the text before the instruction.
    const inside = heavy.slice(index, index + maxOverlapping).filter(({ first }) => first < start.end);
    const window = inside.reduce((best, next) => (next.end - next.first < best.end - best.first ? next : best), start);
    reported = Math.max(start.end, window.end);
    const core = heaviest(wordWeights(table, weights, window), window);
    // A preceding "do not" is included, although it has little weight.
    const context = { first: Math.max(window.first, core.first - 3), end: core.end };
    const { tokens } = table;
    const rule = reasonOf(tokens, context) ?? reasonOf(tokens, window) ?? "orders_to_agent";
    demands.push({ rule, ...placeOf(tokens, reading.shown, sentencesAround(tokens, core)) });
  }
  return demands;
}

/** Windows start at sentence boundaries and contain up to eight sentences. */
const maxOverlapping = 8;

/** Returns the weight of each word of a part. */
function wordWeights({ groups, begins }: TraitTable, weights: Int8Array, { first, end }: TextPart): Float64Array {
  return Float64Array.from({ length: end - first }, (_, offset) => {
    const index = first + offset;
    return groups.subarray(begins[index], begins[index + 1]).reduce((sum, group) => sum + (weights[group] ?? 0), 0);
  });
}

const lexicon = once(createLexicon);

/** Returns the consecutive words with the highest total weight, without light words at the ends. */
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

/** Extends the range to whole sentences, so that people can read it. */
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

/** Returns the first rule whose meanings all occur in the words. */
function reasonOf({ meanings }: Tokens, { first, end }: TextPart): string | undefined {
  const context = new Set(meanings.slice(first, end).flat());
  return reasons.find(({ needs }) => needs.every((names) => names.some((name) => context.has(name))))?.rule;
}

/** The meanings that each rule requires. `A|B C` means: A or B, and C. */
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
