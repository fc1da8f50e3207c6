/** What is known of the words that there are. */
export interface Vocabulary {
  /** In how many texts it is; many of them are not counted to the end. */
  count(word: string): number;
  /** Those of these words that there are, with the number of their texts. */
  among(words: readonly string[]): readonly { readonly word: string; readonly texts: number }[];
  /** Those that begin so, with the number of their texts. */
  beginningWith(start: string): readonly { readonly word: string; readonly texts: number }[];
}

/**
 * Words that somebody may have meant who wrote this one: a letter too many or too few, another one, two of them swapped;
 * in long words two such. The most used first, at most three, and none that is not `allowed`.
 */
export function nearWords(
  word: string,
  vocabulary: Vocabulary,
  allowed: (word: string) => boolean = () => true,
): readonly string[] {
  const alphabet = alphabets.find(({ letters }) => letters.test(word));
  if (!alphabet || word.length < shortest) return [];
  const start = word.slice(0, word.length >= longWord ? 3 : 2);
  const most = word.length >= longWord ? 2 : 1;
  const same = vocabulary
    .beginningWith(start)
    .filter((other) => other.word !== word && Math.abs(other.word.length - word.length) <= most)
    .map((other) => ({ ...other, edits: editDistance(word, other.word, most) }))
    .filter(({ edits }) => edits <= most);
  const changed = [...new Set(changedStarts(word, start.length, alphabet.all))].filter(
    (each) => !each.startsWith(start),
  );
  const other = vocabulary.among(changed).map((each) => ({ ...each, edits: 1 }));
  const found = [...same, ...other].toSorted((one, two) => one.edits - two.edits || two.texts - one.texts);
  return Iterator.from(found)
    .map((each) => each.word)
    .take(mostAsked)
    .filter(allowed)
    .take(mostWords)
    .toArray();
}

const shortest = 4;
const longWord = 7;
const mostWords = 3;
const mostAsked = 60;

const alphabets: readonly { readonly letters: RegExp; readonly all: string }[] = [
  { letters: /^[a-z]+$/u, all: "abcdefghijklmnopqrstuvwxyz" },
  { letters: /^[а-яё]+$/u, all: "абвгдежзийклмнопрстуфхцчшщъыьэюя" },
  { letters: /^[α-ω]+$/u, all: "αβγδεζηθικλμνξοπρστυφχψω" },
  { letters: /^[\u0620-\u064a]+$/u, all: "ءابتثجحخدذرزسشصضطظعغفقكلمنهوي" },
];

/** With one change among its first letters. */
function* changedStarts(word: string, length: number, alphabet: string): Generator<string, void, void> {
  for (let at = 0; at < length; at++) {
    const [before, after] = [word.slice(0, at), word.slice(at + 1)];
    yield before + after;
    yield before + word.charAt(at + 1) + word.charAt(at) + word.slice(at + 2);
    for (const letter of alphabet) {
      yield before + letter + after;
      yield before + letter + word.slice(at);
    }
  }
}

/** How many letters were added, left out, changed or swapped with their neighbour; more than `most` is not counted. */
export function editDistance(one: string, two: string, most: number): number {
  let before: number[] = [];
  let last = Array.from({ length: two.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row++) {
    const next = [row];
    let least = row;
    for (let at = 1; at <= two.length; at++) {
      const isSame = one[row - 1] === two[at - 1];
      let edits = Math.min((last[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1, (last[at - 1] ?? 0) + (isSame ? 0 : 1));
      const isSwapped = row > 1 && at > 1 && one[row - 1] === two[at - 2] && one[row - 2] === two[at - 1];
      if (isSwapped) edits = Math.min(edits, (before[at - 2] ?? 0) + 1);
      next.push(edits);
      least = Math.min(least, edits);
    }
    if (least > most) return most + 1;
    before = last;
    last = next;
  }
  return last[two.length] ?? 0;
}
