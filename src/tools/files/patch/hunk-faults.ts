import { cut, plural } from "../../../base/text/text.ts";
import { describeDifferentSign } from "../typography.ts";
import { foldLine } from "./drift.ts";
import type { LineIndex } from "./line-index.ts";
import { oldLines, type Hunk } from "./patch.ts";
import type { PatchFault } from "./unwrap.ts";

/** The reasons why a hunk cannot be placed, with advice for its author. */
export function noSuchHint(hunk: Hunk): PatchFault {
  const chain = hunk.hints.map((hint) => JSON.stringify(cut(hint.trim(), 80))).join(", then ");
  return { line: hunk.line, message: `no line of the file is ${chain}; copy the line after "@@" from the file` };
}

export function unfitHunk(hunk: Hunk, start: number, why: string, index: LineIndex): PatchFault {
  return {
    line: hunk.line,
    message: `the lines of this hunk are at line ${start + 1} of the file except for white space or punctuation, but ${why}. Copy them as they are:\n${shown(start, hunk, index)}`,
  };
}

export function severalPlaces(hunk: Hunk, starts: readonly number[]): PatchFault {
  const shown = starts.slice(0, 10).map((start) => start + 1);
  const more = starts.length > shown.length ? ` and ${starts.length - shown.length} more` : "";
  return {
    line: hunk.line,
    message: `the hunk fits at ${plural(starts.length, "place")}: lines ${shown.join(", ")}${more} of the file. Add context lines, or "@@ " and a line above that is the only one of its kind`,
  };
}

export function outOfOrder(hunk: Hunk, starts: readonly number[]): PatchFault {
  return {
    line: hunk.line,
    message: `the lines of this hunk are at line ${(starts[0] ?? 0) + 1} of the file, not below the hunk before it. Write hunks in the order of the file, and no line in two of them`,
  };
}

/** Returns the error with the part of the file that has most of the lines, or most words of one. */
export function hunkNotFound(hunk: Hunk, index: LineIndex): PatchFault {
  const where = hunk.atEnd ? "are not the last ones of the file" : "are not in the file";
  const below =
    hunk.hints.length > 0 ? ` below "@@${hunk.hints.map((hint) => ` ${cut(hint.trim(), 80)}`).join(" @@")}"` : "";
  const start = nearestStart(hunk, index);
  const message = `the lines of this hunk ${where}${below}. ${start === undefined ? "The file contains no similar lines" : `Nearest:\n${shown(start, hunk, index)}${signNote(start, hunk, index)}`}`;
  const bare = hunk.lines.find(({ isUnmarked }) => isUnmarked);
  const unmarked = bare === undefined ? "" : `. Line ${bare.line} of the patch has no " ", "-" or "+" before it`;
  return { line: hunk.line, message: message + unmarked };
}

/** Names a look-alike character on the first line that differs. */
function signNote(start: number, hunk: Hunk, { texts }: LineIndex): string {
  for (const [offset, { text }] of oldLines(hunk).entries()) {
    const inFile = texts[start + offset] ?? "";
    if (foldLine(inFile, "both") === foldLine(text, "both")) continue;
    const sign = describeDifferentSign(inFile, text);
    return sign === undefined ? "" : `\n  line ${start + offset + 1}: ${sign}`;
  }
  return "";
}

function nearestStart(hunk: Hunk, index: LineIndex): number | undefined {
  const old = oldLines(hunk).slice(0, 200);
  const votes = new Map<number, number>();
  for (const [offset, { text }] of old.entries()) {
    if (text.trim() === "") continue;
    for (const position of index.positions(text, "indentation").slice(0, 500)) {
      const start = position - offset;
      votes.set(start, (votes.get(start) ?? 0) + 1);
    }
  }
  if (votes.size === 0) return likeliest(old.map(({ text }) => text).join(" "), index);
  const [best] = [...votes].toSorted(([a, less], [b, more]) => more - less || a - b);
  return best === undefined ? undefined : Math.max(0, best[0]);
}

/** Returns the line that shares the most words with the text, if any. */
function likeliest(text: string, index: LineIndex): number | undefined {
  const words = new Set(wordsOf(text));
  let best: { readonly at: number; readonly shared: number } | undefined;
  for (const [offset, line] of index.texts.entries()) {
    const shared = new Set(wordsOf(line)).intersection(words).size;
    if (shared > (best?.shared ?? 0)) best = { at: offset, shared };
  }
  return best?.at;
}

function wordsOf(text: string): readonly string[] {
  return cut(text, 2000).match(/[\p{L}\p{N}_]{2,}/gu) ?? [];
}

function shown(start: number, hunk: Hunk, { texts }: LineIndex): string {
  const count = Math.min(Math.max(oldLines(hunk).length, 1), 8);
  return texts
    .slice(start, start + count)
    .map((text, offset) => `  ${start + offset + 1}| ${cut(text, 160)}`)
    .join("\n");
}
