import { err, ok, type Result } from "../../../base/result.ts";
import type { Match } from "./drifted-matches.ts";
import { fold, type FoldKinds, indentOf, isBlank } from "./fold.ts";
import { lineEndAt, linesOf } from "./line-ends.ts";
import type { TextEdit } from "./outcome.ts";
import { asSpelledIn } from "./spelling.ts";

/** The text that replaces a drifted match, adapted to the file's spelling; an error gives the reason if there is none. */
export function replacementFor(text: string, match: Match, edit: TextEdit, kinds: FoldKinds): Result<string, string> {
  const region = text.slice(match.start, match.end);
  if (fold(region, kinds).text !== fold(edit.old, kinds).text) return err("it is ambiguous with its neighbours");
  const spelled = asSpelledIn(region, edit.old, edit.new, kinds, lineEndAt(text, match.start, match.end));
  if (!spelled.ok || !kinds.whitespace || edit.new === "") return spelled;
  if (/^[\r\n]/.test(edit.old) !== /^[\r\n]/.test(edit.new))
    return err("only one of old_string and new_string begins with a line end");
  if (/[\r\n]$/.test(edit.old) !== /[\r\n]$/.test(edit.new))
    return err("only one of old_string and new_string ends with a line end");
  return reindented(region, edit.old, spelled.value, match.wholeFirstLine);
}

/** `replacement` with the indentation of `region`, as far as the lines of `old` determine it. */
function reindented(region: string, old: string, replacement: string, wholeFirstLine: boolean): Result<string, string> {
  const there = linesOf(region).map(indentOf);
  const request = linesOf(old);
  const pairs = request.flatMap((line, index) =>
    isBlank(line) || (index === 0 && !wholeFirstLine)
      ? []
      : [{ index, step: [indentOf(line), there[index] ?? ""] as const }],
  );
  const unclear = err("its indentation does not show how the new lines are to be indented");
  const [first, ...rest] = pairs;
  const side = indentedAs(
    replacement,
    pairs.map(({ index, step: [old, inFile] }) => ({ text: (request[index] ?? "").trim(), old, inFile })),
  );
  if (side === "file") return replacement === region ? unclear : ok(replacement);
  if (side === "unclear") return unclear;
  const all = reindentFrom(pairs.map(({ step }) => step));
  const startsAfterIndent = first?.index === 0 && first.step[0] === "" && first.step[1] !== "";
  if (!startsAfterIndent) return all ? indentedLines(replacement, all, all) : unclear;

  // `old` starts without indentation where the file has some: its first line was cut, or all of it is further left.
  const keepFirst: Reindent = (indent) => (indent === "" ? first.step[1] : undefined);
  if (rest.length > 0) {
    const isCutOff = rest.every(({ step: [old, inFile] }) => old === inFile);
    if (!isCutOff) return all ? indentedLines(replacement, all, all) : unclear;
    const following = reindentFrom(rest.map(({ step }) => step));
    return following ? indentedLines(replacement, keepFirst, following) : unclear;
  }
  const continued = linesOf(replacement)
    .slice(1)
    .filter((line) => !isBlank(line));
  if (continued.length === 0) return indentedLines(replacement, keepFirst, keepFirst);
  const isFurtherLeft = continued.some((line) => !line.startsWith(first.step[1]));
  return all && isFurtherLeft ? indentedLines(replacement, all, all) : unclear;
}

function indentedLines(text: string, first: Reindent, following: Reindent): Result<string, string> {
  const written: string[] = [];
  const lineEnd = text.includes("\n") ? "\n" : "\r";
  for (const [index, line] of text.split(lineEnd).entries()) {
    const indent = indentOf(line);
    if (isBlank(line.replace(/\r$/, ""))) {
      written.push(line);
      continue;
    }
    const replacement = (index === 0 ? first : following)(indent);
    if (replacement === undefined) return err("its indentation does not show how the new lines are to be indented");
    written.push(replacement + line.slice(indent.length));
  }
  return ok(written.join(lineEnd));
}

/** A line that is in both, with its indentation in `old` and in the file. */
interface LineIndents {
  readonly text: string;
  readonly old: string;
  readonly inFile: string;
}

/**
 * Decides whose indentation the new lines have if that of `old` differs from the file. Often only `old` is wrong and
 * the new lines are right. Indentation that only one of the two has decides first, then the kept lines, then the depth
 * of a level.
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
  if (hasFile || stayed("inFile")) return "file";
  if (!drifted.some(({ old }) => inFiles.has(old) && indents.has(old))) return "old";
  const [mine, theirs, step] = [firstStep(olds), firstStep(inFiles), firstStep(indents)];
  return mine === theirs ? "unclear" : step === mine ? "old" : step === theirs ? "file" : "unclear";
}

/** By how much the second level is deeper than the first. */
function firstStep(indents: ReadonlySet<string>): number {
  const [first = 0, second = first] = [...indents].map(({ length }) => length).toSorted((a, b) => a - b);
  return second - first;
}

function leastOf(indents: ReadonlySet<string>): string {
  return [...indents].reduce((min, each) => (each.length < min.length ? each : min));
}

/** Turns an indentation of the edit into one of the file; undefined when it is ambiguous. */
type Reindent = (indent: string) => string | undefined;

/**
 * The single change from the indentation of `old` to that of the file, derived from common lines: the same blanks more
 * or less on every line, or other units (tabs for blanks, four for two). Undefined when the lines disagree, because
 * then their nesting differs.
 */
function reindentFrom(pairs: readonly (readonly [old: string, inFile: string])[]): Reindent | undefined {
  const indentsInFile = new Map<string, string>();
  for (const [old, inFile] of pairs) {
    if ((indentsInFile.get(old) ?? inFile) !== inFile) return undefined;
    indentsInFile.set(old, inFile);
  }
  const steps = [...indentsInFile].toSorted(([a], [b]) => a.length - b.length);
  if (steps.every(([old, inFile]) => old === inFile)) return (indent) => indent;
  const deeper = ([, inFile]: Step, index: number) =>
    index === 0 || inFile.length > (steps[index - 1]?.[1].length ?? 0);
  if (!steps.every(deeper)) return undefined;
  return (indent) => indentsInFile.get(indent) ?? byPrefix(steps, indent) ?? byUnits(steps, indent);
}

type Step = readonly [old: string, inFile: string];

/** The same blanks were put before, or taken from, every line. */
function byPrefix(steps: readonly Step[], indent: string): string | undefined {
  const [old, inFile] = steps[0] ?? ["", ""];
  let same = 0;
  while (same < old.length && same < inFile.length && old.at(-1 - same) === inFile.at(-1 - same)) same++;
  const removed = old.slice(0, old.length - same);
  const come = inFile.slice(0, inFile.length - same);
  const moved = (from: string) => (from.startsWith(removed) ? come + from.slice(removed.length) : undefined);
  if (!steps.every(([from, to]) => moved(from) === to)) return undefined;
  const result = moved(indent);
  const isMixed = (blanks: string) => new Set(blanks).size > 1;
  return result !== undefined && isMixed(result) && !steps.some(([, to]) => isMixed(to)) ? undefined : result;
}

/** Every level has another width or another character. */
function byUnits(steps: readonly Step[], indent: string): string | undefined {
  const from = onlyChar(steps.map(([old]) => old).concat(indent));
  const to = onlyChar(steps.map(([, inFile]) => inFile));
  if (from === undefined || to === undefined) return undefined;
  const points = steps.map(([old, inFile]) => [old.length, inFile.length] as const);
  // One level alone says how many blanks a tab is.
  if (points.length === 1 && from !== to) points.unshift([0, 0]);
  const [first, second] = points;
  if (!first || !second) return undefined;
  const run = second[0] - first[0];
  const rise = second[1] - first[1];
  const levelled = (width: number) => first[1] + ((width - first[0]) * rise) / run;
  if (run === 0 || !points.every(([width, inFile]) => levelled(width) === inFile)) return undefined;
  const width = levelled(indent.length);
  return Number.isInteger(width) && width >= 0 ? to.repeat(width) : undefined;
}

/** The only character in all of these, if there is one. */
function onlyChar(indents: readonly string[]): string | undefined {
  const [char, ...others] = new Set(indents.join(""));
  return others.length === 0 ? char : undefined;
}
