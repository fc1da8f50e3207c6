import { once } from "../../../base/async/once.ts";
import { byText } from "../../../base/text/order.ts";
import { cut } from "../../../base/text/text.ts";
import type { ToolCard, ToolMatch } from "../../../contracts/tool/tool-index.ts";
import { normalizeName, wordsOf } from "./words.ts";

export interface Searchable {
  readonly card: ToolCard;
  /** The names of the tool's parameters. */
  readonly parameters: readonly string[];
}

export interface SearchIndex {
  /** Returns the matches, best first; ties are sorted by name. */
  search(query: string, limit: number): readonly ToolMatch[];
}

/** BM25 search over the words of names, descriptions and parameters, which also matches prefixes and typos. */
export function createSearchIndex(tools: readonly Searchable[]): SearchIndex {
  const names = tools.map(({ card }) => normalizeName(card.name));
  const { postings, lengths } = post(tools);
  const averageLength = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length);
  const vocabulary = [...postings.keys()].toSorted(byText);
  const slips = once(() => slipsOf(vocabulary));
  const synonyms = createSynonyms();

  function add(scores: Float64Array, list: readonly Posting[], weight: number): void {
    const rarity = Math.log(1 + (tools.length - list.length + 0.5) / (list.length + 0.5));
    for (const { index, count } of list) {
      const norm = k1 * (1 - b + (b * (lengths[index] ?? 0)) / averageLength);
      scores[index] = (scores[index] ?? 0) + (weight * rarity * count * (k1 + 1)) / (count + norm);
    }
  }

  /**
   * Returns the word itself, or the most similar ones: words that start with it, names that contain it, similar
   * spellings.
   */
  function lookUp(word: string): { readonly list: readonly Posting[]; readonly weight: number } {
    const exact = postings.get(word);
    if (exact) return { list: exact, weight: 1 };
    const longer = word.length < 3 ? [] : beginningWith(word, vocabulary);
    if (longer.length > 0) return { list: unite(longer), weight: 0.6 };
    const inside =
      word.length < 4 ? [] : names.flatMap((name, index) => (name.includes(word) ? [{ index, count: 1 }] : []));
    if (inside.length > 0) return { list: inside, weight: 0.6 };
    const similar = new Set(withoutOne(word).flatMap((variant) => slips().get(variant) ?? []));
    return { list: unite(similar), weight: 0.4 };
  }

  function unite(words: Iterable<string>): readonly Posting[] {
    const best = new Map<number, number>();
    for (const word of words) {
      for (const { index, count } of postings.get(word) ?? []) best.set(index, Math.max(count, best.get(index) ?? 0));
    }
    return Array.from(best, ([index, count]) => ({ index, count }));
  }

  return {
    search(query, limit) {
      const text = cut(query, maxQueryChars);
      const scores = new Float64Array(tools.length);
      for (const word of [...new Set(wordsOf(text))].slice(0, maxQueryWords)) {
        const { list, weight } = lookUp(word);
        add(scores, list, weight);
        add(scores, unite(synonyms.get(word) ?? []), synonymWeight);
      }
      const whole = normalizeName(text);
      const nothingYet = whole !== "" && !scores.some((score) => score > 0);
      for (const [index, name] of names.entries()) {
        if (name === whole) scores[index] = (scores[index] ?? 0) + exactNameBonus;
        else if (nothingYet && name.includes(whole)) scores[index] = 1;
      }
      return best(tools, scores, limit);
    },
  };
}

interface Posting {
  readonly index: number;
  readonly count: number;
}

const k1 = 1.5;
const b = 0.75;
/** A word of the name counts more than one of the description. */
const nameWeight = 3;
const synonymWeight = 0.4;
const exactNameBonus = 1000;
const maxQueryChars = 1000;
const maxQueryWords = 16;
const maxDescriptionChars = 4000;
const maxParameters = 200;

function post(tools: readonly Searchable[]) {
  const postings = new Map<string, Posting[]>();
  const lengths: number[] = [];
  const stems = new Map<string, string>();
  for (const [index, tool] of tools.entries()) {
    let length = 0;
    for (const [word, count] of countWords(tool, stems)) {
      length += count;
      const list = postings.get(word);
      if (list) list.push({ index, count });
      else postings.set(word, [{ index, count }]);
    }
    lengths.push(length);
  }
  return { postings, lengths };
}

function countWords({ card, parameters }: Searchable, stems: Map<string, string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const count = (text: string, weight: number) => {
    for (const word of wordsOf(text, stems)) counts.set(word, (counts.get(word) ?? 0) + weight);
  };
  count(card.name, nameWeight);
  count(card.sourceName, 1);
  count(cut(card.description, maxDescriptionChars), 1);
  count(parameters.slice(0, maxParameters).join(" "), 1);
  return counts;
}

function beginningWith(prefix: string, vocabulary: readonly string[]): readonly string[] {
  let low = 0;
  let high = vocabulary.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((vocabulary[middle] ?? "") < prefix) low = middle + 1;
    else high = middle;
  }
  return vocabulary.slice(low, low + 20).filter((word) => word.startsWith(prefix));
}

/**
 * Maps each spelling of a word with one letter removed to the word. Two words that share such a spelling differ by one
 * typo: an extra, missing or different letter, or two swapped letters.
 */
function slipsOf(vocabulary: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const slips = new Map<string, string[]>();
  for (const word of vocabulary) {
    for (const variant of withoutOne(word)) {
      const words = slips.get(variant);
      if (words) words.push(word);
      else slips.set(variant, [word]);
    }
  }
  return slips;
}

/**
 * Returns the word and its spellings with one letter removed. Empty for a word that is too short or too long for typos.
 */
function withoutOne(word: string): string[] {
  if (word.length < 4 || word.length > 24) return [];
  const variants = [word];
  for (let index = 0; index < word.length; index++) variants.push(word.slice(0, index) + word.slice(index + 1));
  return variants;
}

/** The highest scores above zero. The limit is small, so the list stays short during the scan. */
function best(tools: readonly Searchable[], scores: Float64Array, limit: number): readonly ToolMatch[] {
  const top: ToolMatch[] = [];
  for (const [index, { card }] of tools.entries()) {
    const score = Math.round((scores[index] ?? 0) * 1000) / 1000;
    if (score === 0) continue;
    const behind = (other: ToolMatch) => other.score < score || (other.score === score && other.name > card.name);
    const last = top.at(-1);
    if (last && top.length >= limit && !behind(last)) continue;
    const place = top.findIndex(behind);
    const { name, description, source, sourceName } = card;
    top.splice(place < 0 ? top.length : place, 0, { name, description, source, sourceName, score });
    if (top.length > limit) top.pop();
  }
  return top;
}

/** Synonyms by word, in the normalised form of `wordsOf`. */
function createSynonyms(): ReadonlyMap<string, readonly string[]> {
  const synonyms = new Map<string, readonly string[]>();
  for (const line of sameMeaning) {
    const words = [...new Set(wordsOf(line))];
    for (const word of words) synonyms.set(word, [...(synonyms.get(word) ?? []), ...words.filter((w) => w !== word)]);
  }
  return synonyms;
}

const sameMeaning: readonly string[] = [
  "image picture photo drawing",
  "draw generate",
  "create make new",
  "web internet google online",
  "website page site",
  "email mail",
  "event appointment meeting calendar",
  "speech speak spoken voice aloud",
  "track song music",
  "post tweet",
  "message chat text",
  "conversation chat session",
  "look describe analyze see",
  "delete remove",
  "change edit update modify",
  "terminal shell bash command",
  "folder directory",
  "schedule reminder cron timer",
  "remember memory note",
  "fetch download get",
  "ask question",
  "task todo ticket issue",
];
