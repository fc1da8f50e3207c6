/** Turns an indentation of the edit into one of the file; undefined when it is ambiguous. */
export type Reindent = (indent: string) => string | undefined;

/**
 * The one change that leads from the indentation of `old` to that of the file, learnt from lines that are in both:
 * the same blanks more or less on every line, or other units (tabs for blanks, four for two). Undefined when the lines
 * do not agree, because then their nesting differs.
 */
export function reindentFrom(pairs: readonly (readonly [old: string, inFile: string])[]): Reindent | undefined {
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

/** The one character that all of these are made of. */
function onlyChar(indents: readonly string[]): string | undefined {
  const [char, ...others] = new Set(indents.join(""));
  return others.length === 0 ? char : undefined;
}
