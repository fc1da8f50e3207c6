import { easternWords } from "./eastern-words.ts";
import { englishWords } from "./english-words.ts";
import { readable } from "./folded-text.ts";
import { germanicWords } from "./germanic-words.ts";
import { romanceWords } from "./romance-words.ts";
import { worldWords } from "./world-words.ts";

/** What a word can mean, as numbers; the same number for a meaning in every language. */
export type Meanings = readonly number[];

/** A phrase by the words that follow its first one; a word with `*` at its end is a stem. */
export interface Phrase {
  readonly rest: readonly string[];
  readonly meaning: number;
  readonly isForeign: boolean;
}

export interface Lexicon {
  /** The number of a meaning (big letters) or of a word that a pattern names (small letters). */
  idOf(name: string): number;
  meaningsOf(word: string): WordMeanings | undefined;
  /** "ignroe": the letters between the first and the last in another order. */
  scrambled(word: string): WordMeanings | undefined;
  phrasesOf(word: string): readonly Phrase[];
  /** The longest entry of a script without blanks that stands at this place. */
  entryAt(text: string, at: number): { readonly length: number; readonly meanings: Meanings } | undefined;
}

export interface WordMeanings {
  readonly meanings: Meanings;
  /** Not an English word. */
  readonly isForeign: boolean;
  /** An English word that others have too. */
  readonly isShared: boolean;
}

/** All words of all languages, and those that patterns name themselves. */
export function createLexicon(named: Iterable<string>): Lexicon {
  const ids = new Map<string, number>();
  const words = new Map<string, { meanings: number[]; isForeign: boolean; isShared: boolean }>();
  const stems = new Map<string, { meanings: number[]; isForeign: boolean; isShared: boolean }>();
  const phrases = new Map<string, Phrase[]>();
  const entries = new Map<string, { text: string; meanings: number[] }[]>();
  const idOf = (name: string): number => {
    const known = ids.get(name) ?? ids.size;
    ids.set(name, known);
    return known;
  };
  const put = (table: typeof words, key: string, meaning: number, isForeign: boolean): void => {
    const known = table.get(key);
    if (!known) {
      table.set(key, { meanings: [meaning], isForeign, isShared: false });
      return;
    }
    if (isForeign && !known.isForeign) known.isShared = true;
    if (!known.meanings.includes(meaning)) known.meanings.push(meaning);
  };
  const add = (written: string, meaning: number, isForeign: boolean): void => {
    if (noBlanks.test(written)) {
      const list = entries.get(written.charAt(0)) ?? [];
      entries.set(written.charAt(0), list);
      const same = list.find(({ text }) => text === written);
      if (same) same.meanings.push(meaning);
      else list.push({ text: written, meanings: [meaning] });
      return;
    }
    const [first = "", ...rest] = written.split(/[_-]/u);
    if (rest.length === 0) return put(first.endsWith("*") ? stems : words, first.replace("*", ""), meaning, isForeign);
    const list = phrases.get(first) ?? [];
    phrases.set(first, list);
    list.push({ rest, meaning, isForeign });
  };
  for (const name of named) {
    const id = idOf(name);
    if (name !== name.toLowerCase()) continue;
    put(words, name, id, false);
    if (name.includes("_")) add(name, id, false);
  }
  for (const [index, language] of [
    englishWords,
    ...germanicWords,
    ...romanceWords,
    ...easternWords,
    ...worldWords,
  ].entries()) {
    for (const [meaning, list] of Object.entries(language)) {
      const id = idOf(meaning);
      for (const written of list.split(" ")) add(folded(written), id, index > 0);
    }
  }
  for (const list of entries.values()) list.sort((a, b) => b.text.length - a.text.length);
  const shuffled = new Map<string, WordMeanings>();
  for (const meaning of ["IGNORE", "REPLACE", "PRIOR", "INSTR", "SAFETY"]) {
    for (const word of (englishWords[meaning] ?? "").split(" ")) {
      const known = words.get(word);
      if (known && word.length >= 5) shuffled.set(shuffleOf(word), known);
    }
  }
  const longest = Math.max(...Array.from(stems.keys(), (stem) => stem.length));
  const stemOf = (word: string): WordMeanings | undefined => {
    for (let length = Math.min(longest, word.length); length > 0; length--) {
      const found = stems.get(word.slice(0, length));
      if (found) return found;
    }
    return undefined;
  };
  return {
    idOf,
    meaningsOf: (word) => words.get(word) ?? (word.charCodeAt(0) > 0x24f ? stemOf(word) : undefined),
    scrambled: (word) => (word.length >= 5 && word.length <= 14 ? shuffled.get(shuffleOf(word)) : undefined),
    phrasesOf: (word) => phrases.get(word) ?? [],
    entryAt: (text, at) => {
      const found = entries.get(text.charAt(at))?.find((entry) => text.startsWith(entry.text, at));
      return found && { length: found.text.length, meanings: found.meanings };
    },
  };
}

/** Scripts whose words are not parted by blanks. */
export const noBlanks = /[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]/u;

function shuffleOf(word: string): string {
  return word.charAt(0) + Array.from(word.slice(1, -1)).toSorted().join("") + word.slice(-1);
}

function folded(written: string): string {
  return readable(written).text.toLowerCase();
}
