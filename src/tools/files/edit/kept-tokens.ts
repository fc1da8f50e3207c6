/**
 * Which characters of `next` were already in `before`: for each its index there, or -1 for a new one. Lines first, then
 * words within the lines that changed. Undefined when the two are too large and too different to say.
 */
export function keptFrom(before: string, next: string): Int32Array | undefined {
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

/** Writes down what the two parts have in common, token by token, and returns the stretches between. */
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

/** A longest common subsequence, as pairs in order. */
function commonTokens(a: readonly Token[], b: readonly Token[]): (readonly [Token, Token])[] | undefined {
  const same = (i: number, j: number) => a[i]?.text === b[j]?.text;
  let head = 0;
  while (head < a.length && head < b.length && same(head, head)) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && same(a.length - 1 - tail, b.length - 1 - tail)) tail++;
  const rows = a.length - head - tail;
  const columns = b.length - head - tail;
  if (rows * columns > mostCells) return undefined;

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

const mostCells = 4_000_000;
