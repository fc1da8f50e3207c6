import type { Tokens } from "./tokens.ts";

/** Words from `first` up to, not with, `end`. */
export interface TextPart {
  readonly first: number;
  readonly end: number;
}

/** A text in overlapping parts that are judged by themselves: whole sentences, together some forty words. */
export function partsOf({ words, sentences }: Tokens): TextPart[] {
  if (words.length <= maxWords) return words.length === 0 ? [] : [{ first: 0, end: words.length }];
  const starts: number[] = [];
  for (let offset = 0; offset < words.length; offset++) {
    if (offset === 0 || sentences[offset] !== sentences[offset - 1] || offset - (starts.at(-1) ?? 0) >= maxWords / 2)
      starts.push(offset);
  }
  const parts: TextPart[] = [];
  let next = 0;
  for (const [index, first] of starts.entries()) {
    next = Math.max(next, index + 1);
    while (next < starts.length && (starts[next] ?? 0) - first < enough) next++;
    const end = Math.min(starts[next] ?? words.length, first + maxWords);
    parts.push({ first, end });
    if (end === words.length) break;
  }
  return parts;
}

const enough = 32;
const maxWords = 64;
