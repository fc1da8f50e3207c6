/**
 * The first line of `after` that puts a mask (`***`) where `before` has a value: what was hidden when the file was shown
 * would be lost. Stars that were in the file, or that stand for nothing in it, are text like any other.
 */
export function maskedLine(
  before: string,
  after: string,
): { readonly line: number; readonly text: string } | undefined {
  if (before === "" || !after.includes(mask)) return undefined;
  const there = new Set(before.split(lineEnd));
  const lines = after.split(lineEnd);
  const kept = new Set(lines);
  // A line that stays as it is loses nothing.
  const gone = [...there].filter((line) => !kept.has(line) && line.length >= shortest);
  const masked = [...kept].filter((line) => line.includes(mask) && !there.has(line));
  const text = masked
    .slice(0, Math.ceil(mostComparisons / Math.max(1, gone.length)))
    .find((line) => gone.some((other) => hides(line, other)));
  return text === undefined ? undefined : { line: lines.indexOf(text) + 1, text };
}

/** Is `shown` the line with each value of 6 or more characters, the least that is masked, as a mask? */
function hides(shown: string, line: string): boolean {
  const [first = "", ...rest] = shown.trim().split(mask);
  const last = rest.pop() ?? "";
  const own = line.trim();
  if (first + last + rest.join("") === "" && !/^\S{6,}$/u.test(own)) return false;
  if (!own.startsWith(first) || !own.endsWith(last)) return false;
  let at = first.length + shortest;
  for (const part of rest) {
    const found = own.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length + shortest;
  }
  return at <= own.length - last.length;
}

const mask = "***";
const shortest = 6;
/** So that no text takes long; more masks than this are not secrets. */
const mostComparisons = 2_000_000;
const lineEnd = /\r?\n/u;
