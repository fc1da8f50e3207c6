import { cut } from "./text.ts";

/** `Did you mean read_file or write_file?`, or nothing when no candidate is close. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const close = nearest(word, candidates);
  return close.length === 0 ? "" : `Did you mean ${close.join(" or ")}?`;
}

/**
 * Candidates spelled like `word`, best first; empty when none is close. Ignores case, `-`, `_`, `.`, blanks and the
 * order of words; a candidate that starts with the word or contains it as a word is close too. Deterministic.
 */
export function nearest(word: string, candidates: Iterable<string>, most = 3): string[] {
  const target = fold(word);
  const scored: { readonly name: string; readonly score: number }[] = [];
  for (const name of new Set(candidates)) {
    const score = scoreOf(target, fold(name));
    if (score !== undefined) scored.push({ name, score });
  }
  return scored
    .toSorted((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1))
    .slice(0, most)
    .map(({ name }) => name);
}

interface Folded {
  readonly words: readonly string[];
  readonly text: string;
  /** The words of a name in alphabetical order. */
  readonly sorted: string;
}

function fold(name: string): Folded {
  const words = cut(name, maxChars)
    .toLowerCase()
    .split(/[-_./\s]+/u)
    .filter((word) => word !== "");
  return { words, text: words.join(""), sorted: words.toSorted().join("") };
}

/** Lower is closer: similar spellings first, then names that start with the word, then names that contain it. */
function scoreOf(target: Folded, candidate: Folded): number | undefined {
  const length = target.text.length;
  if (length === 0 || candidate.text.length === 0) return undefined;
  const allowed = length < 3 ? 0 : Math.max(1, Math.floor(length / 3));
  const begins = length >= 2 && candidate.text.startsWith(target.text);
  const apart = Math.abs(length - candidate.text.length);
  if (apart <= allowed) {
    const turned = target.sorted === candidate.sorted ? 0.5 : Infinity;
    const distance = Math.min(editDistance(target.text, candidate.text), turned);
    if (distance <= allowed) return distance - (begins ? 0.5 : 0);
  }
  if (begins) return allowed + apart;
  return length >= 3 && candidate.words.includes(target.text) ? maxChars + apart : undefined;
}

/** The edit distance: insertions, deletions, replacements and swaps of neighbours. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const line = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let best = Math.min(
        (last[column] ?? 0) + 1,
        (line[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        best = Math.min(best, (before[column - 2] ?? 0) + 1);
      }
      line.push(best);
    }
    before = last;
    last = line;
  }
  return last[b.length] ?? Infinity;
}

const maxChars = 100;
