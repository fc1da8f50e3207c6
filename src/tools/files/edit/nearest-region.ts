import { cut } from "../../../base/text/text.ts";
import { fold } from "./fold.ts";
import { linesOf } from "./line-ends.ts";
import type { NearRegion } from "./outcome.ts";

/**
 * The lines of a text that are most like `old`: where most of its lines are in the same order, else around the line that
 * shares most words with one of them. Looks at every line of the text a fixed number of times. Undefined when nothing is
 * alike.
 */
export function nearestRegion(text: string, old: string): NearRegion | undefined {
  if (text.length > mostText) return undefined;
  const raw = linesOf(text);
  const there = plainLines(text);
  const request = linesOf(old).slice(0, mostAsked);
  const wantedLines = plainLines(request.join("\n"));
  const start = byEqualLines(there, wantedLines) ?? byWords(there, wantedLines);
  if (start === undefined) return undefined;
  const first = Math.max(0, start);
  const lines = raw.slice(first, Math.max(first + 1, Math.min(start + wantedLines.length, first + mostShown)));
  const differs = wantedLines.findIndex((line, index) => there[start + index] !== line);
  return {
    line: first + 1,
    lines: lines.map((line) => cut(line, mostChars)),
    ...(differs >= 0 && {
      difference: {
        line: Math.max(1, start + differs + 1),
        inFile: cut(raw[start + differs] ?? "", mostChars),
        asked: cut(request[differs] ?? "", mostChars),
      },
    }),
  };
}

/** The start at which most lines of `wanted` are in place; rare lines count, common ones (a lone brace) do not. */
function byEqualLines(there: readonly string[], wantedLines: readonly string[]): number | undefined {
  const request = new Set(wantedLines);
  const result = new Map<string, number[]>();
  for (const [index, line] of there.entries()) {
    if (line === "" || !request.has(line)) continue;
    const indexes = result.get(line);
    if (!indexes) result.set(line, [index]);
    else if (indexes.length <= mostEqual) indexes.push(index);
  }
  const votes = new Map<number, number>();
  for (const [offset, line] of wantedLines.entries()) {
    const indexes = result.get(line) ?? [];
    if (indexes.length > mostEqual) continue;
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
  return bestScore >= leastAlike ? best(scores) : undefined;
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
  return cut(line, mostChars).match(/[\p{L}\p{N}_]+/gu) ?? [];
}

const mostText = 3_000_000;
const mostAsked = 2_000;
const mostShown = 40;
const mostChars = 400;
const mostEqual = 20;
const leastAlike = 0.3;
