import { once } from "../../../base/async/once.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { cut, plural } from "../../../base/text/text.ts";
import { drifts, foldLine, replacedSigns, type LineDrift } from "./drift.ts";
import type { WorkBudget, LineIndex } from "./line-index.ts";
import { hasChanges, oldLines, type Hunk, type HunkLine } from "./patch.ts";
import type { PatchFault } from "./unwrap.ts";

/** A hunk and the line of the file, from 0, at which its old lines begin. */
export interface Placement {
  readonly start: number;
  readonly lines: readonly HunkLine[];
  readonly hunk: Hunk;
  readonly drift: LineDrift;
}

/**
 * Finds the only placement of the hunks in their order, without overlapping changes. No placement, or a second one, is
 * a fault. Neighbours may share context lines.
 */
export function placeHunks(
  hunks: readonly Hunk[],
  index: LineIndex,
  effort: WorkBudget,
): Result<readonly Placement[], PatchFault> {
  const fits: Fit[] = [];
  const highest: number[] = [];
  for (const hunk of hunks) {
    const match = fitHunk(hunk, index, effort);
    if (!match.ok) return match;
    const fit = match.value;
    const earliest = (highest.at(-1) ?? 0) + distance(fits.at(-1), fit);
    const start = fit.starts.find((each) => each >= earliest);
    if (start === undefined) return err(outOfOrder(hunk, fit.starts));
    fits.push(fit);
    highest.push(start);
  }
  let lowest = Infinity;
  for (const [offset, fit] of [...fits.entries()].toReversed()) {
    const latest = lowest - distance(fit, fits[offset + 1]);
    lowest = fit.starts.findLast((each) => each <= latest) ?? latest;
    if (lowest !== highest[offset] && hasChanges(fit.hunk)) return err(severalPlaces(fit.hunk, fit.starts));
  }
  return ok(fits.map((fit, position) => ({ ...fit, start: highest[position] ?? 0 })));
}

/** The lines, in order, at which a hunk alone can be placed. */
interface Fit {
  readonly hunk: Hunk;
  readonly lines: readonly HunkLine[];
  readonly starts: readonly number[];
  readonly drift: LineDrift;
}

function fitHunk(hunk: Hunk, index: LineIndex, effort: WorkBudget): Result<Fit, PatchFault> {
  const scopes = scopesOf(hunk.hints, index, effort);
  if (scopes.length === 0) return err(noSuchHint(hunk));
  const old = oldLines(hunk);
  const { lines } = hunk;
  const count = index.texts.length;
  if (old.length === 0) {
    const starts = hunk.atEnd ? [count] : insertionPoints(hunk, scopes, count);
    return starts.length === 0 ? err(unanchored(hunk)) : ok({ hunk, lines, starts, drift: "exact" });
  }
  if (hunk.atEnd) return fitEnd(hunk, index);
  const matches = drifts.map((drift) => ({ drift, all: once(() => matchesOf(lines, drift, index)) }));
  for (const { drift, all } of matches) {
    const starts = hunk.hints.length === 0 ? all() : inScopes(all(), old.length, scopes, index, effort);
    if (starts.length > 0) return ok({ hunk, lines, starts, drift });
  }
  // The only match in the whole file, below the hint but outside its block.
  for (const { drift, all } of matches) {
    const [only, ...more] = all();
    if (only === undefined || more.length > 0) continue;
    if (scopes.every(({ at: offset }) => only > offset)) return ok({ hunk, lines, starts: [only], drift });
  }
  return err(notFound(hunk, index));
}

function insertionPoints(hunk: Hunk, scopes: readonly HintScope[], count: number): readonly number[] {
  if (hunk.hints.length > 0) return scopes.map(({ at: offset }) => offset + 1).toSorted((a, b) => a - b);
  return count === 0 ? [0] : [];
}

/** The old lines at the very end; empty lines before the marker may be a matter of layout. */
function fitEnd(hunk: Hunk, index: LineIndex): Result<Fit, PatchFault> {
  const end = hunk.lines.findLastIndex(({ op, text }) => op !== " " || text !== "") + 1;
  for (const drift of drifts) {
    for (const lines of new Set([hunk.lines, hunk.lines.slice(0, end)])) {
      const old = lines.filter(({ op }) => op !== "+");
      const start = index.texts.length - old.length;
      if (old.length > 0 && matchesOf(lines, drift, index).includes(start))
        return ok({ hunk, lines, starts: [start], drift });
    }
  }
  return err(notFound(hunk, index));
}

function matchesOf(lines: readonly HunkLine[], drift: LineDrift, index: LineIndex): readonly number[] {
  const old = lines.filter(({ op }) => op !== "+");
  const match = index.find(
    old.map(({ text }) => text),
    drift,
  );
  if (drift === "exact" || drift === "line ends") return match;
  const places = drift === "indentation" ? match.filter((start) => onlySignsForgotten(old, start, index)) : match;
  const added = lines.flatMap(({ op, text }) => (op === "+" ? text : [])).join("\n");
  return places.every((start) => spellingIsClear(old, added, start, index)) ? places : [];
}

/** False when a removed line has a typographic sign in the file, and an added one the plain sign: which one is meant? */
function spellingIsClear(old: readonly HunkLine[], added: string, start: number, { texts }: LineIndex): boolean {
  return old.every(
    ({ op, text }, offset) =>
      op === " " || !replacedSigns(text, texts[start + offset] ?? "").some((sign) => added.includes(sign)),
  );
}

/** Every line is indented as in the file, except context lines whose first blank was parsed as the marker. */
function onlySignsForgotten(old: readonly HunkLine[], start: number, { texts }: LineIndex): boolean {
  return old.every(({ op, text }, offset) => {
    const folded = foldLine(text, "look-alikes");
    const there = foldLine(texts[start + offset] ?? "", "look-alikes");
    return folded === there || (op === " " && ` ${folded}` === there);
  });
}

/**
 * In each part that the hints can mean: positions below the hint, or those that contain its line. Of several below a
 * hint without a block, the one directly below it.
 */
function inScopes(
  starts: readonly number[],
  length: number,
  scopes: readonly HintScope[],
  { texts }: LineIndex,
  effort: WorkBudget,
): readonly number[] {
  const picked = new Set<number>();
  for (const { at: offset, end, isBlock } of scopes) {
    const below = starts.filter((start) => start > offset && start < end);
    const around = starts.filter((start) => start <= offset && start + length > offset);
    const [first] = below;
    effort.spend(starts.length + (first ?? offset) - offset);
    const isNext = first !== undefined && texts.slice(offset + 1, first).every((text) => text.trim() === "");
    const intended = first !== undefined && isNext && !isBlock && around.length === 0 ? [first] : [...below, ...around];
    for (const start of intended) picked.add(start);
  }
  return [...picked].toSorted((a, b) => a - b);
}

/** Minimum distance between the starts of two hunks, so that neither changes the other's lines. */
function distance(upper: Fit | undefined, lower: Fit | undefined): number {
  if (upper === undefined || lower === undefined) return 0;
  return Math.max(changedUntil(upper.lines), oldCount(upper.lines) - changedFrom(lower.lines));
}

/** Number of old lines before the first change. A hunk of only context counts as changed, so that it is consumed. */
function changedFrom(lines: readonly HunkLine[]): number {
  return Math.max(
    0,
    lines.findIndex(({ op }) => op !== " "),
  );
}

/** How many old lines come before the end of the last change. */
function changedUntil(lines: readonly HunkLine[]): number {
  const last = lines.findLastIndex(({ op }) => op !== " ");
  return oldCount(last < 0 ? lines : lines.slice(0, last + 1));
}

function oldCount(lines: readonly HunkLine[]): number {
  return lines.filter(({ op }) => op !== "+").length;
}

/** The reason why a hunk cannot be placed, with advice for its author. */

function noSuchHint(hunk: Hunk): PatchFault {
  const chain = hunk.hints.map((hint) => JSON.stringify(cut(hint.trim(), 80))).join(", then ");
  return { line: hunk.line, message: `no line of the file is ${chain}; copy the line after "@@" from the file` };
}

function unanchored(hunk: Hunk): PatchFault {
  return {
    line: hunk.line,
    message: `only added lines: nothing says where they go. Give a line above or below them, "@@ " and the line above, or "*** End of File"`,
  };
}

function severalPlaces(hunk: Hunk, starts: readonly number[]): PatchFault {
  const shown = starts.slice(0, 10).map((start) => start + 1);
  const more = starts.length > shown.length ? ` and ${starts.length - shown.length} more` : "";
  return {
    line: hunk.line,
    message: `the hunk fits at ${plural(starts.length, "place")}: lines ${shown.join(", ")}${more} of the file. Add context lines, or "@@ " and a line above that is the only one of its kind`,
  };
}

function outOfOrder(hunk: Hunk, starts: readonly number[]): PatchFault {
  return {
    line: hunk.line,
    message: `the lines of this hunk are at line ${(starts[0] ?? 0) + 1} of the file, not below the hunk before it. Write hunks in the order of the file, and no line in two of them`,
  };
}

/** With the part of the file that has most of the lines, or most of the words of one. */
function notFound(hunk: Hunk, index: LineIndex): PatchFault {
  const where = hunk.atEnd ? "are not the last ones of the file" : "are not in the file";
  const below =
    hunk.hints.length > 0 ? ` below "@@${hunk.hints.map((hint) => ` ${cut(hint.trim(), 80)}`).join(" @@")}"` : "";
  const start = nearestStart(hunk, index);
  const message = `the lines of this hunk ${where}${below}. ${start === undefined ? "Nothing like them is there" : `Nearest:\n${shown(start, hunk, index)}`}`;
  return { line: hunk.line, message };
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

/** The line that shares most words with the text, if any does. */
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

/** The part of a file that a hint names: its line, and the end of its block. */
interface HintScope {
  /** The line of the hint; -1 for the whole file. */
  readonly at: number;
  /** The first line after the scope. */
  readonly end: number;
  /** True when the lines of the scope are indented below the hint, as a body below its header. */
  readonly isBlock: boolean;
}

/** Every part of the file that these hints can mean, each inside a part of the previous hint. */
function scopesOf(hints: readonly string[], index: LineIndex, effort: WorkBudget): readonly HintScope[] {
  let scopes: readonly HintScope[] = [{ at: -1, end: index.texts.length, isBlock: false }];
  for (const hint of hints) {
    const places = placesOf(hint, index, effort);
    const inner = new Map<number, HintScope>();
    for (const outer of scopes) {
      for (const offset of places) {
        effort.spend(1);
        if (offset > outer.at && offset < outer.end && !inner.has(offset))
          inner.set(offset, scopeAt(offset, outer.end, index, effort));
      }
    }
    scopes = [...inner.values()];
  }
  return scopes;
}

/** Lines equal to the hint; if none, lines that start with it; if none, lines that contain it as whole words. */
function placesOf(hint: string, index: LineIndex, effort: WorkBudget): readonly number[] {
  const indented = /^\s/u.test(hint) ? index.positions(hint, "look-alikes") : [];
  if (indented.length > 0) return indented;
  const whole = index.positions(hint, "indentation");
  if (whole.length > 0) return whole;
  effort.spend(index.texts.length);
  const words = hint.trim();
  const containing = [...index.texts.keys()].filter((offset) => hasWords(index.texts[offset] ?? "", words));
  const beginning = containing.filter((position) => (index.texts[position] ?? "").trimStart().startsWith(words));
  return beginning.length > 0 ? beginning : containing;
}

function hasWords(text: string, words: string): boolean {
  for (let offset = text.indexOf(words); offset >= 0; offset = text.indexOf(words, offset + 1)) {
    const before = text.slice(Math.max(0, offset - 1), offset) + words.slice(0, 1);
    const after = words.slice(-1) + text.slice(offset + words.length, offset + words.length + 1);
    if (!twoOfAWord.test(before) && !twoOfAWord.test(after)) return true;
  }
  return false;
}

const twoOfAWord = /^[\p{L}\p{N}_]{2}$/u;

/**
 * The block indented below the line. Without one, everything down to a line with less indentation, or to one that
 * starts like the hint (the next heading, the next key).
 */
function scopeAt(offset: number, limit: number, { texts }: LineIndex, effort: WorkBudget): HintScope {
  const header = texts[offset] ?? "";
  const depth = indentOf(header);
  const opening = openingOf(header);
  let isBlock: boolean | undefined;
  for (let next = offset + 1; next < limit; next++) {
    effort.spend(1);
    const text = texts[next] ?? "";
    if (text.trim() === "" || isBracket(text)) continue;
    const indent = indentOf(text);
    isBlock ??= indent > depth;
    if (indent < depth || (indent === depth && (isBlock || openingOf(text) === opening)))
      return { at: offset, end: next, isBlock };
  }
  return { at: offset, end: limit, isBlock: isBlock ?? false };
}

function indentOf(text: string): number {
  let columns = 0;
  for (const char of text) {
    if (char === "\t") columns += 8 - (columns % 8);
    else if (char === " ") columns++;
    else break;
  }
  return columns;
}

/** A brace on its own line opens or closes a block; it does not end one. */
function isBracket(text: string): boolean {
  return /^\s*[{}()[\];,]+\s*$/u.test(text);
}

/** The first word, or the first run of signs: `def`, `name:`, `##`, `[`. */
function openingOf(text: string): string {
  return /^\s*([\p{L}\p{N}_]+:?|[^\p{L}\p{N}_\s]+)/u.exec(text)?.[1] ?? "";
}
