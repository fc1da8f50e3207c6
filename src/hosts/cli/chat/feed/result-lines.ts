import { plainText } from "../../../../base/text/ansi.ts";
import { plural } from "../../../../base/text/text.ts";
import type { Paint } from "../../paint.ts";
import { withoutControls } from "../../without-controls.ts";

/** How much of a result to show. */
export interface ResultStyle {
  readonly paint: Paint;
  /** True: all lines, instead of the last lines of an output and the first lines of a diff. */
  readonly isWhole?: boolean;
  /** The command that shows everything: `/output`. */
  readonly showsAll?: string;
  /** Translates a count of lines. */
  say?(text: string): string;
  /** True: changed lines have line numbers instead of hunk headers. */
  readonly isNumbered?: boolean;
}

/**
 * The lines to show of a result: the diff of a file, or the end of a command's output, with more lines if it failed.
 */
export function resultLines(
  result: {
    readonly failed: boolean;
    readonly output?: string;
    readonly linesBefore?: number;
    readonly diff?: string;
  },
  view: ResultStyle,
): readonly string[] {
  return [
    ...(result.diff === undefined ? [] : diffLines(result.diff, view)),
    ...(result.output === undefined ? [] : outputLines(result.output, result, view)),
  ];
}

const maxLines = 5;
const maxFailedLines = 20;
const maxDiffLines = 12;

function outputLines(
  output: string,
  { failed, linesBefore = 0 }: { readonly failed: boolean; readonly linesBefore?: number },
  { paint, isWhole, showsAll, say = same }: ResultStyle,
): readonly string[] {
  const lines = printableLines(output);
  const max = isWhole ? Infinity : failed ? maxFailedLines : maxLines;
  // A single omitted line is shown, because the note about it would take as much space.
  const shown = lines.length <= max + 1 ? lines : lines.slice(-max);
  const left = lines.length - shown.length + linesBefore;
  const how = showsAll === undefined ? "" : ` (${showsAll})`;
  return [
    ...(left > 0 ? [paint.dim(`${say(`… ${plural(left, "line")} before`)}${how}`)] : []),
    ...shown.map((line) => (failed ? line : paint.dim(line))),
  ];
}

/** Removed lines are red, added ones green. Omits the file names of a single file. */
function diffLines(diff: string, { paint, isWhole, showsAll, isNumbered, say = same }: ResultStyle): readonly string[] {
  const all = printableLines(diff);
  const isName = (index: number) => (all[index]?.startsWith("--- ") && all[index + 1]?.startsWith("+++ ")) === true;
  const files = all.filter((_, index) => isName(index)).length;
  const plain = all.filter((_, index) => !isName(index) && (files > 1 || !isName(index - 1)));
  const lines = isNumbered ? numberedLines(plain, paint) : plain.map((line) => paintNamed(line, paint));
  const max = isWhole ? Infinity : maxDiffLines;
  const shown = lines.length <= max + 1 ? lines : lines.slice(0, max);
  const left = lines.length - shown.length;
  const how = showsAll === undefined ? "" : ` (${showsAll})`;
  return [...shown, ...(left > 0 ? [paint.dim(`${say(`… ${plural(left, "line")} more`)}${how}`)] : [])];
}

function same(text: string): string {
  return text;
}

/** `12 - before`, `12 + after`, `13   same`; a mark between the parts of a file. */
function numberedLines(lines: readonly string[], paint: Paint): readonly string[] {
  let before = 0;
  let after = 0;
  const numbers = lines.map((line) => {
    const head = /^@@ -(?<before>\d+)(?:,\d+)? \+(?<after>\d+)/u.exec(line)?.groups;
    if (head) [before, after] = [Number(head["before"]), Number(head["after"])];
    if (head || line.startsWith("+++ ") || line.startsWith("\\")) return undefined;
    if (line.startsWith("-")) return before++;
    if (!line.startsWith("+")) before++;
    return after++;
  });
  const width = Math.max(0, ...numbers.map((number) => String(number ?? "").length));
  return lines.flatMap((line, index) => {
    const number = numbers[index];
    if (line.startsWith("@@"))
      return numbers.slice(0, index).some((each) => each !== undefined) ? [paint.dim("⋯")] : [];
    if (number === undefined) return [paintNamed(line, paint)];
    const text = `${String(number).padStart(width)} ${/^[+-]/u.test(line) ? line[0] : " "} ${line.slice(1)}`;
    return [line.startsWith("+") ? paint.good(text) : line.startsWith("-") ? paint.bad(text) : paint.dim(text)];
  });
}

/** A whole output; lines of a diff are coloured. */
export function paintedOutput(output: string, paint: Paint): string {
  const lines = printableLines(output);
  const isDiff = lines.some((line) => /^@@ -\d+(?:,\d+)? \+\d+/u.test(line));
  return lines.map((line) => (isDiff ? paintDiffLine(line, paint) : line)).join("\n");
}

/** The first lines of a change, coloured like a diff. */
export function changeLines(change: string, paint: Paint, max: number): readonly string[] {
  const lines = printableLines(change);
  const left = lines.length - max;
  const shown = left > 1 ? lines.slice(0, max) : lines;
  return [
    ...shown.map((line) => paintDiffLine(line, paint)),
    ...(left > 1 ? [paint.dim(`… ${plural(left, "line")} more`)] : []),
  ];
}

/** A line of a change in several files: file names are painted as headings. */
function paintNamed(line: string, paint: Paint): string {
  return line.startsWith("+++ ") ? paint.bold(line.slice(4)) : paintDiffLine(line, paint);
}

function paintDiffLine(line: string, paint: Paint): string {
  if (/^(?:---|\+\+\+) /u.test(line)) return paint.bold(line);
  if (line.startsWith("+")) return paint.good(line);
  if (line.startsWith("-")) return paint.bad(line);
  return line.startsWith("@@") ? paint.accent(line) : paint.dim(line);
}

/** Splits untrusted text into lines whose control characters are escaped. */
export function printableLines(text: string): readonly string[] {
  const plain = withoutControls(plainText(text.replaceAll("\r\n", "\n"))).replaceAll("\t", "    ");
  return plain.trim() === "" ? [] : plain.trimEnd().split("\n");
}
