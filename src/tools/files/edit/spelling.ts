import { err, ok, type Result } from "../../../base/result.ts";
import { hasTypography, signKind, type SignKind } from "../typography.ts";
import { fold, type FoldKinds } from "./fold.ts";

/**
 * Returns `replacement` in the file's spelling: parts kept from `old` stay as in `region` (quotes, dashes, line ends,
 * unusual spaces); new parts are used as given, with the file's line end. `region` and `old` are equal after
 * normalising. Returns an error with the reason if it is ambiguous.
 */
export function asSpelledIn(
  region: string,
  old: string,
  replacement: string,
  kinds: FoldKinds,
  lineEnd: string | undefined,
): Result<string, string> {
  const there = fold(region, kinds);
  const request = fold(old, kinds);
  const expected = fold(replacement, kinds);
  const kept =
    keptFrom(request.text, expected.text) ?? (sameTypography(region, old) ? nothingKept(expected.text) : undefined);
  if (!kept) return err("too much of it changes to keep the file's own spelling");
  const broken = brokenQuotes(request.text, expected.text, kept);
  const drifted = driftedKinds(region, old, kinds);

  /** Returns the number of kept characters from here that form whole units on both sides; 0 if there are none. */
  const wholeUnits = (index: number): number => {
    const source = kept[index] ?? -1;
    if (source < 0 || broken.has(index) || !there.isBoundary(source)) return 0;
    let length = 1;
    while (!there.isBoundary(source + length) || !expected.isBoundary(index + length)) {
      if (kept[index + length] !== source + length) return 0;
      length++;
    }
    return length;
  };

  let spelled = "";
  let done = 0;
  for (let index = 0; index < expected.text.length;) {
    const [start, end] = expected.unit(index);
    // Text that normalising removed (indentation, trailing spaces) has no character in the normalised text.
    spelled += replacement.slice(done, start);
    const length = wholeUnits(index);
    const source = kept[index] ?? -1;
    const fromFile = length > 0 ? region.slice(there.unit(source)[0], there.unit(source + length - 1)[1]) : "";
    const given = replacement.slice(start, end);
    const [from, to] = length > 0 ? request.unit(source) : [0, 0];
    const isLineEnd = expected.text[index] === "\n";
    const isDrifted = length > 0 && (isLineEnd || length > 1 || fromFile !== old.slice(from, to));
    if (isDrifted && !isSameBlank(fromFile, given)) {
      spelled += fromFile;
      done = expected.unit(index + length - 1)[1];
      index += length;
    } else {
      let next = index + 1;
      while (!expected.isBoundary(next)) next++;
      const plain = expected.text.slice(index, next);
      if (isLineEnd) spelled += lineEnd ?? given;
      else spelled += given !== plain && drifted.has(signKind(given)) ? plain : given;
      done = end;
      index = next;
    }
  }
  return ok(spelled + replacement.slice(done));
}

/** The edit decides the number of spaces or tabs; the file decides all other white space. */
function isSameBlank(fromFile: string, given: string): boolean {
  return (/^ +$/.test(fromFile) && /^ +$/.test(given)) || (/^\t+$/.test(fromFile) && /^\t+$/.test(given));
}

/**
 * Returns the kinds of typographic characters that `old` has only where the file has plain ones: new ones should be
 * plain too. `region` and `old` are equal after normalising.
 */
export function driftedKinds(region: string, old: string, kinds: FoldKinds): ReadonlySet<SignKind> {
  const drifted = new Set<SignKind>();
  const genuine = new Set<SignKind>();
  if (!hasTypography(old)) return drifted;
  const there = fold(region, kinds);
  const request = fold(old, kinds);
  for (let index = 0; index < request.text.length; index++) {
    if (!there.isBoundary(index) || !request.isBoundary(index)) continue;
    const given = old.slice(...request.unit(index));
    if (!hasTypography(given)) continue;
    const inFile = region.slice(...there.unit(index));
    if (inFile === given) genuine.add(signKind(given));
    else if (!hasTypography(inFile)) drifted.add(signKind(given));
  }
  return drifted.difference(genuine);
}

/** Returns whether the two differ only in line ends and plain spaces. */
function sameTypography(region: string, old: string): boolean {
  return !hasTypography(region) && !hasTypography(old);
}

function nothingKept(text: string): Int32Array {
  return new Int32Array(text.length).fill(-1);
}

/**
 * Returns the quotes of `next` that must not get the file's spelling: those on a line with new quotes, or where an
 * opening quote would become a closing one. A mixed pair is worse than the given one. An apostrophe inside a word has
 * no partner.
 */
function brokenQuotes(before: string, next: string, kept: Int32Array): ReadonlySet<number> {
  const broken = new Set<number>();
  const opensBefore = roles(before);
  for (const line of quotesByLine(next)) {
    const fits = line.every((index, nth) => opensBefore.get(kept[index] ?? -1) === isOpening(nth));
    if (!fits) for (const offset of line) broken.add(offset);
  }
  return broken;
}

/** Returns for each quote of a text whether it opens a pair. */
function roles(text: string): ReadonlyMap<number, boolean> {
  const opens = new Map<number, boolean>();
  for (const line of quotesByLine(text)) for (const [nth, index] of line.entries()) opens.set(index, isOpening(nth));
  return opens;
}

function isOpening(nth: number): boolean {
  return nth % 2 === 0;
}

/** Returns the offsets of quotes of one kind on one line, for every line and kind. */
function quotesByLine(text: string): readonly (readonly number[])[] {
  const match = new Map<string, number[]>();
  let line = 0;
  for (const { 0: char, index } of text.matchAll(/\n|"|(?<![\p{L}\p{N}])'|'(?![\p{L}\p{N}])/gu)) {
    if (char === "\n") line++;
    else {
      const key = `${line}${char}`;
      const places = match.get(key);
      if (places) places.push(index);
      else match.set(key, [index]);
    }
  }
  return [...match.values()];
}

/**
 * Returns for each character of `next` its index in `before`, or -1 for a new one. Compares lines first, then words
 * within changed lines. Undefined if the texts are too large and too different.
 */
function keptFrom(before: string, next: string): Int32Array | undefined {
  const kept = new Int32Array(next.length).fill(-1);
  const whole: Stretch = { from: 0, to: before.length, nextFrom: 0, nextTo: next.length };
  for (const stretch of changedStretches(before, next, whole, /[^\n]*\n?/g, kept) ?? [undefined]) {
    if (!stretch || !changedStretches(before, next, stretch, /[\p{L}\p{N}\p{M}_]+|\s+|[^]/gu, kept)) return undefined;
  }
  return kept;
}

interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly nextFrom: number;
  readonly nextTo: number;
}

interface Token {
  readonly text: string;
  readonly at: number;
}

/** Records the common tokens of the two parts, and returns the ranges between them. */
function changedStretches(
  before: string,
  next: string,
  { from, to, nextFrom, nextTo }: Stretch,
  pattern: RegExp,
  kept: Int32Array,
): Stretch[] | undefined {
  const a = tokens(before.slice(from, to), from, pattern);
  const b = tokens(next.slice(nextFrom, nextTo), nextFrom, pattern);
  const pairs = commonTokens(a, b);
  if (!pairs) return undefined;
  const changed: Stretch[] = [];
  let old = from;
  let now = nextFrom;
  for (const [left, right] of pairs) {
    if (left.at > old || right.at > now) changed.push({ from: old, to: left.at, nextFrom: now, nextTo: right.at });
    for (let index = 0; index < right.text.length; index++) kept[right.at + index] = left.at + index;
    old = left.at + left.text.length;
    now = right.at + right.text.length;
  }
  if (old < to || now < nextTo) changed.push({ from: old, to, nextFrom: now, nextTo });
  return changed;
}

function tokens(text: string, offset: number, pattern: RegExp): Token[] {
  const result: Token[] = [];
  for (const match of text.matchAll(pattern)) {
    if (match[0] !== "") result.push({ text: match[0], at: offset + match.index });
  }
  return result;
}

/** Returns a longest common subsequence, as pairs in order. */
function commonTokens(a: readonly Token[], b: readonly Token[]): (readonly [Token, Token])[] | undefined {
  const same = (i: number, j: number) => a[i]?.text === b[j]?.text;
  let head = 0;
  while (head < a.length && head < b.length && same(head, head)) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && same(a.length - 1 - tail, b.length - 1 - tail)) tail++;
  const rows = a.length - head - tail;
  const columns = b.length - head - tail;
  if (rows * columns > maxCells) return undefined;

  const width = columns + 1;
  const lengths = new Uint32Array((rows + 1) * width);
  for (let i = rows - 1; i >= 0; i--) {
    for (let j = columns - 1; j >= 0; j--) {
      const cell = same(head + i, head + j)
        ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1
        : Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0);
      lengths[i * width + j] = cell;
    }
  }
  const pairs: (readonly [Token, Token])[] = [];
  const take = (i: number, j: number) => {
    const left = a[i];
    const right = b[j];
    if (left && right) pairs.push([left, right]);
  };
  for (let index = 0; index < head; index++) take(index, index);
  for (let i = 0, j = 0; i < rows && j < columns;) {
    if (same(head + i, head + j)) take(head + i++, head + j++);
    else if ((lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0)) i++;
    else j++;
  }
  for (let index = tail; index > 0; index--) take(a.length - index, b.length - index);
  return pairs;
}

const maxCells = 4_000_000;
