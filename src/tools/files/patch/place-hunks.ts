import { once } from "../../../base/async/once.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { plural } from "../../../base/text/text.ts";
import { hasSameSpacing } from "../edit/drifted-matches.ts";
import { adaptedLines, driftedSigns, withPlainSigns } from "./adapt-lines.ts";
import { drifts, foldLine, type LineDrift } from "./drift.ts";
import { omittedIn, piecesAroundElisions } from "./elided-hunk.ts";
import { type HintScope, otherHints, scopesOf } from "./hint-scopes.ts";
import { hunkNotFound, noSuchHint, outOfOrder, severalPlaces, unfitHunk } from "./hunk-faults.ts";
import { withoutLineNumbers } from "./hunk-lines.ts";
import type { WorkBudget, LineIndex } from "./line-index.ts";
import { hasChanges, oldLines, type Hunk, type HunkLine } from "./patch.ts";
import type { PatchFault } from "./unwrap.ts";

/** A hunk and the line of the file, starting at 0, at which its old lines start. */
export interface Placement {
  readonly start: number;
  /** The lines of the hunk. Added lines are adapted to the quotes, spaces and indentation of the file. */
  readonly lines: readonly HunkLine[];
  readonly hunk: Hunk;
  readonly drift: LineDrift;
}

/** The positions of the hunks of a section, and the hunks that were applied before. */
export interface PlacedHunks {
  readonly placements: readonly Placement[];
  readonly applied: readonly Hunk[];
}

/**
 * Finds the only placement of the hunks, without overlapping changes and in their order unless each fits only once. If there is none, or more than
 * one, that is a fault. Neighbouring hunks may share context lines. Added lines without any position go to the end of
 * the file. A hunk whose result is already in the file is skipped.
 */
export function placeHunks(
  given: readonly Hunk[],
  index: LineIndex,
  effort: WorkBudget,
): Result<PlacedHunks, PatchFault> {
  for (const hunk of given) {
    const omission = omittedIn(hunk, index);
    if (omission) return err(omission);
  }
  const hunks = given.flatMap((hunk) => piecesAroundElisions(hunk, index));
  const fits: Fit[] = [];
  const highest: number[] = [];
  const applied: Hunk[] = [];
  const matched: Fit[] = [];
  for (const hunk of hunks.filter((each) => !isAppended(each))) {
    const match = fitHunk(hunk, index, effort);
    if (!match.ok) return match;
    if (match.value === "applied") applied.push(hunk);
    else matched.push(match.value);
  }
  for (const fit of inFileOrder(atStatedLines(matched))) {
    const { hunk } = fit;
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
  const placements: Placement[] = [];
  const drifted = new Set(
    fits.flatMap(({ drift, lines }, offset) =>
      isNear(drift) ? [] : [...driftedSigns(lines, highest[offset] ?? 0, index)],
    ),
  );
  for (const [offset, fit] of fits.entries()) {
    const start = highest[offset] ?? 0;
    const own = isNear(fit.drift) ? withPlainSigns(fit.lines, drifted) : fit.lines;
    const adapted = adaptedLines(own, start, index);
    if (!adapted.ok) return err(unfitHunk(fit.hunk, start, adapted.error, index));
    if (isRepeated(fit.lines, start, index)) applied.push(fit.hunk);
    else placements.push({ ...fit, start, lines: adapted.value });
  }
  const count = index.texts.length;
  for (const hunk of hunks.filter(isAppended)) {
    const isThere =
      isTelling(hunk.lines) && index.find(textsOf(hunk.lines), "line ends").at(-1) === count - hunk.lines.length;
    if (isThere) applied.push(hunk);
    else placements.push({ start: count, lines: withPlainSigns(hunk.lines, drifted), hunk, drift: "exact" });
  }
  return ok({ placements, applied });
}

/** Hunks that all have one position may be written in another order. */
function inFileOrder(fits: readonly Fit[]): readonly Fit[] {
  const isUnique = fits.every(({ starts }) => starts.length === 1);
  return isUnique ? fits.toSorted((a, b) => (a.starts[0] ?? 0) - (b.starts[0] ?? 0)) : fits;
}

function isNear(drift: LineDrift): boolean {
  return drift === "exact" || drift === "line ends";
}

/** The hunk has only added lines and no position, so they go to the end of the file. */
function isAppended(hunk: Hunk): boolean {
  return hunk.hints.length === 0 && hunk.statedStart === undefined && oldLines(hunk).length === 0;
}

/**
 * Hunks that fit at several lines are placed by the numbers of a unified diff, if they fit there: at that line, or
 * shifted as far as the nearest hunk that fits only once.
 */
function atStatedLines(fits: readonly Fit[]): readonly Fit[] {
  const shifts = fits.map(({ hunk, starts: [first = 0, ...more] }) =>
    hunk.statedStart === undefined || more.length > 0 ? undefined : first - hunk.statedStart,
  );
  const shiftsBelow: (number | undefined)[] = [];
  for (const [index, shift] of [...shifts.entries()].toReversed()) shiftsBelow[index] = shift ?? shiftsBelow[index + 1];
  let above = 0;
  return fits.map((fit, index) => {
    const { statedStart } = fit.hunk;
    above = shifts[index] ?? above;
    if (statedStart === undefined || fit.starts.length < 2) return fit;
    const stated = new Set([statedStart + above, statedStart + (shiftsBelow[index] ?? above)]);
    const starts = fit.starts.filter((start) => stated.has(start));
    return starts.length === 1 ? { ...fit, starts } : fit;
  });
}

/** Returns the lines, in order, at which a single hunk can be placed. */
interface Fit {
  readonly hunk: Hunk;
  readonly lines: readonly HunkLine[];
  readonly starts: readonly number[];
  readonly drift: LineDrift;
}

/** Places a hunk as it is, otherwise without the line numbers before its lines. */
function fitHunk(hunk: Hunk, index: LineIndex, effort: WorkBudget): Result<Fit | "applied", PatchFault> {
  const fit = fitGiven(hunk, index, effort);
  const bare = fit.ok ? undefined : withoutLineNumbers(hunk);
  const again = bare && fitGiven(bare, index, effort);
  return again?.ok ? again : fit;
}

function fitGiven(hunk: Hunk, index: LineIndex, effort: WorkBudget): Result<Fit | "applied", PatchFault> {
  const scopes = scopesOf(hunk.hints, index, effort);
  if (scopes.length === 0) {
    if (isApplied(hunk, index)) return ok("applied");
    const other = otherHints(hunk, index, effort);
    return other ? fitGiven({ ...hunk, ...other }, index, effort) : err(noSuchHint(hunk));
  }
  const old = oldLines(hunk);
  const { lines } = hunk;
  if (old.length === 0 && hunk.statedStart !== undefined) return fitBetween(hunk, hunk.statedStart, index);
  if (old.length === 0) {
    const starts = hunk.atEnd ? [index.texts.length] : scopes.map(({ at: offset }) => offset + 1);
    return ok({ hunk, lines, starts: starts.toSorted((a, b) => a - b), drift: "exact" });
  }
  if (hunk.atEnd) return fitEnd(hunk, index);
  const matches = drifts.map((drift) => ({ drift, all: once(() => matchesOf(lines, drift, index)) }));
  for (const { drift, all } of matches) {
    const starts = hunk.hints.length === 0 ? all() : inScopes(all(), old.length, scopes, index, effort);
    if (starts.length > 0) return ok({ hunk, lines, starts, drift });
    if (drift === "line ends" && isApplied(hunk, index)) return ok("applied");
  }
  // Returns the only match in the whole file, below the hint but outside its block.
  for (const { drift, all } of matches) {
    const [only, ...more] = all();
    if (only === undefined || more.length > 0) continue;
    if (scopes.every(({ at: offset }) => only > offset)) return ok({ hunk, lines, starts: [only], drift });
  }
  return err(hunkNotFound(hunk, index));
}

/** Handles added lines without context: only the numbers of a unified diff give their position. */
function fitBetween(hunk: Hunk, start: number, { texts }: LineIndex): Result<Fit, PatchFault> {
  const { lines, line } = hunk;
  if (start > texts.length)
    return err({ line, message: `the file has only ${plural(texts.length, "line")}; add context lines to the hunk` });
  if (start === 0 && texts.length > 0 && !hunk.isUpdate)
    return err({ line, message: "the hunk is for a new or empty file, and this one has lines; add context lines" });
  return ok({ hunk, lines, starts: [start], drift: "exact" });
}

/** Returns whether the result of the hunk is at one position of the file, and no other position is possible. */
function isApplied(hunk: Hunk, index: LineIndex): boolean {
  const result = hunk.lines.filter(({ op }) => op !== "-");
  const [only, ...more] = index.find(textsOf(result), "line ends");
  if (only === undefined || more.length > 0 || isElsewhere(hunk, only, index)) return false;
  // If a line to remove is next to the result, it has not been removed yet.
  const end = only + result.length;
  const around = new Set([...index.texts.slice(Math.max(0, only - 3), only), ...index.texts.slice(end, end + 3)]);
  if (hunk.lines.some((line) => line.op === "-" && around.has(line.text))) return false;
  const added = result.filter(({ op }) => op === "+");
  if (added.length > 0) return added.length < result.length ? added.some(hasWord) : isTelling(added);
  // The hunk only removes lines: the lines around them are adjacent in the result.
  const first = hunk.lines.findIndex(({ op }) => op === "-");
  const below = hunk.lines.slice(hunk.lines.findLastIndex(({ op }) => op === "-") + 1);
  const isBelow = only === 0 || hunk.lines.slice(0, first).some(hasWord);
  return isBelow && (end === index.texts.length || below.some(hasWord));
}

/** Returns whether the context of the hunk is also at another position, where the lines to remove may be misspelled. */
function isElsewhere(hunk: Hunk, applied: number, index: LineIndex): boolean {
  const context = [...oldLines(hunk).entries()].filter(([, { op }]) => op === " ");
  const [first] = context;
  if (first === undefined) return false;
  return index.positions(first[1].text, "line ends").some((position) => {
    const start = position - first[0];
    const fits = ([offset, { text }]: readonly [number, HunkLine]) =>
      foldLine(text, "line ends") === foldLine(index.texts[start + offset] ?? "\0", "line ends");
    return start >= 0 && start !== applied && context.every(fits);
  });
}

/** The old lines are a part of the result, which is already in the file around them. */
function isRepeated(lines: readonly HunkLine[], start: number, index: LineIndex): boolean {
  const removed = new Set(textsOf(lines.filter(({ op }) => op === "-")));
  if (!isTelling(lines.filter(({ op, text }) => op === "+" && !removed.has(text)))) return false;
  const result = lines.filter(({ op }) => op !== "-");
  const end = start + oldCount(lines);
  return index.find(textsOf(result), "line ends").some((each) => each <= start && end <= each + result.length);
}

/** Returns whether one of the lines is long enough not to match by chance. */
function isTelling(lines: readonly HunkLine[]): boolean {
  return lines.some(({ text }) => text.replaceAll(/[^\p{L}\p{N}]/gu, "").length >= 8);
}

function hasWord({ text }: HunkLine): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

function textsOf(lines: readonly HunkLine[]): readonly string[] {
  return lines.map(({ text }) => text);
}

/** The old lines must be at the very end; empty lines before the marker may only be layout. */
function fitEnd(hunk: Hunk, index: LineIndex): Result<Fit | "applied", PatchFault> {
  const end = hunk.lines.findLastIndex(({ op, text }) => op !== " " || text !== "") + 1;
  for (const drift of drifts) {
    for (const lines of new Set([hunk.lines, hunk.lines.slice(0, end)])) {
      const old = lines.filter(({ op }) => op !== "+");
      const start = index.texts.length - old.length;
      if (old.length > 0 && matchesOf(lines, drift, index).includes(start))
        return ok({ hunk, lines, starts: [start], drift });
    }
    if (drift === "line ends" && isApplied(hunk, index)) return ok("applied");
  }
  return err(hunkNotFound(hunk, index));
}

function matchesOf(lines: readonly HunkLine[], drift: LineDrift, index: LineIndex): readonly number[] {
  const old = lines.filter(({ op }) => op !== "+");
  const places = index.find(textsOf(old), drift);
  if (drift === "indentation") return places.filter((start) => onlySignsForgotten(old, start, index));
  if (drift !== "white space" && drift !== "both") return places;
  return places.filter((start) =>
    hasSameSpacing("", index.texts.slice(start, start + old.length).join("\n"), textsOf(old).join("\n")),
  );
}

/**
 * Returns whether every line is indented as in the file, except context lines whose first space was parsed as the
 * marker.
 */
function onlySignsForgotten(old: readonly HunkLine[], start: number, { texts }: LineIndex): boolean {
  return old.every(({ op, text }, offset) => {
    const folded = foldLine(text, "look-alikes");
    const there = foldLine(texts[start + offset] ?? "", "look-alikes");
    return folded === there || (op === " " && ` ${folded}` === there);
  });
}

/**
 * Returns the positions in each part that the hints can refer to: below the hint, or containing its line. If there are
 * several below a hint without a block, only the one directly below it.
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

/** Returns the minimum distance between the starts of two hunks, so that neither changes the other's lines. */
function distance(upper: Fit | undefined, lower: Fit | undefined): number {
  if (upper === undefined || lower === undefined) return 0;
  return Math.max(changedUntil(upper.lines), oldCount(upper.lines) - changedFrom(lower.lines));
}

/**
 * Returns the number of old lines before the first change. A hunk of only context counts as changed, so that its lines
 * are used up.
 */
function changedFrom(lines: readonly HunkLine[]): number {
  return Math.max(
    0,
    lines.findIndex(({ op }) => op !== " "),
  );
}

/** Returns the number of old lines before the end of the last change. */
function changedUntil(lines: readonly HunkLine[]): number {
  const last = lines.findLastIndex(({ op }) => op !== " ");
  return oldCount(last < 0 ? lines : lines.slice(0, last + 1));
}

function oldCount(lines: readonly HunkLine[]): number {
  return lines.filter(({ op }) => op !== "+").length;
}
