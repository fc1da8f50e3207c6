/**
 * Returns the first line of `after` that has a mask (`***`) where `before` has a value: writing it would lose the
 * masked value. Stars that were already in the file, or that replace nothing, are plain text.
 */
export function maskedLine(
  before: string,
  after: string,
): { readonly line: number; readonly text: string } | undefined {
  if (before === "" || !after.includes(mask)) return undefined;
  const there = new Set(before.split(lineEnd));
  const lines = after.split(lineEnd);
  const kept = new Set(lines);
  // An unchanged line loses nothing.
  const removed = [...there].filter((line) => !kept.has(line) && line.length >= shortest).map((line) => line.trim());
  const masked = [...kept].filter((line) => line.includes(mask) && !there.has(line));
  const text = masked.slice(0, Math.ceil(maxComparisons / Math.max(1, removed.length))).find((line) => {
    const parts = line.trim().split(mask);
    return removed.some((other) => hides(parts, other));
  });
  return text === undefined ? undefined : { line: lines.indexOf(text) + 1, text };
}

/**
 * Returns the visible part of a masked key (`ghp_a1***q7R8`) that is in the new text but not in the old one: writing it
 * would replace the key, even in a new file.
 */
export function hiddenKey(before: string, after: string): string | undefined {
  if (!after.includes(mask)) return undefined;
  return [...after.matchAll(keyEnds)].map(([ends]) => ends).find((ends) => !before.includes(ends));
}

const keyEnds = /(?<![\w.*-])(?=\w*[A-Z\d_-])[\w.+/=-]{6}\*{3}[\w.+/=-]{4}(?![\w*-])/gu;

/** Returns whether the line equals the masked one, with values of 6 or more characters instead of the masks. */
function hides(parts: readonly string[], line: string): boolean {
  const first = parts[0] ?? "";
  const last = parts.at(-1) ?? "";
  if (!line.startsWith(first) || !line.endsWith(last)) return false;
  if (parts.every((part) => part === "") && !/^\S{6,}$/u.test(line)) return false;
  let offset = first.length + shortest;
  for (let index = 1; index < parts.length - 1; index++) {
    const part = parts[index] ?? "";
    const result = line.indexOf(part, offset);
    if (result < 0) return false;
    offset = result + part.length + shortest;
  }
  return offset <= line.length - last.length;
}

const mask = "***";
const shortest = 6;
/** The maximum number of masks, to limit the time. A text with more masks does not contain secrets. */
const maxComparisons = 2_000_000;
const lineEnd = /\r?\n/u;
