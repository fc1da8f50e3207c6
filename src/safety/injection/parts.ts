import type { Tokens } from "./tokens.ts";

/** A range of words from `first` up to `end`, exclusive. */
export interface TextPart {
  readonly first: number;
  readonly end: number;
}

/** Windows that start with the same sentence, one for each of the ascending `ends`. */
export interface Windows {
  readonly first: number;
  readonly ends: readonly number[];
}

/**
 * Returns the windows of a text: each sentence alone and with the following ones, up to about sixty words. Each window
 * is judged separately, so that the text around an instruction does not change its verdict.
 */
export function windowsOf({ words, sentences }: Tokens): Windows[] {
  const starts: number[] = [];
  for (let offset = 0; offset < words.length; offset++) {
    const isNew = offset === 0 || sentences[offset] !== sentences[offset - 1];
    if (isNew || offset - (starts.at(-1) ?? 0) >= maxWords / 2) starts.push(offset);
  }
  return starts.map((first, index) => {
    const ends: number[] = [];
    for (let next = index + 1; next <= starts.length && next <= index + maxSentences; next++) {
      const end = starts[next] ?? words.length;
      if (end - first > maxWords && ends.length > 0) break;
      ends.push(end);
    }
    return { first, ends };
  });
}

const maxWords = 64;
const maxSentences = 8;
