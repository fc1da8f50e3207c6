import type { SpelledText } from "./folded-text.ts";
import { numberOf } from "./meanings.ts";
import { isOrder } from "./order.ts";
import { quotedIn } from "./quoted.ts";
import type { Surface } from "./rule.ts";
import type { Tokens } from "./tokens.ts";

/** Receives the features of each word, as 32-bit numbers, in the order of the words. */
export interface TraitReceiver {
  take(trait: number): void;
  /** Called after the last feature of the word at this index. */
  endWord(index: number): void;
}

/** Maps a feature to its group. Features of one group share a weight. */
export function groupOf(trait: number): number {
  return trait & (traitGroupCount - 1);
}

/** The number of groups that have weights. */
export const traitGroupCount = 1 << 19;

/**
 * Emits the features that have weights: single words, pairs and pieces of words, single meanings and pairs of meanings,
 * each also combined with the source of the text, with quotes, and with whether the sentence is about attacks or
 * examples; and punctuation between two words. They depend only on the sentence itself and the quotes on its line.
 */
export function traitsOf(
  tokens: Tokens,
  original: string,
  shown: SpelledText,
  surface: Surface,
  { take, endWord }: TraitReceiver,
): void {
  const { words, starts, ends, sentences, meanings } = tokens;
  const isQuoted = quotedIn(original);
  const about = talkAround(tokens);
  const where = numberOf(surface);
  const cache = new Map<string, CachedWord>();
  let wordBefore = 0;
  for (let offset = 0; offset < words.length; offset++) {
    const written = words[offset] ?? "";
    const means = meanings[offset] ?? [];
    let cached = cache.get(written);
    if (!cached) cache.set(written, (cached = { word: wordNumber(written, means), byState: [] }));
    const { word, byState } = cached;
    const follows = offset > 0 && sentences[offset - 1] === sentences[offset];
    const quoted = isQuoted[shown.at(starts[offset] ?? 0)] ?? 0;
    const talk = about[offset] ?? 0;
    const order = isOrder(tokens, offset) ? 1 : 0;
    const state = (talk * 2 + quoted) * 2 + order;
    const ownTraits = (byState[state] ??= wordTraits(written, word, { quoted, talk, order, where }));
    for (let index = 0; index < ownTraits.length; index++) take(ownTraits[index] ?? 0);
    if (follows) {
      const pair = mix(mix(kinds.wordPair, wordBefore), word);
      take(pair);
      take(mix(mix(kinds.pairHere, pair), where));
      take(mix(mix(kinds.pairInTalk, pair), talk * 2 + quoted));
    } else take(mix(kinds.firstWord, word));
    const isLast = sentences[offset + 1] !== sentences[offset];
    const gap = isLast
      ? markAt(shown.text, ends[offset] ?? 0)
      : gapAfter(shown.text, ends[offset] ?? 0, starts[offset + 1] ?? 0);
    if (gap !== "") {
      take(mix(kinds.gap, numberOf(gap)));
      take(mix(mix(kinds.wordBeforeGap, numberOf(gap)), word));
    }
    for (const meaning of means) {
      take(mix(kinds.meaning, meaning));
      take(mix(mix(kinds.meaningHere, meaning), where));
      take(mix(mix(kinds.meaningAsOrder, meaning), order));
      take(mix(mix(kinds.meaningInTalk, meaning), talk * 2 + quoted));
      if (follows) take(mix(mix(kinds.meaningAfterWord, wordBefore), meaning));
      else take(mix(kinds.firstMeaning, meaning));
      for (
        let back = offset - 1;
        back >= 0 && back >= offset - reach && sentences[back] === sentences[offset];
        back--
      ) {
        for (const before of meanings[back] ?? []) {
          if (before !== meaning) take(mix(mix(kinds.meaningPair, before), meaning));
        }
      }
    }
    if (follows) {
      for (const before of meanings[offset - 1] ?? []) take(mix(mix(kinds.wordAfterMeaning, before), word));
    }
    endWord(offset);
    wordBefore = word;
  }
}

/** A word with its features for each state: quoted, topic of the sentence, instruction or not. */
interface CachedWord {
  readonly word: number;
  readonly byState: (readonly number[] | undefined)[];
}

interface WordState {
  readonly quoted: number;
  readonly talk: number;
  readonly order: number;
  readonly where: number;
}

function wordTraits(written: string, word: number, { quoted, talk, order, where }: WordState): readonly number[] {
  const traits = [
    mix(kinds.word, word),
    mix(mix(kinds.wordHere, word), where),
    mix(quoted ? kinds.quotedWord : kinds.plainWord, word),
    mix(mix(kinds.wordInTalk, word), talk),
    mix(mix(kinds.wordAsOrder, word), order),
  ];
  if (written.length < 6) return traits;
  for (let from = 0; from + 4 <= written.length && from < 10; from++)
    traits.push(mix(kinds.piece, numberOf(written.slice(from, from + 4))));
  return traits;
}

/** Returns the feature that each window has for the source of its text. */
export function surfaceTrait(surface: Surface): number {
  return mix(kinds.part, numberOf(surface));
}

/**
 * Returns the punctuation between two words of a sentence. Empty for spaces, line breaks and comment markers at line
 * starts.
 */
function gapAfter(text: string, end: number, next: number): string {
  if (next - end <= 1 && text.charCodeAt(end) === 0x20) return "";
  const marks = text.slice(end, Math.min(next, end + 6));
  return /[\s]{2}|\n/u.test(marks)
    ? marks
        .replace(/\s*\n[\s*#>/]*/u, " ")
        .replaceAll(/\s+/gu, " ")
        .replace(/^ $/u, "")
    : marks;
}

/** The mark that ends a sentence. */
function markAt(text: string, end: number): string {
  const mark = text.charAt(end);
  return /\s/u.test(mark) ? "" : mark;
}

/** The maximum distance in words between two meanings that form a pair. */
const reach = 6;

const kinds = {
  word: 1,
  plainWord: 2,
  quotedWord: 3,
  wordInTalk: 4,
  wordHere: 5,
  wordPair: 6,
  firstWord: 7,
  piece: 8,
  meaning: 9,
  meaningHere: 10,
  meaningAsOrder: 11,
  meaningInTalk: 12,
  meaningAfterWord: 13,
  firstMeaning: 14,
  meaningPair: 15,
  wordAfterMeaning: 16,
  part: 17,
  pairHere: 18,
  pairInTalk: 19,
  wordAsOrder: 20,
  gap: 21,
  wordBeforeGap: 22,
} as const;

function mix(kind: number, value: number): number {
  let number = Math.imul(kind ^ Math.imul(value, 0x9e3779b1), 0x85ebca6b);
  number = Math.imul(number ^ (number >>> 13), 0xc2b2ae35);
  return number ^ (number >>> 16);
}

/** Maps URLs, numbers and long words to one number each. */
function wordNumber(written: string, means: readonly number[]): number {
  if (means.includes(url)) return 1;
  if (means.includes(out) && /[.@]/u.test(written)) return 2;
  if (written.length > 30) return 3;
  return /^\d/u.test(written) ? 4 : numberOf(written);
}

const url = numberOf("URL");
const out = numberOf("OUT");

/** Returns for each word whether its sentence is about attacks (1) or examples (2). */
function talkAround({ meanings, sentences }: Tokens): Uint8Array {
  const around = new Uint8Array(meanings.length);
  for (let first = 0, end = 0; first < meanings.length; first = end) {
    let mark = 0;
    for (end = first; end < meanings.length && sentences[end] === sentences[first]; end++) {
      const means = meanings[end] ?? [];
      if (means.includes(talk) || means.includes(foe)) mark |= 1;
      if (means.includes(example)) mark |= 2;
    }
    if (mark !== 0) around.fill(mark, first, end);
  }
  return around;
}

const talk = numberOf("TALK");
const foe = numberOf("FOE");
const example = numberOf("EXAMPLE");
