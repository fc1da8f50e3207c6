import { err, ok, type Result } from "../../../base/result.ts";
import { depthOf, indentOf, isBlank } from "./fold.ts";
import { linesOf } from "./line-ends.ts";

/** A position in the file that follows some or all of the indentation of its first line. */
interface CutPlace {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** The white space from the start of the line to the position. */
  readonly indent: string;
}

/**
 * Returns the new text for a match whose first line was given without its indentation. The other lines are either as in
 * the file or relative to the first line; their nesting decides. Returns an error if both are possible. `replacement`
 * has the line ends of the file.
 */
export function alignedToCut(place: CutPlace, old: string, replacement: string): Result<string, string> {
  const { indent } = place;
  const lines = linesOf(replacement);
  const following = lines.slice(1).filter((line) => !isBlank(line));
  const ownIndent = indentOf(old);
  const hasIndent = ownIndent === "" && indent !== "" && replacement.startsWith(indent) && !isBlank(lines[0] ?? "");
  if (indent === "") return ok(replacement);
  if (ownIndent !== "" && !isBlank(lines[0] ?? "") && indentOf(lines[0] ?? "") !== ownIndent) return unclear;
  if (following.length === 0 && !hasIndent) return ok(replacement);
  if (isFlattened(old, lines)) return unclear;
  if (ownIndent !== "" && !hasFollowing(old)) {
    // If the indentation is partial, the edit may use another indentation unit.
    const isFlat = [lines[0] ?? "", ...following].every((line) => indentOf(line) === ownIndent);
    return isFlat ? ok(eachFollowing(replacement, (line) => indent + line)) : unclear;
  }
  const unit = blanksPerTab(place, following);
  const asTabs = (line: string): string => {
    const blanks = indentOf(line);
    return unit === undefined ? line : "\t".repeat(blanks.length / unit) + line.slice(blanks.length);
  };
  const moved = eachFollowing(replacement, (line) => indent + asTabs(line));
  const given = hasIndent ? replacement.slice(indent.length) : eachFollowing(replacement, asTabs);
  if (given === old) return ok(moved);
  if (unit === undefined && following.some((line) => isOtherKind(indent, indentOf(line)))) return unclear;
  return likelier(place, old, given, moved, hasIndent || ownIndent !== "");
}

/**
 * Whether neither text has any indentation, and a new line follows the first one: the other lines may have lost their
 * indentation too.
 */
function isFlattened(old: string, written: readonly string[]): boolean {
  const before = linesOf(old);
  const [, next = ""] = written;
  const isFlat = [...before, ...written].every((line) => indentOf(line) === "" || isBlank(line));
  return isFlat && hasFollowing(old) && !isBlank(next) && !before.some((line) => line.trimEnd() === next.trimEnd());
}

function hasFollowing(text: string): boolean {
  return linesOf(text)
    .slice(1)
    .some((line) => !isBlank(line));
}

function likelier(
  place: CutPlace,
  old: string,
  given: string,
  moved: string,
  isDoubtful: boolean,
): Result<string, string> {
  const [ofGiven, ofMoved] = [faultsOf(place, given), faultsOf(place, moved)];
  const [keptByGiven, keptByMoved] = [keptLines(old, given), keptLines(old, moved)];
  const isKept =
    keptByGiven ===
    linesOf(given)
      .slice(1)
      .filter((line) => !isBlank(line)).length;
  const { nesting: inFile, steps: stepsInFile } = faultsOf(place, place.text.slice(place.start, place.end));
  // Where the file itself is not nested as expected, the lines that stay decide.
  const shape = (text: string) => linesOf(text).slice(1).map(indentOf).join("\n");
  const isSettled =
    isKept || (inFile > 0 && (keptByGiven > keptByMoved || (hasFollowing(old) && shape(given) === shape(old))));
  if (isSettled && ofGiven.nesting <= inFile) return ok(given);
  if (ofGiven.nesting !== ofMoved.nesting) {
    // Fewer faults than the file has itself are an accident.
    if (Math.min(ofGiven.nesting, ofMoved.nesting) < inFile) return unclear;
    return ok(ofGiven.nesting < ofMoved.nesting ? given : moved);
  }
  const floor = floorOf(place, old);
  const followingLines = linesOf(given).slice(1);
  const leaving = followingLines.findIndex((line) => !isBlank(line) && depthOf(line) < floor);
  if (keptByGiven !== keptByMoved) {
    const isTorn = keptByGiven > keptByMoved && leaving >= 0 && ofGiven.steps > ofMoved.steps;
    return isTorn ? unclear : ok(keptByGiven > keptByMoved ? given : moved);
  }
  const depths = new Set(linesOf(old).slice(1).map(indentOf));
  const isAtHome = followingLines.every((line) => isBlank(line) || depths.has(indentOf(line)));
  if (leaving < 0 && (!isDoubtful || (isAtHome && hasFollowing(old)))) {
    // Neither reading is a nesting that anybody would write.
    return Math.min(ofGiven.steps, ofMoved.steps) > stepsInFile && !isAtHome ? unclear : ok(given);
  }
  if (ofGiven.steps !== ofMoved.steps) return ok(ofGiven.steps < ofMoved.steps ? given : moved);
  // A line that leaves the block follows a blank line or closes the block.
  const isBroken = leaving >= 0 && !isDoubtful && !isBlank(followingLines[leaving - 1] ?? "x");
  return isBroken ? ok(moved) : unclear;
}

/** Counts the lines after the first that start like a line of `old` at the same depth. */
function keptLines(old: string, replacement: string): number {
  const beginnings = (text: string) =>
    linesOf(text)
      .slice(1)
      .filter((line) => !isBlank(line))
      .map(beginningOf);
  const kept = new Set(beginnings(old));
  return beginnings(replacement).filter((beginning) => kept.has(beginning)).length;
}

function beginningOf(line: string): string {
  return line.slice(0, indentOf(line).length + 8);
}

function eachFollowing(text: string, change: (line: string) => string): string {
  return text.replace(/[^\r\n]+/g, (line, offset: number) => (offset === 0 || isBlank(line) ? line : change(line)));
}

const unclear = err(
  "its first line lacks the indentation of the file, and the new lines can be meant with or without it",
);

/** For a file that indents only with tabs: how many spaces of the new lines' indentation stand for one tab. */
function blanksPerTab({ text, indent }: CutPlace, following: readonly string[]): number | undefined {
  if (!/^\t+$/.test(indent) || /^ {2,}\S/m.test(text)) return undefined;
  const widths = following.map(indentOf);
  if (!widths.every((blanks) => /^ *$/.test(blanks))) return undefined;
  const min = Math.min(...widths.map(({ length }) => length || Infinity));
  // Lines as deep as the first one, which may be several tabs deep.
  const isLevel = widths.every(({ length }) => length === 0 || length === min) && min / indent.length >= 4;
  const unit = isLevel ? min / indent.length : min;
  return [2, 4, 8].includes(unit) && widths.every(({ length }) => length % unit === 0) ? unit : undefined;
}

function isOtherKind(indent: string, other: string): boolean {
  return other !== "" && indent.startsWith("\t") !== other.startsWith("\t");
}

/** The minimum depth of the replaced lines. */
function floorOf({ indent }: CutPlace, old: string): number {
  const others = linesOf(old)
    .slice(1)
    .filter((line) => !isBlank(line))
    .map(depthOf);
  return Math.min(depthOf(indent), ...others);
}

interface Faults {
  /**
   * The number of lines at an impossible depth: not deeper after an opening line, or at a depth that no surrounding
   * line has.
   */
  readonly nesting: number;
  /** The number of lines that are deeper although no block starts. */
  readonly steps: number;
}

/** Counts the indentation faults of `replacement` at this position, with the lines above and below. */
function faultsOf({ text, start, end, indent }: CutPlace, replacement: string): Faults {
  const above = linesOf(text.slice(Math.max(0, start - indent.length - maxAround), start - indent.length));
  const [rest = "", ...below] = linesOf(text.slice(end, end + maxAround));
  const next = below.find((line) => !isBlank(line));
  const lines = [...linesOf(`${indent}${replacement}${rest}`), next ?? ""].filter((line) => !isBlank(line));
  const levels = levelsAbove(above);
  let last = above.findLast((line) => !isBlank(line));
  let isContinued = false;
  let nesting = 0;
  let steps = 0;
  for (const line of lines) {
    const depth = depthOf(line);
    const closes = /^\s*(?:[)\]}]|<\/)/.test(line);
    const isLess = last !== undefined && depth < depthOf(last);
    const isEqual = last !== undefined && depth === depthOf(last);
    if (last !== undefined && mustOpen(last) && (isLess || isEqual) && !closes) nesting++;
    else if (last !== undefined && depth > depthOf(last) && !mayOpen(last, line)) steps++;
    if (isLess && !isContinued && !levels.includes(depth)) nesting++;
    isContinued = last !== undefined && depth > depthOf(last) && !mustOpen(last);
    if (closes && isEqual && last !== undefined && !mayOpen(last, line) && !/^\s*[)\]}]/.test(last)) nesting++;
    while ((levels.at(-1) ?? -1) >= depth) levels.pop();
    levels.push(depth);
    last = line;
  }
  return { nesting, steps };
}

/** Whether `replacement` has more lines than `region` that are deeper although no block starts. */
export function hasMoreSteps(place: CutPlace, region: string, replacement: string): boolean {
  return faultsOf(place, replacement).steps > faultsOf(place, region).steps;
}

/** Returns the depths of the enclosing lines, smallest first. */
function levelsAbove(lines: readonly string[]): number[] {
  const levels: number[] = [];
  for (const line of lines.toReversed()) {
    if (!isBlank(line) && depthOf(line) < (levels[0] ?? Infinity)) levels.unshift(depthOf(line));
  }
  return levels;
}

/** Returns whether the next line must be deeper. */
function mustOpen(line: string): boolean {
  const code = line.replace(/\s+(?:#|\/\/).*$/, "").trimEnd();
  return (
    /[{([]$/.test(code) || /^\s*(?:if|elif|else|for|while|def|class|with|try|except|finally|async)\b.*:$/.test(code)
  );
}

/** Returns whether the next line may be deeper: after an open bracket or list, or in a continued statement. */
function mayOpen(line: string, next: string): boolean {
  if (mustOpen(line) || /[,:=+*/&|?<>\\.-]\s*$/.test(line)) return true;
  if (/^\s*(?:[-*+]|\d+[.)])\s|^\s*<[^/]/.test(line) || /^\s*[.?:&|+]/.test(next)) return true;
  if (/^\s*(?:if|else|for|while|do|case|default|def|begin|then|class|module|unless|when)\b/.test(line)) return true;
  return (line.match(/[([{]/g)?.length ?? 0) > (line.match(/[)\]}]/g)?.length ?? 0);
}

/** The number of characters above and below that are checked for nesting. */
const maxAround = 20_000;
