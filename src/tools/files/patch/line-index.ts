import { once } from "../../../base/async/once.ts";
import { foldLine, type LineDrift } from "./drift.ts";

/** Finds lines in one file, at every level of deviation. Built on demand and reused for later hunks. */
export interface LineIndex {
  readonly texts: readonly string[];
  /** Returns all positions of these consecutive lines, in order. Empty for an empty list of lines. */
  find(lines: readonly string[], drift: LineDrift): readonly number[];
  /** Returns all lines as one text, and the offset of this line in it. */
  whole(line: number): { readonly text: string; readonly offset: number };
  /** Returns all lines that equal this one, in order. */
  positions(line: string, drift: LineDrift): readonly number[];
}

/** Counts comparisons, so that a hostile patch fails instead of taking long. */
export interface WorkBudget {
  /** Uses up a part of the budget. Throws `WorkBudgetExceeded` when nothing is left. */
  spend(steps: number): void;
}

export class WorkBudgetExceeded extends Error {}

export function createWorkBudget(steps: number): WorkBudget {
  let left = steps;
  return {
    spend(used) {
      left -= used;
      if (left < 0) throw new WorkBudgetExceeded("too many places fit");
    },
  };
}

export function indexLines(texts: readonly string[], effort: WorkBudget): LineIndex {
  const folded = new Map<LineDrift, Folded>();
  function foldedAt(drift: LineDrift): Folded {
    const cached = folded.get(drift);
    if (cached !== undefined) return cached;
    effort.spend(texts.length);
    const created = foldAll(texts, drift);
    folded.set(drift, created);
    return created;
  }
  const text = once(() => texts.join("\n"));
  return {
    texts,
    whole(line) {
      effort.spend(line);
      let offset = 0;
      for (const each of texts.slice(0, line)) offset += each.length + 1;
      return { text: text(), offset };
    },
    positions: (line, drift) => foldedAt(drift).positions.get(foldLine(line, drift)) ?? [],
    find(lines, drift) {
      const { texts: file, positions } = foldedAt(drift);
      const foldedLines = lines.map((line) => foldLine(line, drift));
      const [offset, places] = rarest(foldedLines, positions);
      if (places.length * foldedLines.length > 2 * file.length) {
        effort.spend(file.length + foldedLines.length);
        return everyStart(file, foldedLines);
      }
      const result: number[] = [];
      for (const place of places) {
        const start = place - offset;
        let same = 0;
        if (start >= 0) while (same < foldedLines.length && foldedLines[same] === file[start + same]) same++;
        effort.spend(same + 1);
        if (same === foldedLines.length) result.push(start);
      }
      return result;
    },
  };
}

/**
 * Uses the algorithm of Knuth, Morris and Pratt: compares each line of the file at most twice, even if nearly all lines
 * are equal.
 */
function everyStart(file: readonly string[], lines: readonly string[]): readonly number[] {
  // For each line: the number of lines that end with it and equal the first lines.
  const repeats: number[] = [0];
  const advance = (matched: number, line: string): number => {
    let length = matched;
    while (length > 0 && (length === lines.length || lines[length] !== line)) length = repeats[length - 1] ?? 0;
    return lines[length] === line ? length + 1 : length;
  };
  for (const line of lines.slice(1)) repeats.push(advance(repeats.at(-1) ?? 0, line));
  const starts: number[] = [];
  let matched = 0;
  for (const [index, line] of file.entries()) {
    matched = advance(matched, line);
    if (matched === lines.length) starts.push(index + 1 - lines.length);
  }
  return starts;
}

interface Folded {
  readonly texts: readonly string[];
  readonly positions: ReadonlyMap<string, readonly number[]>;
}

function foldAll(texts: readonly string[], drift: LineDrift): Folded {
  const folds = texts.map((text) => foldLine(text, drift));
  const positions = new Map<string, number[]>();
  for (const [index, text] of folds.entries()) {
    const cached = positions.get(text);
    if (cached === undefined) positions.set(text, [index]);
    else cached.push(index);
  }
  return { texts: folds, positions };
}

/** Returns the rarest line, for which a search takes the least time. */
function rarest(
  foldedLines: readonly string[],
  positions: ReadonlyMap<string, readonly number[]>,
): readonly [offset: number, places: readonly number[]] {
  let best: readonly [number, readonly number[]] | undefined;
  for (const [offset, line] of foldedLines.entries()) {
    const places = positions.get(line) ?? [];
    if (best === undefined || places.length < best[1].length) best = [offset, places];
    if (places.length === 0) break;
  }
  return best ?? [0, []];
}
