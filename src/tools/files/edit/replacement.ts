import { err, ok, type Result } from "../../../base/result.ts";
import { alignedToCut, hasMoreSteps } from "./cut-indent.ts";
import type { Match } from "./drifted-matches.ts";
import { depthOf, fold, type FoldKinds, indentOf, isBlank } from "./fold.ts";
import { lineEndAt, linesOf } from "./line-ends.ts";
import type { TextEdit } from "./outcome.ts";
import { asSpelledIn } from "./spelling.ts";

/** Returns the replacement for an inexact match, adapted to the file, or an error with the reason why there is none. */
export function replacementFor(text: string, match: Match, edit: TextEdit, kinds: FoldKinds): Result<string, string> {
  const region = text.slice(match.start, match.end);
  if (fold(region, kinds).text !== fold(edit.old, kinds).text) return err("it is ambiguous with its neighbours");
  const spelled = asSpelledIn(region, edit.old, edit.new, kinds, lineEndAt(text, match.start, match.end));
  if (!spelled.ok || edit.new === "") return spelled;
  if (!kinds.whitespace && !kinds.punctuation) return alignedAfterIndent(text, match, edit.old, spelled.value);
  if (/^[ \t]*[\r\n]/.test(edit.old) !== /^[ \t]*[\r\n]/.test(edit.new))
    return err("only one of old_string and new_string begins with a line end");
  if (endsInLineEnd(edit.old) !== endsInLineEnd(edit.new))
    return err("only one of old_string and new_string ends with a line end");
  if (!kinds.whitespace) return alignedAfterIndent(text, match, edit.old, spelled.value);
  const written = withoutLead(text, match, edit.old, spelled.value);
  if (!written.ok || !(match.wholeFirstLine || /^\r?\n/.test(region))) return written;
  const place = { text, start: match.start, end: match.end, indent: "" };
  return hasMoreSteps(place, region, written.value)
    ? err("a new line is deeper than the line above it opens")
    : written;
}

/** Indents the new lines if the match begins after the indentation of its line, as for an exact match. */
function alignedAfterIndent(text: string, match: Match, old: string, replacement: string): Result<string, string> {
  const { start, end } = match;
  const indent = /(?:^|[\r\n])([ \t]+)$/.exec(text.slice(Math.max(0, start - maxIndent), start))?.[1] ?? "";
  return alignedToCut({ text, start, end, indent }, old, replacement);
}

const maxIndent = 1_000;

/** Reindents the lines below the blank lines with which all three texts begin: these show no indentation. */
function withoutLead(text: string, match: Match, old: string, replacement: string): Result<string, string> {
  const [there = 0, mine = 0, other = 0] = [text.slice(match.start, match.end), old, replacement].map(
    (each) => /^(?:[ \t]*\r?\n)*/.exec(each)?.[0].length,
  );
  if (there === 0 || mine === 0 || other === 0) return reindented(text, match, old, replacement);
  const below = { start: match.start + there, end: match.end, wholeFirstLine: true };
  const written = reindented(text, below, old.slice(mine), replacement.slice(other));
  return written.ok ? ok(replacement.slice(0, other) + written.value) : written;
}

/** Whether the text ends with a line end, or with a line of blanks. */
function endsInLineEnd(text: string): boolean {
  return /[\r\n]$/.test(text.replace(/[ \t]+$/, ""));
}

/** Returns `replacement` with the indentation of the match, as far as the lines of `old` determine it. */
function reindented(text: string, match: Match, old: string, replacement: string): Result<string, string> {
  const { start, end, wholeFirstLine } = match;
  const region = text.slice(start, end);
  const there = linesOf(region).map(indentOf);
  const request = linesOf(old);
  const pairs = request.flatMap((line, index) =>
    isBlank(line) || (index === 0 && !wholeFirstLine)
      ? []
      : [{ index, step: [indentOf(line), there[index] ?? ""] as const }],
  );
  const unclear = err("its indentation does not show how the new lines are to be indented");
  const [first, ...rest] = pairs;
  // A blank too many before the first line of `old` alone is a slip, and says nothing about the other lines.
  const [cut, inFile] = first?.index === 0 ? first.step : ["", ""];
  const isSlip = cut !== inFile && inFile !== indentOf(replacement) && cut === `${indentOf(replacement)} `;
  if (isSlip) return unclear;
  const isContradictory =
    pairs.some(({ step: [old, inFile] }) => depthOf(old) > depthOf(inFile)) &&
    pairs.some(({ step: [old, inFile] }) => depthOf(old) < depthOf(inFile));
  const side = indentedAs(
    replacement,
    pairs.map(({ index, step: [old, inFile] }) => ({ text: (request[index] ?? "").trim(), old, inFile })),
  );
  const startsAfterIndent = first?.index === 0 && first.step[0] === "" && first.step[1] !== "";
  // `old` starts without indentation although the file has some: its first line was cut, or the whole text is further
  // left.
  const isCutOff = startsAfterIndent && rest.every(({ step: [old, inFile] }) => old === inFile);
  const isCutAlike = isCutOff && rest.length > 0 && indentOf(replacement) === "";
  if (side === "file" && !isCutAlike) return replacement === region || isContradictory ? unclear : ok(replacement);
  if (side === "unclear") return unclear;
  const all = reindentFrom(
    pairs.map(({ step }) => step),
    () => indentUnit(text),
  );
  if (!isCutOff) return all ? indentedLines(replacement, all) : unclear;
  const [, indent] = first.step;
  const aligned = alignedToCut({ text, start: start + indent.length, end, indent }, old, replacement);
  return aligned.ok ? ok(indent + aligned.value) : aligned;
}

function indentedLines(text: string, reindent: Reindent): Result<string, string> {
  const written: string[] = [];
  const lineEnd = text.includes("\n") ? "\n" : "\r";
  for (const line of text.split(lineEnd)) {
    const indent = indentOf(line);
    if (isBlank(line.replace(/\r$/, ""))) {
      written.push(line);
      continue;
    }
    const replacement = reindent(indent);
    if (replacement === undefined) return err("its indentation does not show how the new lines are to be indented");
    written.push(replacement + line.slice(indent.length));
  }
  return ok(written.join(lineEnd));
}

/** A line that is in both texts, with its indentation in `old` and in the file. */
interface LineIndents {
  readonly text: string;
  readonly old: string;
  readonly inFile: string;
}

/**
 * * Decides which indentation the new lines get if `old` differs from the file. Often only `old` is wrong and the new
 * lines are right. Decides by indentation that only one of the two has, then by the kept lines, then by the depth of a
 * level.
 */
function indentedAs(replacement: string, lines: readonly LineIndents[]): "old" | "file" | "unclear" {
  const drifted = lines.filter(({ old, inFile }) => old !== inFile);
  const olds = new Set(lines.map(({ old }) => old));
  const inFiles = new Set(lines.map(({ inFile }) => inFile));
  const written = linesOf(replacement).filter((line) => !isBlank(line));
  const indents = new Set(written.map(indentOf));
  const hasOld = drifted.some(({ old }) => !inFiles.has(old) && indents.has(old));
  const hasFile = drifted.some(({ inFile }) => !olds.has(inFile) && indents.has(inFile));
  const texts = new Set(written.map((line) => line.trimEnd()));
  const stayed = (side: "old" | "inFile") => drifted.some((line) => texts.has(line[side] + line.text));
  if (hasOld && hasFile)
    return leastOf(indents) === leastOf(inFiles) && !olds.has(leastOf(indents)) ? "unclear" : "old";
  if (hasOld) return "old";
  if (stayed("old")) return hasFile ? "unclear" : "old";
  if (hasFile || stayed("inFile"))
    return drifted.some(({ old, inFile }) => indents.has(old) && !indents.has(inFile)) ? "unclear" : "file";
  if (!drifted.some(({ old }) => inFiles.has(old) && indents.has(old))) return "old";
  const [mine, theirs, step] = [firstStep(olds), firstStep(inFiles), firstStep(indents)];
  return mine === theirs ? "unclear" : step === mine ? "old" : step === theirs ? "file" : "unclear";
}

/** Returns the difference in depth between the first two levels. */
function firstStep(indents: ReadonlySet<string>): number {
  const [first = 0, second = first] = [...indents].map(({ length }) => length).toSorted((a, b) => a - b);
  return second - first;
}

function leastOf(indents: ReadonlySet<string>): string {
  return [...indents].reduce((min, each) => (each.length < min.length ? each : min));
}

/** Maps an indentation of the edit to one of the file. Undefined if ambiguous. */
type Reindent = (indent: string) => string | undefined;

/**
 * Returns the single change from the indentation of `old` to that of the file, derived from common lines: the same
 * number of spaces added or removed on every line, or another unit (tabs for spaces, four for two). Undefined if the
 * lines disagree, because then their nesting differs.
 */
function reindentFrom(
  pairs: readonly (readonly [old: string, inFile: string])[],
  unitOf: () => number,
): Reindent | undefined {
  const indentsInFile = new Map<string, string>();
  for (const [old, inFile] of pairs) {
    if ((indentsInFile.get(old) ?? inFile) !== inFile) return undefined;
    indentsInFile.set(old, inFile);
  }
  const steps = [...indentsInFile].toSorted(([a], [b]) => depthOf(a) - depthOf(b));
  if (steps.every(([old, inFile]) => old === inFile)) return (indent) => indent;
  const deeper = ([, inFile]: Step, index: number) =>
    index === 0 || depthOf(inFile) > depthOf(steps[index - 1]?.[1] ?? "");
  if (!steps.every(deeper)) return undefined;
  return (indent) => {
    const same = indentsInFile.get(indent);
    if (same !== undefined) return same;
    if (isMixed(indent) && !steps.some((step) => step.some(isMixed))) return undefined;
    const [prefixed, scaled] = [byPrefix(steps, indent), byUnits(steps, indent)];
    if (prefixed === undefined || scaled === undefined || prefixed === scaled) return prefixed ?? scaled;
    // If there is only one level, the file's own unit decides between another depth and another unit.
    const unit = unitOf();
    const level = steps.findLast(([old]) => old.length <= indent.length)?.[1].length ?? 0;
    if (prefixed.length - level === unit || (prefixed.length - level) % unit === 0) return prefixed;
    return scaled.length - level === unit ? scaled : undefined;
  };
}

/** Returns the most frequent difference in depth between a line and the one above it. */
function indentUnit(text: string): number {
  const steps = new Map<number, number>();
  let last = 0;
  for (const line of linesOf(text.slice(0, maxForUnit))) {
    if (isBlank(line)) continue;
    const { length } = indentOf(line);
    if (length > last) steps.set(length - last, (steps.get(length - last) ?? 0) + 1);
    last = length;
  }
  return [...steps].reduce((best, each) => (each[1] > best[1] ? each : best), [1, 0])[0];
}

const maxForUnit = 200_000;

type Step = readonly [old: string, inFile: string];

/** Handles the case that the same white space was added to, or removed from, every line. */
function byPrefix(steps: readonly Step[], indent: string): string | undefined {
  const [old, inFile] = steps[0] ?? ["", ""];
  let same = 0;
  while (same < old.length && same < inFile.length && old.at(-1 - same) === inFile.at(-1 - same)) same++;
  const removed = old.slice(0, old.length - same);
  const come = inFile.slice(0, inFile.length - same);
  const moved = (from: string) => (from.startsWith(removed) ? come + from.slice(removed.length) : undefined);
  if (!steps.every(([from, to]) => moved(from) === to)) return undefined;
  const result = moved(indent);
  return result !== undefined && isMixed(result) && !steps.some(([, to]) => isMixed(to)) ? undefined : result;
}

/** Whether an indentation has spaces and tabs. */
function isMixed(indent: string): boolean {
  return new Set(indent).size > 1;
}

/** Handles the case that every level has another width or another character. */
function byUnits(steps: readonly Step[], indent: string): string | undefined {
  const from = onlyChar(steps.map(([old]) => old).concat(indent));
  const to = onlyChar(steps.map(([, inFile]) => inFile));
  if (from === undefined || to === undefined) return undefined;
  const points = steps.map(([old, inFile]) => [old.length, inFile.length] as const);
  // A single level determines the ratio of tabs to spaces, or of two units.
  if (points.length === 1) points.unshift([0, 0]);
  const [first, second] = points;
  if (!first || !second) return undefined;
  const run = second[0] - first[0];
  const rise = second[1] - first[1];
  const levelled = (width: number) => first[1] + ((width - first[0]) * rise) / run;
  if (run === 0 || !points.every(([width, inFile]) => levelled(width) === inFile)) return undefined;
  const width = levelled(indent.length);
  return Number.isInteger(width) && width >= 0 ? to.repeat(width) : undefined;
}

/** Returns the only character in all of these, if there is one. */
function onlyChar(indents: readonly string[]): string | undefined {
  const [char, ...others] = new Set(indents.join(""));
  return others.length === 0 ? char : undefined;
}
