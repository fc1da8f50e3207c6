import { nearWords } from "./near-words.ts";
import type { QueryTerm, QueryUnit, ReadQuery } from "./read-query.ts";
import type { MatchGroup, MatchTerm, MatchUnit } from "./score-text.ts";
import { maxCounted, quoted, type SearchWords } from "./search-words.ts";

/** The search expressions for a query, and how to score their results. */
export interface SearchPlan {
  readonly groups: readonly MatchGroup[];
  /** The expression for all terms. Undefined if no text can match all of them. */
  readonly all: string | undefined;
  /** Like `texts`, for titles, which may contain words that no text has. */
  readonly titles: string | undefined;
  /** Each term separately, highest weight first. */
  readonly single: readonly { readonly expression: string; readonly weight: number }[];
  /** Exclusions to append to an expression. */
  readonly without: string;
  /** Replacements for words that no text contains. */
  readonly instead: readonly { readonly written: string; readonly meant: readonly string[] }[];
  /** True if only some of the words with this prefix are searched. */
  readonly isBounded: boolean;
}

/**
 * `exact` searches only the words as written. `loose` also searches other word forms, parts of identifiers, and words
 * similar to a rare one. The full-text expression `ever` limits the search to texts of the owner. The plan never
 * suggests words that only other principals use.
 */
export function planSearch(query: ReadQuery, words: SearchWords, ever: string, how: "exact" | "loose"): SearchPlan {
  const total = Math.max(1, words.total());
  // A single term needs no weight.
  const isAlone = how === "exact" && query.groups.flat().flatMap(({ units }) => units).length === 1;
  const instead: { written: string; meant: readonly string[] }[] = [];
  let isBounded = false;
  const lookups = { starts: 0, near: 0 };

  function planUnit(unit: QueryUnit, isStart: boolean): MatchUnit & { readonly expression: string | undefined } {
    const { token, kind, parts } = unit;
    if ((isStart || kind === "letter") && lookups.starts++ >= maxLookups) isBounded = true;
    else if (isStart || kind === "letter") {
      const result = words.beginningWith(token);
      const texts = result.reduce((sum, each) => sum + each.texts, 0);
      const choices = new Map([[token, 1]]);
      const expression = texts <= fewTexts ? anyBeginning(token, texts) : mostUsed(token, result);
      return { choices, start: token, parts: [], isLoose: false, weight: telling(texts), expression };
    }
    const choices = new Map([[token, 1]]);
    let texts = isAlone ? 1 : words.count(token);
    if (how === "loose" && kind === "word") {
      for (const form of wordForms(token)) {
        const count = words.count(form);
        if (count > 0) choices.set(form, formFit);
        texts += count;
      }
      const isRare = texts <= rarely || ownTexts([...choices.keys()], rarely + 1) <= rarely;
      const near =
        isRare && lookups.near++ < maxLookups ? nearWords(token, words, (word) => ownTexts([word], 1) > 0) : [];
      if (near.length > 0) instead.push({ written: token, meant: near });
      for (const word of near) {
        choices.set(word, nearFit);
        texts += words.count(word);
      }
    }
    const together = how === "loose" && parts.length > 0 ? ` OR (${parts.map(quoted).join(" AND ")})` : "";
    if (together !== "") texts += Math.min(...parts.map((part) => words.count(part)));
    const expression = texts > 0 ? `(${[...choices.keys()].map(quoted).join(" OR ")}${together})` : undefined;
    return { choices, parts, isLoose: how === "loose", weight: telling(texts), expression };
  }

  /** The most frequent words with this prefix, and the prefix itself as a word. */
  function mostUsed(token: string, match: ReturnType<SearchWords["beginningWith"]>): string | undefined {
    const others = match.filter(({ word }) => word !== token).toSorted((one, two) => two.texts - one.texts);
    if (others.length > maxStarts) isBounded = true;
    return anyOf([token, ...others.slice(0, maxStarts).map(({ word }) => word)]);
  }

  function ownTexts(any: readonly string[], limit: number): number {
    return words.texts(`${anyOf(any)}${ever}`, limit, "newest").length;
  }

  /** Inverse document frequency as in BM25. A word that no text contains gets no weight. */
  function telling(texts: number): number {
    const counted = texts >= maxCounted ? Math.max(maxCounted, total / 20) : texts;
    return texts === 0 ? 0 : Math.log(1 + (total + 1) / (counted + 0.5));
  }

  const planned = query.groups.map((terms) =>
    terms.map((term) => ({
      term,
      units: term.units.map((unit, index) => planUnit(unit, term.isPrefix && index === term.units.length - 1)),
    })),
  );
  const expressions = planned.map((terms) =>
    oneOf(terms.map(({ units }) => allOf(units.map((unit) => unit.expression)))),
  );
  const without = query.without.flatMap(bareWord).map((token) => ` NOT ${quoted(token)}`);
  return {
    groups: planned,
    all: allOf(expressions),
    titles: allOf(planned.map((terms) => oneOf(terms.map(inTitles)))),
    single: planned
      .flat()
      .flatMap(({ units }) => units)
      .flatMap(({ expression, weight }) => (expression === undefined ? [] : [{ expression, weight }]))
      .toSorted((one, two) => two.weight - one.weight),
    without: without.join(""),
    instead,
    isBounded,
  };
}

const formFit = 0.7;
const nearFit = 0.6;
/** A word in so few texts may itself be a typo, for example in the current question. */
const rarely = 2;
const maxStarts = 80;
/** The maximum number of texts for all words with a prefix. Beyond it, only the most frequent words are used. */
const fewTexts = 20_000;
/** The maximum number of vocabulary lookups of a query, for prefixes and for similar words. */
const maxLookups = 6;

function inTitles({ term, units }: MatchTerm): string | undefined {
  const words = units.map(({ choices, start }) => {
    const any = [...choices.keys()].map(quoted).join(" OR ");
    return start === undefined ? `(${any})` : `${quoted(start)} *`;
  });
  return term.isPhrase ? undefined : allOf(words);
}

/** Exclusions of single words. Excluded phrases are checked later, in the texts. */
function bareWord({ units, isPrefix }: QueryTerm): readonly string[] {
  const [only, second] = units;
  return only && second === undefined && !isPrefix && only.kind !== "letter" ? [only.token] : [];
}

function anyBeginning(start: string, texts: number): string | undefined {
  return texts === 0 ? undefined : `${quoted(start)} *`;
}

function anyOf(words: readonly string[]): string | undefined {
  return words.length === 0 ? undefined : `(${words.map(quoted).join(" OR ")})`;
}

function allOf(expressions: readonly (string | undefined)[]): string | undefined {
  if (expressions.length === 0 || expressions.includes(undefined)) return undefined;
  return `(${expressions.join(" AND ")})`;
}

function oneOf(expressions: readonly (string | undefined)[]): string | undefined {
  const there = expressions.filter((each) => each !== undefined);
  return there.length === 0 ? undefined : `(${there.join(" OR ")})`;
}

/**
 * Other forms of a word: endings and spellings. The rules are not a grammar: a form that is not a word matches
 * nothing. Normalised, without the word itself.
 */
function wordForms(word: string): readonly string[] {
  const rules = /^[a-z]+$/u.test(word) ? latin : /^[\u0430-\u044f\u0451]+$/u.test(word) ? cyrillic : undefined;
  if (/^[\u0620-\u064a]+$/u.test(word)) return arabicForms(word);
  if (!rules || word.length < shortest) return [];
  const forms = new Set<string>();
  const stems = new Set([word]);
  for (const ending of rules) {
    if (ending !== "" && word.endsWith(ending) && word.length - ending.length >= shortest - 1) {
      stems.add(word.slice(0, -ending.length));
    }
  }
  for (const stem of [...stems].slice(0, maxStems)) for (const ending of rules) forms.add(stem + ending);
  // Words with umlauts in their ASCII spelling.
  const umlauts = word.replace(/(?<=.)([aou])e/gu, "$1");
  if (rules === latin && umlauts !== word) forms.add(umlauts);
  forms.delete(word);
  return [...forms];
}

const shortest = 4;
const maxStems = 3;
const latin = ["", "s", "es", "e", "ed", "d", "ing", "er", "ers", "en", "n", "em", "ment", "ments", "ly"];
const cyrillic = "|а|я|о|е|ы|и|у|ю|ой|ей|ом|ем|ам|ах|ов|ев|ии|ая|ое|ые|ого|ому|ым|ых|ть|л|ла|ли|ет|ут".split("|");

/** Adds or removes the article and common endings. */
function arabicForms(word: string): readonly string[] {
  const bare = word.startsWith("ال") && word.length > shortest ? word.slice(2) : word;
  const forms = ["", "ات", "ون", "ين", "ها", "ه", "ي"].flatMap((ending) => [bare + ending, `ال${bare}${ending}`]);
  return [...forms, `و${bare}`, `ب${bare}`, `ل${bare}`].filter((form) => form !== word);
}
