import words from "../../../data/injection/words.json" with { type: "json" };
import { readable } from "./folded-text.ts";

/** The meanings of a word as numbers that are the same in every language. */
export type Meanings = readonly number[];

/** A phrase: the words that follow its first word. A word that ends with `*` is a stem. */
export interface Phrase {
  readonly rest: readonly string[];
  readonly meaning: number;
}

export interface Lexicon {
  meaningsOf(word: string): Meanings | undefined;
  /** Looks up a word whose inner letters are scrambled: "ignroe". */
  scrambled(word: string): Meanings | undefined;
  phrasesOf(word: string): readonly Phrase[];
  /** Returns the longest entry at this offset, for scripts without spaces. */
  entryAt(text: string, offset: number): { readonly length: number; readonly meanings: Meanings } | undefined;
}

/**
 * Maps a meaning or a word to 32 bits that depend only on its letters, so that weights stay valid when other words
 * change.
 */
export function numberOf(name: string): number {
  let number = 0x811c9dc5;
  for (let index = 0; index < name.length; index++) {
    number = Math.imul(number ^ name.charCodeAt(index), 0x01000193);
  }
  return number ^ (number >>> 15);
}

/** The words of each meaning, for each language. */
const vocabulary: Readonly<Record<string, Readonly<Record<string, string>>>> = words;

/** Builds the lexicon of all languages. */
export function createLexicon(): Lexicon {
  const single = new Map<string, number[]>();
  const stems = new Map<string, number[]>();
  const phrases = new Map<string, Phrase[]>();
  const entries = new Map<string, { text: string; meanings: number[] }[]>();
  const put = (table: typeof single, key: string, meaning: number): void => {
    const current = table.get(key);
    if (!current) table.set(key, [meaning]);
    else if (!current.includes(meaning)) current.push(meaning);
  };
  const add = (written: string, meaning: number): void => {
    if (noBlanks.test(written)) {
      const list = entries.get(written.charAt(0)) ?? [];
      entries.set(written.charAt(0), list);
      const same = list.find(({ text }) => text === written);
      if (!same) list.push({ text: written, meanings: [meaning] });
      else if (!same.meanings.includes(meaning)) same.meanings.push(meaning);
      return;
    }
    const [first = "", ...rest] = written.split(/[_-]/u);
    if (rest.length === 0) return put(first.endsWith("*") ? stems : single, first.replace("*", ""), meaning);
    const list = phrases.get(first) ?? [];
    phrases.set(first, list);
    list.push({ rest, meaning });
  };
  for (const language of Object.values(vocabulary)) {
    for (const [meaning, list] of Object.entries(language)) {
      const number = numberOf(meaning);
      for (const written of list.split(" ")) add(folded(written), number);
    }
  }
  for (const list of entries.values()) list.sort((a, b) => b.text.length - a.text.length);
  const shuffled = new Map<string, Meanings>();
  const outlines = new Set<string>();
  const outlineOf = (word: string) => `${word.length}${word.charAt(0)}${word.at(-1)}`;
  for (const meaning of ["IGNORE", "REPLACE", "PRIOR", "INSTR", "SAFETY"]) {
    for (const word of (vocabulary["english"]?.[meaning] ?? "").split(" ")) {
      const current = single.get(word);
      if (!current || word.length < 5) continue;
      shuffled.set(shuffleOf(word), current);
      outlines.add(outlineOf(word));
    }
  }
  const maxStem = Math.max(...Array.from(stems.keys(), (stem) => stem.length));
  const stemOf = (word: string): Meanings | undefined => {
    for (let length = Math.min(maxStem, word.length); length > 0; length--) {
      const match = stems.get(word.slice(0, length));
      if (match) return match;
    }
    return undefined;
  };
  return {
    meaningsOf: (word) => single.get(word) ?? (word.charCodeAt(0) > 0x24f ? stemOf(word) : undefined),
    scrambled: (word) => (outlines.has(outlineOf(word)) ? shuffled.get(shuffleOf(word)) : undefined),
    phrasesOf: (word) => phrases.get(word) ?? [],
    entryAt: (text, offset) => {
      const match = entries.get(text.charAt(offset))?.find((entry) => text.startsWith(entry.text, offset));
      return match && { length: match.text.length, meanings: match.meanings };
    },
  };
}

/** Scripts without spaces between words. */
export const noBlanks = /[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]/u;

function shuffleOf(word: string): string {
  return word.charAt(0) + Array.from(word.slice(1, -1)).toSorted().join("") + word.slice(-1);
}

function folded(written: string): string {
  return readable(written).text.toLowerCase();
}
