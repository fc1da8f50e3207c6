import { foldMarks, smallLetters } from "./fold-word.ts";
import type { QueryTerm, ReadQuery } from "./read-query.ts";
import { maxTokenChars, type Splitter } from "./split-words.ts";

/** A unit of a query with the alternatives that may match in a text. */
export interface MatchUnit {
  /** Alternatives, and how well a text with each one matches. */
  readonly choices: ReadonlyMap<string, number>;
  /** A prefix, which matches all words that start with it. */
  readonly start?: string;
  /** Parts of an identifier, which match joined or separated. */
  readonly parts: readonly string[];
  /** True if the parts match anywhere in the text. */
  readonly isLoose: boolean;
  /** The weight of the unit; 0 if no text contains it. */
  readonly weight: number;
}

export interface MatchTerm {
  readonly term: QueryTerm;
  readonly units: readonly MatchUnit[];
}

/** A group matches if one of its terms matches. */
export type MatchGroup = readonly MatchTerm[];

export interface TextScore {
  /** The BM25 score of the words, with a bonus for adjacent words. */
  readonly score: number;
  /** The share of the query that matches, from 0 to 1. */
  readonly coverage: number;
}

/** A text prepared for scoring. */
export interface FoldedText {
  readonly small: string;
  /** The text with its capitals, which mark the starts of words. It has the same length as the normalised text. */
  readonly edges: string;
}

export function foldText(text: string): FoldedText {
  const cased = foldMarks(text);
  const small = smallLetters(cased);
  // Some letters become longer in lower case; then capitals are not used.
  return { small, edges: small.length === cased.length ? cased : small };
}

/** Returns undefined if a phrase is missing in the text, or an excluded term is present. */
export type TextScorer = (text: FoldedText) => TextScore | undefined;

/** Scores texts for one query without splitting them into words, which would be slower than everything else. */
export function createTextScorer(
  groups: readonly MatchGroup[],
  { without, groups: queryGroups }: ReadQuery,
  { isEdge }: Splitter,
): TextScorer {
  const searchTerms = groups.map((terms) => terms.map(({ units }) => units.map(lookFor)));
  const phrases = queryGroups.filter((terms) => terms.every(({ isPhrase }) => isPhrase));

  function lookFor(unit: MatchUnit): Looked {
    const words = Array.from(unit.choices, ([word, fit]) => ({ word, fit, isWhole: unit.parts.length > 0 }));
    const joined = unit.parts.length > 0 ? new RegExp(unit.parts.join("[-_.'’]?"), "gu") : undefined;
    return { unit, words, joined };
  }

  return (text) => {
    const has = ({ pieces }: QueryTerm) => hasSequence(pieces, text, isEdge);
    if (without.some(has) || !phrases.every((terms) => terms.some(has))) return undefined;
    return total(searchTerms, { ...text, isEdge });
  };
}

const k1 = 1.2;
const b = 0.4;
const defaultChars = 600;
const startFit = 0.8;
const partsFit = 0.6;
/** Limits the effect of a text that only repeats one word. */
const maxTimes = 6;

interface Looked {
  readonly unit: MatchUnit;
  readonly words: readonly { readonly word: string; readonly fit: number; readonly isWhole: boolean }[];
  readonly joined: RegExp | undefined;
}

interface LookedAtText extends FoldedText {
  readonly isEdge: Splitter["isEdge"];
}

/** Start and end of each match. */
interface TextMatch {
  fit: number;
  readonly froms: number[];
  readonly tos: number[];
}

function total(groups: readonly (readonly (readonly Looked[])[])[], text: LookedAtText): TextScore {
  const norm = k1 * (1 - b + (b * text.small.length) / defaultChars);
  let score = 0;
  let had = 0;
  let all = 0;
  let before: readonly number[] = [];
  for (const terms of groups) {
    let best = { score: 0, had: 0, all: 0, ends: before };
    for (const units of terms) {
      const sum = { score: 0, had: 0, all: 0, ends: before };
      for (const looked of units) {
        const { weight } = looked.unit;
        sum.all += weight;
        const result = find(looked, text);
        if (result.fit === 0) continue;
        sum.had += weight * Math.min(1, result.fit);
        sum.score += (weight * result.fit * (k1 + 1)) / (result.fit + norm);
        if (result.froms.some((from) => sum.ends.some((end) => from >= end - 1 && from - end <= nearChars))) {
          sum.score += weight / 2;
        }
        sum.ends = result.tos;
      }
      if (sum.had > best.had || best.all === 0) best = sum;
    }
    before = best.ends;
    score += best.score;
    had += best.had;
    all += best.all;
  }
  return { score, coverage: all === 0 ? 0 : had / all };
}

/** The maximum distance of adjacent words, enough for a short word between them. */
const nearChars = 4;

function find({ unit, words, joined }: Looked, text: LookedAtText): TextMatch {
  const result: TextMatch = { fit: 0, froms: [], tos: [] };
  const add = (from: number, to: number, fit: number) => {
    result.fit = Math.min(maxTimes, result.fit + fit);
    result.froms.push(from);
    result.tos.push(to);
  };
  if (joined) {
    for (const { index, 0: match } of text.small.matchAll(joined)) {
      if (text.isEdge(text.edges, index) && text.isEdge(text.edges, index + match.length)) {
        add(index, index + match.length, 1);
      }
    }
    const isApart = result.fit === 0 && unit.isLoose && unit.parts.every((part) => occurs(part, text));
    if (isApart) result.fit = partsFit;
    return result;
  }
  for (const { word, fit } of words) eachOccurrence(word, text, unit.start === word, (from, to) => add(from, to, fit));
  if (unit.start !== undefined) result.fit *= startFit;
  return result;
}

function occurs(word: string, text: LookedAtText): boolean {
  let is = false;
  eachOccurrence(word, text, false, () => void (is = true));
  return is;
}

function eachOccurrence(
  word: string,
  { small, edges, isEdge }: LookedAtText,
  isStart: boolean,
  onMatch: (from: number, to: number) => void,
): void {
  let times = 0;
  for (
    let createdAt = small.indexOf(word);
    createdAt >= 0 && times < maxTimes;
    createdAt = small.indexOf(word, createdAt + 1)
  ) {
    const end = createdAt + word.length;
    if (!isEdge(edges, createdAt) || !(isStart || word.length >= maxTokenChars || isEdge(edges, end))) continue;
    onMatch(createdAt, end);
    times++;
  }
}

/** Whether the words follow each other, separated only by punctuation and spaces. */
function hasSequence(
  [first = "", ...rest]: readonly string[],
  { small, edges }: FoldedText,
  isEdge: Splitter["isEdge"],
): boolean {
  for (let createdAt = small.indexOf(first); createdAt >= 0; createdAt = small.indexOf(first, createdAt + 1)) {
    if (!isEdge(edges, createdAt)) continue;
    let end = createdAt + first.length;
    const holds = rest.every((piece) => {
      const from = nextWord(small, end, isEdge(edges, end));
      if (!small.startsWith(piece, from)) return false;
      end = from + piece.length;
      return true;
    });
    if (holds && isEdge(edges, end)) return true;
  }
  return false;
}

/** The start of the next word after optional punctuation and spaces. */
function nextWord(text: string, index: number, isEdge: boolean): number {
  if (!isEdge) return text.length;
  const signs = /[^\p{L}\p{N}\p{M}]*/uy;
  signs.lastIndex = index;
  return index + (signs.exec(text)?.[0].length ?? 0);
}

/** The position of a match. */
export interface MatchRange {
  readonly from: number;
  readonly to: number;
  /** The matching unit of the query. */
  readonly unit: number;
}

/** Finds matches in the original text, for display. */
export function findMatchRanges(
  text: string,
  groups: readonly MatchGroup[],
  { split }: Splitter,
): readonly MatchRange[] {
  const units = groups.flat().flatMap((term) => term.units);
  const byToken = new Map<string, number>();
  for (const [unit, { choices, parts }] of units.entries()) {
    for (const token of [...choices.keys(), ...parts]) byToken.set(token, unit);
  }
  const starts = units.flatMap(({ start }, unit) => (start === undefined ? [] : [{ start, unit }]));
  const spots: MatchRange[] = [];
  split(text, (token, from, to, _, kind) => {
    const unit = byToken.get(token);
    if (unit !== undefined) spots.push({ from, to, unit });
    for (const { start, unit: started } of starts) {
      // The query contained only the first letter of this pair.
      if (token.startsWith(start)) spots.push({ from, to: kind === "pair" ? from + start.length : to, unit: started });
    }
  });
  return spots;
}
