import type { Tokens } from "./tokens.ts";

/** Words from `first` up to, not with, `end`. */
export interface Part {
  readonly first: number;
  readonly end: number;
}

/** A text in overlapping parts that are judged by themselves: whole sentences, together some forty words. */
export function partsOf({ words, sentences }: Tokens): Part[] {
  if (words.length <= longest) return words.length === 0 ? [] : [{ first: 0, end: words.length }];
  const starts: number[] = [];
  for (let at = 0; at < words.length; at++) {
    if (at === 0 || sentences[at] !== sentences[at - 1] || at - (starts.at(-1) ?? 0) >= longest / 2) starts.push(at);
  }
  const parts: Part[] = [];
  let next = 0;
  for (const [index, first] of starts.entries()) {
    next = Math.max(next, index + 1);
    while (next < starts.length && (starts[next] ?? 0) - first < enough) next++;
    const end = Math.min(starts[next] ?? words.length, first + longest);
    parts.push({ first, end });
    if (end === words.length) break;
  }
  return parts;
}

const enough = 32;
const longest = 64;
