import { nextGrapheme, previousGrapheme } from "../../../../base/text/graphemes.ts";
import {
  charLeft,
  charRight,
  type EditState,
  lineEnd,
  lineIndent,
  lineStart,
  type Motion,
  nextWordEnd,
  nextWordStart,
  previousWordStart,
} from "./edit-state.ts";

/**
 * The target of a vi motion. An operator applies to the text up to this offset, and depending on the flags also to the
 * character there or to whole lines.
 */
export interface ViTarget {
  readonly offset: number;
  readonly isInclusive?: boolean;
  readonly isLinewise?: boolean;
  /** The start, if it is not the cursor: `iw`. */
  readonly from?: number;
}

/**
 * Evaluates a motion such as `w`, `3j`, `fx`, `gg`, `iw`. Undefined: the target does not exist. `count`: 0 if none was
 * typed.
 */
export function viTarget(motion: string, count: number, state: EditState): ViTarget | undefined {
  const times = Math.max(1, count);
  const [key = "", char = ""] = motion;
  const simple = motions[motion];
  if (simple) return { offset: repeated(simple, times, state), ...(motion === "e" && { isInclusive: true }) };
  switch (key) {
    case "$":
      return { offset: lineEnd(state) };
    case "g":
    case "G":
      return { offset: lineNumber(state.text, count === 0 ? (key === "g" ? 1 : Infinity) : count), isLinewise: true };
    case "j":
    case "k":
      return otherLine(state, key === "j" ? times : -times);
    case "f":
    case "t":
    case "F":
    case "T":
      return charInLine(key, char, times, state);
    case "i":
    case "a":
      return char === "w" || char === "W" ? wordAround(key, state) : undefined;
    default:
      return undefined;
  }
}

const motions: Readonly<Record<string, Motion>> = {
  h: (state) => Math.max(charLeft(state), lineStart(state)),
  l: (state) => Math.min(charRight(state), lineEnd(state)),
  w: nextWordStart,
  W: nextWordStart,
  b: previousWordStart,
  B: previousWordStart,
  e: nextWordEnd,
  E: nextWordEnd,
  "0": lineStart,
  "^": lineIndent,
};

function repeated(motion: Motion, times: number, state: EditState): number {
  let { cursor } = state;
  for (let step = 0; step < Math.min(times, 10_000); step++) {
    const next = motion({ text: state.text, cursor });
    if (next === cursor) break;
    cursor = next;
  }
  return cursor;
}

/** The start of a line, counted from 1. */
function lineNumber(text: string, number: number): number {
  let offset = 0;
  for (let line = 1; line < number; line++) {
    const end = text.indexOf("\n", offset);
    if (end < 0) break;
    offset = end + 1;
  }
  return offset;
}

function otherLine(state: EditState, lines: number): ViTarget | undefined {
  const index = state.text.slice(0, state.cursor).split("\n").length;
  const total = state.text.split("\n").length;
  const target = index + lines;
  if (target < 1 || target > total) return undefined;
  const start = lineNumber(state.text, target);
  const column = state.cursor - lineStart(state);
  return { offset: Math.min(start + column, lineEnd({ text: state.text, cursor: start })), isLinewise: true };
}

function charInLine(key: string, char: string, times: number, state: EditState): ViTarget | undefined {
  const isForward = key === "f" || key === "t";
  let { cursor } = state;
  for (let step = 0; step < times; step++) {
    const next = isForward ? state.text.indexOf(char, cursor + 1) : state.text.lastIndexOf(char, cursor - 1);
    if (next < 0 || (cursor === 0 && !isForward) || next < lineStart(state) || next >= lineEnd(state)) return undefined;
    cursor = next;
  }
  if (key === "t") cursor = previousGrapheme(state.text, cursor);
  if (key === "T") cursor = nextGrapheme(state.text, cursor);
  return { offset: cursor, ...(isForward && { isInclusive: true }) };
}

/** The word under the cursor; with `a`, also the spaces after it. */
function wordAround(kind: string, state: EditState): ViTarget {
  const onNext = { text: state.text, cursor: Math.min(charRight(state), lineEnd(state)) };
  const from = previousWordStart(onNext);
  const end = nextWordEnd({ text: state.text, cursor: from });
  const last = end <= from || end > lineEnd(state) ? from : end;
  const after = nextGrapheme(state.text, Math.max(last, from));
  const spaces = kind === "a" ? (/^[ \t]*/u.exec(state.text.slice(after))?.[0].length ?? 0) : 0;
  return { from, offset: after + spaces };
}
