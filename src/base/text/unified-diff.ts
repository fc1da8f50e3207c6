import { cut } from "./text.ts";

/**
 * A unified diff of two texts with at most about `maxChars` characters; empty if they are equal. Texts that differ in
 * very many lines result in one block, with all old lines before all new ones.
 */
export function unifiedDiff(
  before: { readonly name: string; readonly text: string },
  after: { readonly name: string; readonly text: string },
  maxChars = 10_000,
): string {
  if (before.text === after.text) return "";
  if (before.text.length + after.text.length > maxTextChars) return "The texts are too long to show the differences.";
  const same = sameLines(before.text, after.text);
  const linesIn = (text: string) => linesOf(text.slice(same.head, text.length - same.tail));
  const steps = compare(linesIn(before.text), linesIn(after.text), same.headLines);
  const shown = [`--- ${before.name}`, `+++ ${after.name}`];
  let chars = 0;
  let left = 0;
  for (const hunk of hunksOf(steps)) {
    for (const line of [headerOf(hunk), ...hunk.flatMap(shownStep)]) {
      chars += line.length + 1;
      if (chars > maxChars) left++;
      else shown.push(line);
    }
  }
  return shown.join("\n") + (left > 0 ? `\n… ${left} more lines of the diff` : "");
}

/** One line of either text. `old` and `new` are its line numbers in the two texts, from 1. */
interface Step {
  readonly op: " " | "-" | "+";
  readonly line: string;
  readonly old: number;
  readonly new: number;
}

/** Splits a text into lines including their ends, so that a changed line end is a change. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/gu) ?? [];
}

/**
 * How many characters at both ends belong to equal lines outside of any hunk, and how many lines precede the first
 * hunk.
 */
function sameLines(a: string, b: string): { readonly head: number; readonly tail: number; readonly headLines: number } {
  const maxShared = Math.min(a.length, b.length);
  let head = 0;
  // Blocks are compared first, which is many times faster than comparing single characters.
  while (head + block <= maxShared && a.slice(head, head + block) === b.slice(head, head + block)) head += block;
  while (head < maxShared && a.charCodeAt(head) === b.charCodeAt(head)) head++;
  for (let line = 0; line <= context && head > 0; line++) head = head < 2 ? 0 : a.lastIndexOf("\n", head - 2) + 1;
  let tail = 0;
  const end = (text: string) => text.slice(text.length - tail - block, text.length - tail);
  while (tail + block <= maxShared - head && end(a) === end(b)) tail += block;
  while (tail < maxShared - head && a.charCodeAt(a.length - 1 - tail) === b.charCodeAt(b.length - 1 - tail)) tail++;
  for (let line = 0; line <= context && tail > 0; line++) {
    const lineEnd = a.indexOf("\n", a.length - tail);
    tail = lineEnd < 0 ? 0 : a.length - lineEnd - 1;
  }
  let headLines = 0;
  for (let offset = a.indexOf("\n"); offset >= 0 && offset < head; offset = a.indexOf("\n", offset + 1)) headLines++;
  return { head, tail, headLines };
}

/** `above` is the number of equal lines before both texts. */
function compare(a: readonly string[], b: readonly string[], above: number): Step[] {
  const steps: Step[] = [];
  let [x, y] = [0, 0];
  const step = (op: Step["op"], line = "") => steps.push({ op, line, old: above + x + 1, new: above + y + 1 });
  const replaceUntil = (oldEnd: number, newEnd: number) => {
    for (; x < oldEnd; x++) step("-", a[x]);
    for (; y < newEnd; y++) step("+", b[y]);
  };
  for (const [oldLine, newLine] of matches(a, b)) {
    replaceUntil(oldLine, newLine);
    step(" ", a[x]);
    x++;
    y++;
  }
  replaceUntil(a.length, b.length);
  return steps;
}

/** The longest list of pairs of equal lines in order (Myers); undefined if there are too many differences. */
function matches(a: readonly string[], b: readonly string[]): [number, number][] {
  if (a.length === 0 || b.length === 0) return [];
  const rounds: Map<number, number>[] = [];
  let furthest = new Map<number, number>([[1, 0]]);
  for (let edits = 0; edits <= maxEdits; edits++) {
    rounds.push(furthest);
    const next = new Map<number, number>();
    for (let k = -edits; k <= edits; k += 2) {
      let { x } = entry(furthest, k, edits);
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      next.set(k, x);
      if (x >= a.length && x - k >= b.length) return wayBack(rounds, a.length, b.length);
    }
    furthest = next;
  }
  return [];
}

/** The start of diagonal `k`, reached through an added line or a removed line. */
function entry(furthest: ReadonlyMap<number, number>, k: number, edits: number) {
  const above = furthest.get(k + 1) ?? 0;
  const below = furthest.get(k - 1) ?? 0;
  const isAdded = k === -edits || (k !== edits && above > below);
  return { isAdded, x: isAdded ? above : below + 1 };
}

function wayBack(rounds: readonly ReadonlyMap<number, number>[], width: number, height: number): [number, number][] {
  const pairs: [number, number][] = [];
  let [x, y] = [width, height];
  for (const [edits, furthest] of [...rounds.entries()].toReversed()) {
    const from = entry(furthest, x - y, edits);
    while (x > from.x) pairs.push([--x, --y]);
    if (from.isAdded) y--;
    else x--;
  }
  return pairs.toReversed();
}

/** Changes with their context; adjacent ones are merged. */
function hunksOf(steps: readonly Step[]): (readonly Step[])[] {
  const hunks: (readonly Step[])[] = [];
  let start = -1;
  let end = -1;
  for (const [index, step] of steps.entries()) {
    if (step.op === " ") continue;
    if (start >= 0 && index - end > 2 * context) {
      hunks.push(steps.slice(start, end + context));
      start = -1;
    }
    if (start < 0) start = Math.max(0, index - context);
    end = index + 1;
  }
  if (start >= 0) hunks.push(steps.slice(start, end + context));
  return hunks;
}

function headerOf(hunk: readonly Step[]): string {
  const [first] = hunk;
  const old = hunk.filter(({ op }) => op !== "+").length;
  const now = hunk.filter(({ op }) => op !== "-").length;
  const from = (line: number, count: number) => (count === 0 ? line - 1 : line);
  return `@@ -${from(first?.old ?? 1, old)},${old} +${from(first?.new ?? 1, now)},${now} @@`;
}

function shownStep({ op, line }: Step): string[] {
  const text = op + cut(line.replace(/\r?\n$/u, ""), maxLineChars);
  return line.endsWith("\n") ? [text] : [text, "\\ No newline at end of file"];
}

const context = 3;
const block = 4096;
const maxEdits = 1000;
const maxTextChars = 8_000_000;
const maxLineChars = 500;
