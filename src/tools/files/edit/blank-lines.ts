import { type FoldKinds, fold, isBlank } from "./fold.ts";
import { linesOf } from "./line-ends.ts";
import { occurrences } from "./occurrences.ts";
import type { TextEdit } from "./outcome.ts";

/**
 * Returns the edit with as many blank lines between the lines of `old` as the only place of the file that has these
 * lines. `new` follows where it repeats the number of `old`. Undefined if there is no such place, if there are several,
 * or if the new blank lines are unclear.
 */
export function withBlankLinesOf(file: string, edit: TextEdit): TextEdit | undefined {
  const old = spacedLines(edit.old);
  if (edit.replaceAll || old.lines.length < 2 || old.lines.length > maxLines) return undefined;
  const there = spacedLines(file);
  const start = onlyStart(there.lines, old.lines);
  if (start === undefined) return undefined;
  const gaps = old.lines.slice(1).map((_, index) => there.gaps[start + index] ?? []);
  if (gaps.every((gap, index) => gap.length === old.gaps[index]?.length)) return undefined;
  const replacement = adapted(edit.new, old, gaps);
  return replacement === undefined ? undefined : { ...edit, old: joined(old, gaps), new: replacement };
}

const maxLines = 2_000;

/** The lines with text, and the blank lines after each. */
interface SpacedLines {
  readonly head: string;
  readonly lines: readonly string[];
  readonly gaps: readonly BlankLines[];
  readonly tail: string;
}

type BlankLines = readonly string[];

function spacedLines(text: string): SpacedLines {
  const all = linesOf(text);
  const first = Math.max(
    0,
    all.findIndex((line) => !isBlank(line)),
  );
  const last = all.findLastIndex((line) => !isBlank(line));
  const lines: string[] = [];
  const gaps: string[][] = [];
  for (const line of all.slice(first, last + 1)) {
    if (isBlank(line)) gaps.at(-1)?.push(line);
    else {
      lines.push(line);
      gaps.push([]);
    }
  }
  return { head: "\n".repeat(first), lines, gaps, tail: "\n".repeat(Math.max(0, all.length - 1 - last)) };
}

/** Returns the only position of these lines, starting at 0, except for white space and typographic signs. */
function onlyStart(file: readonly string[], lines: readonly string[]): number | undefined {
  const there = folded(file);
  const [first, second] = occurrences(there, folded(lines));
  if (first === undefined || second !== undefined) return undefined;
  return there.slice(0, first + 1).split("\n").length - 2;
}

/** Returns the normalised lines, each between two line ends. */
function folded(lines: readonly string[]): string {
  return `\n${fold(lines.join("\n"), kinds).text}\n`;
}

const kinds: FoldKinds = { whitespace: true, punctuation: true };

function joined({ head, lines, tail }: SpacedLines, gaps: readonly BlankLines[]): string {
  const last = lines.length - 1;
  return (
    head + lines.flatMap((line, index) => (index === last ? [line] : [line, ...(gaps[index] ?? [])])).join("\n") + tail
  );
}

/**
 * Returns `replacement` with the blank lines of the file where it repeats those of `old`. Undefined if lines come or go
 * next to a number that differs, or if no line stays: then the blank lines of the file can belong to either side.
 */
function adapted(replacement: string, old: SpacedLines, inFile: readonly BlankLines[]): string | undefined {
  const next = spacedLines(replacement);
  if (next.lines.length === 0) return replacement;
  const gaps = [...next.gaps];
  const kept = keptLines(trimmed(old.lines), trimmed(next.lines));
  if (kept.length === 0) return undefined;
  for (const { from, to, nextFrom, nextTo } of stretches([...kept, [old.lines.length - 1, next.lines.length - 1]])) {
    const own = old.gaps.slice(from, to);
    const there = inFile.slice(from, to);
    if (nextTo === nextFrom || own.every((gap, index) => gap.length === there[index]?.length)) continue;
    const isRepeated =
      to - from === nextTo - nextFrom && own.every((gap, index) => gap.length === gaps[nextFrom + index]?.length);
    if (!isRepeated) return undefined;
    for (const [index, gap] of there.entries()) gaps[nextFrom + index] = gap;
  }
  return joined(next, gaps);
}

/** Ranges of gaps between lines that both texts have. */
interface GapStretch {
  readonly from: number;
  readonly to: number;
  readonly nextFrom: number;
  readonly nextTo: number;
}

function* stretches(ends: readonly IndexPair[]): Generator<GapStretch> {
  let from = 0;
  let nextFrom = 0;
  for (const [index, nextIndex] of ends) {
    if (index <= from && nextIndex <= nextFrom) continue;
    yield { from, to: index, nextFrom, nextTo: nextIndex };
    from = index;
    nextFrom = nextIndex;
  }
}

type IndexPair = readonly [index: number, nextIndex: number];

/** Returns the lines that occur once in both texts, as pairs of indexes that rise. */
function keptLines(old: readonly string[], next: readonly string[]): IndexPair[] {
  const pairs: IndexPair[] = [];
  for (const [index, line] of old.entries()) {
    const nextIndex = next.indexOf(line);
    const isOnly = old.indexOf(line) === old.lastIndexOf(line) && nextIndex === next.lastIndexOf(line);
    if (nextIndex > (pairs.at(-1)?.[1] ?? -1) && isOnly) pairs.push([index, nextIndex]);
  }
  return pairs;
}

function trimmed(lines: readonly string[]): string[] {
  return lines.map((line) => line.trim());
}
