/** The vocabulary of the index. */
export interface Vocabulary {
  /** How many texts contain the word; counting stops at a limit. */
  count(word: string): number;
  /** Those of the given words that exist, with their number of texts. */
  among(words: readonly string[]): readonly { readonly word: string; readonly texts: number }[];
  /** Words with this prefix, with the number of their texts. */
  beginningWith(start: string): readonly { readonly word: string; readonly texts: number }[];
}

/**
 * Words that a typo may stand for: one letter added, missing or replaced, or two swapped; two such errors in long
 * words. At most three, most frequent first, and only `allowed` words.
 */
export function nearWords(
  word: string,
  vocabulary: Vocabulary,
  allowed: (word: string) => boolean = () => true,
): readonly string[] {
  const alphabet = alphabets.find(({ letters }) => letters.test(word));
  if (!alphabet || word.length < shortest) return [];
  const start = word.slice(0, word.length >= longWord ? 3 : 2);
  const max = word.length >= longWord ? 2 : 1;
  const same = vocabulary
    .beginningWith(start)
    .filter((other) => other.word !== word && Math.abs(other.word.length - word.length) <= max)
    .map((other) => ({ ...other, edits: editDistance(word, other.word, max) }))
    .filter(({ edits }) => edits <= max);
  const changed = [...new Set(changedStarts(word, start.length, alphabet.all))].filter(
    (each) => !each.startsWith(start),
  );
  const other = vocabulary.among(changed).map((each) => ({ ...each, edits: 1 }));
  const result = [...same, ...other].toSorted((one, two) => one.edits - two.edits || two.texts - one.texts);
  return Iterator.from(result)
    .map((each) => each.word)
    .take(maxLookups)
    .filter(allowed)
    .take(maxWords)
    .toArray();
}

const shortest = 4;
const longWord = 7;
const maxWords = 3;
const maxLookups = 60;

const alphabets: readonly { readonly letters: RegExp; readonly all: string }[] = [
  { letters: /^[a-z]+$/u, all: "abcdefghijklmnopqrstuvwxyz" },
  { letters: /^[а-яё]+$/u, all: "абвгдежзийклмнопрстуфхцчшщъыьэюя" },
  { letters: /^[α-ω]+$/u, all: "αβγδεζηθικλμνξοπρστυφχψω" },
  { letters: /^[\u0620-\u064a]+$/u, all: "ءابتثجحخدذرزسشصضطظعغفقكلمنهوي" },
];

/** Prefixes of the word with one change among the first letters. */
function* changedStarts(word: string, length: number, alphabet: string): Generator<string, void, void> {
  for (let index = 0; index < length; index++) {
    const [before, after] = [word.slice(0, index), word.slice(index + 1)];
    yield before + after;
    yield before + word.charAt(index + 1) + word.charAt(index) + word.slice(index + 2);
    for (const letter of alphabet) {
      yield before + letter + after;
      yield before + letter + word.slice(index);
    }
  }
}

/** Edit distance: letters added, removed, replaced or swapped with a neighbour. Stops counting beyond the limit. */
export function editDistance(one: string, two: string, max: number): number {
  let before: number[] = [];
  let last = Array.from({ length: two.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const next = [row];
    let minimum = row;
    for (let offset = 1; offset <= two.length; offset++) {
      const isSame = one[row - 1] === two[offset - 1];
      let edits = Math.min(
        (last[offset] ?? 0) + 1,
        (next[offset - 1] ?? 0) + 1,
        (last[offset - 1] ?? 0) + (isSame ? 0 : 1),
      );
      const isSwapped = row > 1 && offset > 1 && one[row - 1] === two[offset - 2] && one[row - 2] === two[offset - 1];
      if (isSwapped) edits = Math.min(edits, (before[offset - 2] ?? 0) + 1);
      next.push(edits);
      minimum = Math.min(minimum, edits);
    }
    if (minimum > max) return max + 1;
    before = last;
    last = next;
  }
  return last[two.length] ?? 0;
}
