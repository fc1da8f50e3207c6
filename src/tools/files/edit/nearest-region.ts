import { cut } from "../../../base/text/text.ts";
import { describeDifferentSign } from "../typography.ts";
import { fold } from "./fold.ts";
import { linesOf } from "./line-ends.ts";
import type { NearRegion } from "./outcome.ts";

/**
 * Returns the lines of a text that are most similar to `old`: the position where most of its lines occur in the same
 * order, otherwise the lines around the one that shares the most words with one of them. Takes linear time. Undefined
 * if nothing is similar.
 */
export function nearestRegion(text: string, old: string): NearRegion | undefined {
  if (text.length > maxTextChars) return undefined;
  const raw = linesOf(text);
  const there = plainLines(text);
  const request = linesOf(old).slice(0, maxLookups);
  const wantedLines = plainLines(request.join("\n"));
  const start = byEqualLines(there, wantedLines) ?? byWords(there, wantedLines);
  if (start === undefined) return undefined;
  const first = Math.max(0, start);
  const lines = raw.slice(first, Math.max(first + 1, Math.min(start + wantedLines.length, first + maxShown)));
  const differs = wantedLines.findIndex((line, index) => there[start + index] !== line);
  return {
    line: first + 1,
    lines: lines.map((line) => cut(line, maxRegionChars)),
    ...(differs >= 0 && { difference: differenceOf(start + differs, raw, request[differs] ?? "") }),
  };
}

function differenceOf(index: number, inFile: readonly string[], given: string) {
  const [theirs, mine] = [cut(inFile[index] ?? "", maxRegionChars), cut(given, maxRegionChars)];
  const sign = describeDifferentSign(theirs, mine);
  return { line: Math.max(1, index + 1), inFile: theirs, asked: mine, ...(sign !== undefined && { sign }) };
}

/**
 * Returns the start at which most lines of `wanted` match. Rare lines are used; common ones, such as a single brace,
 * are not.
 */
function byEqualLines(there: readonly string[], wantedLines: readonly string[]): number | undefined {
  const request = new Set(wantedLines);
  const result = new Map<string, number[]>();
  for (const [index, line] of there.entries()) {
    if (line === "" || !request.has(line)) continue;
    const indexes = result.get(line);
    if (!indexes) result.set(line, [index]);
    else if (indexes.length <= maxEqual) indexes.push(index);
  }
  const votes = new Map<number, number>();
  for (const [offset, line] of wantedLines.entries()) {
    const indexes = result.get(line) ?? [];
    if (indexes.length > maxEqual) continue;
    for (const index of indexes)
      votes.set(index - offset, (votes.get(index - offset) ?? 0) + line.length / indexes.length);
  }
  return best(votes);
}

function byWords(there: readonly string[], wantedLines: readonly string[]): number | undefined {
  const request = wantedLines.reduce(
    (longestLine, line) => (line.length > longestLine.length ? line : longestLine),
    "",
  );
  const offset = wantedLines.indexOf(request);
  const words = new Set(wordsOf(request));
  const scores = new Map<number, number>();
  let bestScore = 0;
  for (const [index, line] of there.entries()) {
    const own = new Set(wordsOf(line));
    let shared = 0;
    for (const word of own) if (words.has(word)) shared++;
    const score = shared / (words.size + own.size - shared);
    if (score > bestScore) scores.set(index - offset, (bestScore = score));
  }
  return bestScore >= minAlike ? best(scores) : undefined;
}

function best(scores: ReadonlyMap<number, number>): number | undefined {
  let winner: number | undefined;
  let max = 0;
  for (const [start, score] of scores) {
    if (score <= max) continue;
    winner = start;
    max = score;
  }
  return winner;
}

function plainLines(text: string): string[] {
  return fold(text, { whitespace: true, punctuation: true }).text.split("\n");
}

function wordsOf(line: string): string[] {
  return cut(line, maxRegionChars).match(/[\p{L}\p{N}_]+/gu) ?? [];
}

const maxTextChars = 3_000_000;
const maxLookups = 2_000;
const maxShown = 40;
const maxRegionChars = 400;
const maxEqual = 20;
const minAlike = 0.3;
