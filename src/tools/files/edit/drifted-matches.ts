import { fold, type Folded, type FoldKinds, isBlank } from "./fold.ts";
import { linesOf } from "./line-ends.ts";
import { occurrences } from "./occurrences.ts";

/** A part of the file that equals `old` after normalising both texts. */
export interface Match {
  readonly start: number;
  readonly end: number;
  /** True if the match starts at the beginning of a line, including its indentation. */
  readonly wholeFirstLine: boolean;
}

/**
 * Returns at most `most` matches of `old` after normalising both texts. A match never starts or ends inside a word or
 * an operator. With normalised white space, several lines match only as whole lines, and spaces inside a string literal
 * must be equal.
 */
export function driftedMatches(text: string, old: string, kinds: FoldKinds, max: number): Match[] {
  const there = fold(text, kinds);
  const foldedOld = fold(old, kinds).text;
  const matches: Match[] = [];
  if (foldedOld.trim() === "") return matches;
  let misses = 0;
  for (const index of occurrences(there.text, foldedOld)) {
    const match = matchAt(there, index, index + foldedOld.length, text, old, kinds);
    if (match) matches.push(match);
    // If nearly everything almost matches, no match is reliable.
    else if (++misses > maxMisses) return [];
    if (matches.length >= max) break;
  }
  return matches;
}

function matchAt(
  there: Folded,
  index: number,
  end: number,
  text: string,
  old: string,
  kinds: FoldKinds,
): Match | undefined {
  if (!there.isBoundary(index) || !there.isBoundary(end)) return undefined;
  const startsLine = index === 0 || there.text[index - 1] === "\n";
  const endsLine = end === there.text.length || there.text[end] === "\n";
  const from = there.unit(index)[0];
  const to = there.unit(end - 1)[1];
  if (!kinds.whitespace) {
    if (kinds.punctuation && !(splitsNoToken(there.text, index) && splitsNoToken(there.text, end))) return undefined;
    return { start: from, end: to, wholeFirstLine: false };
  }
  const openStart = !startsLine && there.text[index] !== "\n";
  const openEnd = !endsLine && there.text[end - 1] !== "\n";
  if ((openStart || openEnd) && there.text.slice(index, end).includes("\n")) return undefined;
  if (openStart && (/^\s/u.test(old) || !splitsNoToken(there.text, index))) return undefined;
  if (openEnd && (/\s$/u.test(old) || !splitsNoToken(there.text, end))) return undefined;

  const start = startsLine ? blanksBefore(text, from) : from;
  const stop = endsLine && there.text[end - 1] !== "\n" ? blanksAfter(text, to) : to;
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  if (!hasSameSpacing(start === 0 ? "" : text.slice(lineStart, start), text.slice(start, stop), old)) return undefined;
  return { start, end: stop, wholeFirstLine: startsLine };
}

/** Returns whether a text may be split here: not inside a word, a number or an operator. */
export function splitsNoToken(text: string, index: number): boolean {
  const before = text[index - 1];
  const after = text[index];
  if (before === undefined || after === undefined) return true;
  return kindOf(before) !== kindOf(after) || kindOf(before) === "single";
}

function kindOf(char: string): "word" | "single" | "operator" {
  if (/[\p{L}\p{N}\p{M}\p{Cs}_$]/u.test(char)) return "word";
  return /[\s()[\]{},;"'`]/u.test(char) ? "single" : "operator";
}

function blanksBefore(text: string, index: number): number {
  let start = index;
  while (start > 0 && isBlank(text.charAt(start - 1))) start--;
  return start;
}

function blanksAfter(text: string, index: number): number {
  let end = index;
  while (end < text.length && isBlank(text.charAt(end))) end++;
  return end;
}

/**
 * Returns whether the two differ only in spaces and tabs within a line, but not between quotes, where these are part of
 * the value. A line with an apostrophe before the spaces counts as an open quote: a missed match is better than a wrong
 * one.
 */
export function hasSameSpacing(before: string, region: string, old: string): boolean {
  const there = linesOf(region);
  const request = linesOf(old);
  return there.every((line, index) => {
    const mine = line.trim();
    const theirs = (request[index] ?? "").trim();
    if (mine === theirs) return true;
    if (before.length + mine.length > maxLineChars) return false;
    const gaps = theirs.match(blankRun) ?? [];
    let gap = 0;
    for (const { 0: run, index: offset } of mine.matchAll(blankRun)) {
      const askedRun = gaps[gap++];
      if (askedRun === run || askedRun === undefined) continue;
      const isOther = run.length !== askedRun.length || run.includes("\t") !== askedRun.includes("\t");
      if (isOther && hasOpenQuote((index === 0 ? before : "") + mine.slice(0, offset))) return false;
    }
    return true;
  });
}

function hasOpenQuote(text: string): boolean {
  const plain = fold(text, { whitespace: false, punctuation: true }).text;
  return ["'", '"', "`"].some((quote) => (plain.split(quote).length - 1) % 2 === 1);
}

const blankRun = /[ \t\f\v\p{Zs}]+/gu;
const maxMisses = 200;
const maxLineChars = 20_000;
