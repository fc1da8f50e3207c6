import { indentOf, isBlank } from "./fold.ts";
import { linesOf } from "./line-ends.ts";

/** A line that is in both, with its indentation in `old` and in the file. */
export interface LineIndents {
  readonly text: string;
  readonly old: string;
  readonly inFile: string;
}

/**
 * Whose indentation the new lines have where that of `old` is not the file's. Often only `old` is off and the new lines are
 * right as they are. Indentation that only one of the two has tells them apart, then the lines that stay, then the depth of a level.
 */
export function indentedAs(replacement: string, lines: readonly LineIndents[]): "old" | "file" | "unclear" {
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
  return [...indents].reduce((least, each) => (each.length < least.length ? each : least));
}
