import type { LineIndex, WorkBudget } from "./line-index.ts";
import { oldLines, type Hunk } from "./patch.ts";

/** The part of a file that a hint refers to: its line, and the end of its block. */
export interface HintScope {
  /** The line of the hint; -1 for the whole file. */
  readonly at: number;
  /** The first line after the scope. */
  readonly end: number;
  /** True if the lines of the part are indented below the hint, as a body below its header. */
  readonly isBlock: boolean;
}

/** Returns every part of the file that these hints can refer to, each inside a part of the previous hint. */
export function scopesOf(hints: readonly string[], index: LineIndex, effort: WorkBudget): readonly HintScope[] {
  let scopes: readonly HintScope[] = [{ at: -1, end: index.texts.length, isBlock: false }];
  for (const hint of hints) {
    const places = placesOf(hint, index, effort);
    const inner = new Map<number, HintScope>();
    for (const outer of scopes) {
      for (const offset of places) {
        effort.spend(1);
        if (offset > outer.at && offset < outer.end && !inner.has(offset))
          inner.set(offset, scopeAt(offset, outer.end, index, effort));
      }
    }
    scopes = [...inner.values()];
  }
  return scopes;
}

/**
 * Returns the meaning of hints that are not in the file: a place in words (`line 12`, `top of file`), a call for its
 * definition (`run()`), or two lines in one (`class A run`). Undefined if they mean nothing, or more than one thing.
 */
export function otherHints(
  hunk: Hunk,
  index: LineIndex,
  effort: WorkBudget,
): Pick<Hunk, "hints" | "statedStart"> | undefined {
  const numbers = hunk.hints.map((hint) => placeInWords.exec(hint.trim()));
  if (numbers.every((match) => match !== null) && oldLines(hunk).length > 0) {
    const line = Number(numbers.at(-1)?.[1] ?? 0);
    return { hints: [], ...(line > 0 && { statedStart: line - 1 }) };
  }
  const [hint = "", ...more] = hunk.hints.map((each) => each.trim().replace(/\(\)$/u, ""));
  const words = hint.split(/\s+/u);
  const readings = more.length > 0 || words.length > maxHintWords ? [] : words.slice(1).map((_, before) => before + 1);
  const split = readings.map((count) => [words.slice(0, count).join(" "), words.slice(count).join(" ")]);
  const possible = [[hint, ...more], ...split].filter((hints) => scopesOf(hints, index, effort).length > 0);
  return possible.length === 1 && possible[0] ? { hints: possible[0] } : undefined;
}

const placeInWords =
  /^(?:@@ )?(?:lines? (\d{1,7})(?: ?[-–] ?\d{1,7})?|(?:top|start|beginning|end) of (?:the )?file)$/iu;
const maxHintWords = 8;

/**
 * Returns the lines that equal the hint; if none, those that equal it except for small deviations; if none, those that
 * start with it; if none, those that contain it as whole words.
 */
function placesOf(hint: string, index: LineIndex, effort: WorkBudget): readonly number[] {
  const indented = /^\s/u.test(hint) ? index.positions(hint, "look-alikes") : [];
  if (indented.length > 0) return indented;
  const whole = index.positions(hint, "indentation");
  if (whole.length > 0) return whole;
  const drifted = index.positions(hint, "both");
  if (drifted.length > 0) return drifted;
  effort.spend(index.texts.length);
  const words = hint.trim();
  const containing = [...index.texts.keys()].filter((offset) => hasWords(index.texts[offset] ?? "", words));
  const beginning = containing.filter((position) => (index.texts[position] ?? "").trimStart().startsWith(words));
  return beginning.length > 0 ? beginning : containing;
}

function hasWords(text: string, words: string): boolean {
  for (let offset = text.indexOf(words); offset >= 0; offset = text.indexOf(words, offset + 1)) {
    const before = text.slice(Math.max(0, offset - 1), offset) + words.slice(0, 1);
    const after = words.slice(-1) + text.slice(offset + words.length, offset + words.length + 1);
    if (!twoOfAWord.test(before) && !twoOfAWord.test(after)) return true;
  }
  return false;
}

const twoOfAWord = /^[\p{L}\p{N}_]{2}$/u;

/**
 * Returns the end of the block indented below the line. Without one: everything up to a line with less indentation, or
 * to one that starts like the hint (the next heading, the next key).
 */
function scopeAt(offset: number, limit: number, { texts }: LineIndex, effort: WorkBudget): HintScope {
  const header = texts[offset] ?? "";
  const depth = indentOf(header);
  const opening = openingOf(header);
  let isBlock: boolean | undefined;
  for (let next = offset + 1; next < limit; next++) {
    effort.spend(1);
    const text = texts[next] ?? "";
    if (text.trim() === "" || isBracket(text)) continue;
    const indent = indentOf(text);
    isBlock ??= indent > depth;
    if (indent < depth || (indent === depth && (isBlock || openingOf(text) === opening)))
      return { at: offset, end: next, isBlock };
  }
  return { at: offset, end: limit, isBlock: isBlock ?? false };
}

function indentOf(text: string): number {
  let columns = 0;
  for (const char of text) {
    if (char === "\t") columns += 8 - (columns % 8);
    else if (char === " ") columns++;
    else break;
  }
  return columns;
}

/** A brace on its own line opens or closes a block; it does not end one. */
function isBracket(text: string): boolean {
  return /^\s*[{}()[\];,]+\s*$/u.test(text);
}

/** Returns the first word, or the first sequence of punctuation: `def`, `name:`, `##`, `[`. */
function openingOf(text: string): string {
  return /^\s*([\p{L}\p{N}_]+:?|[^\p{L}\p{N}_\s]+)/u.exec(text)?.[1] ?? "";
}
