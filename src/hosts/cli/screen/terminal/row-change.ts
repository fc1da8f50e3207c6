import { graphemes } from "../../../../base/text/graphemes.ts";
import { characterWidth, textWidth } from "../../../../base/text/text-width.ts";

/** The bytes that turn one row into another, from a column on. */
export interface RowChange {
  readonly column: number;
  readonly bytes: string;
  /** The column of the cursor afterwards. -1: unknown, because the row is full. */
  readonly endColumn: number;
}

/**
 * Computes the change from one row to another; the unchanged start is not written again. Undefined: the rows are equal.
 */
export function changeOf(old: string, row: string, columns: number): RowChange | undefined {
  if (old === row) return undefined;
  const same = sameStart(old, row);
  const start = row.slice(0, same);
  const column = textWidth(start);
  const rest = row.slice(same);
  const width = column + textWidth(rest);
  const oldWidth = textWidth(old);
  const isPainted = openStyles(row) !== "" || combined.test(row);
  // Only the width of ASCII text is certain; terminals disagree about the width of other characters.
  const isSafe = ascii.test(rest);
  const bytes = `${openStyles(start)}${rest}${isPainted ? "\x1b[0m" : ""}`;
  // Does not erase after the last column, because some terminals would erase the last character.
  const erased = width < columns && (width < oldWidth || !isSafe || uncertain.test(old)) ? "\x1b[K" : "";
  return {
    column,
    bytes: `${bytes}${erased}`,
    endColumn: isSafe && width < columns ? width : -1,
  };
}

/** Characters that both rows start with. Never ends within a sequence, or near characters whose width is uncertain. */
function sameStart(old: string, row: string): number {
  const shorter = Math.min(old.length, row.length);
  let same = 0;
  while (same < shorter && old.charCodeAt(same) === row.charCodeAt(same)) same++;
  const start = row.slice(0, same);
  if (uncertain.test(start) || links.test(start) || combined.test(start)) return 0;
  // If the rows differ within an escape sequence, the change starts at the sequence.
  const escape = start.lastIndexOf("\x1b");
  if (escape >= 0 && !colour.test(start.slice(escape))) return escape;
  // A combining mark that follows may join the last equal character.
  const next = row.codePointAt(same) ?? 0x20;
  const oldNext = old.codePointAt(same) ?? 0x20;
  if (next < 0x300 && oldNext < 0x300) return same;
  return lastCharacterStart(start);
}

function lastCharacterStart(start: string): number {
  if (/[^ -~]/u.test(start.slice(-1)) || start.endsWith("m")) return 0;
  return Math.max(0, start.length - 1);
}

/** The styles that are still on after this text. */
function openStyles(text: string): string {
  if (!text.includes("\x1b")) return "";
  const open = new Map<string, string>();
  for (const [code] of text.matchAll(colours)) {
    const value = code.slice(2, -1);
    const end = endings[value];
    if (value === "" || value === "0") open.clear();
    else if (end) for (const kind of end) open.delete(kind);
    else open.set(kindOf(value), code);
  }
  return [...open.values()].join("");
}

/** Styles of the same kind replace each other. */
function kindOf(value: string): string {
  if (/^(?:3[0-7]|9[0-7]|38[;:][25][;:][\d;:]+)$/u.test(value)) return "colour";
  if (/^(?:4[0-7]|10[0-7]|48[;:][25][;:][\d;:]+)$/u.test(value)) return "background";
  return value;
}

/** Codes that end styles. */
const endings: Readonly<Record<string, readonly string[] | undefined>> = {
  22: ["1", "2"],
  23: ["3"],
  24: ["4"],
  27: ["7"],
  29: ["9"],
  39: ["colour"],
  49: ["background"],
};

/* oxlint-disable no-control-regex -- control characters are what this file is about */
const ascii = /^[ -~\x1b]*$/u;
const colour = /^\x1b\[[0-9;:]*m/u;
const colours = /\x1b\[[0-9;:]*m/gu;
/** Several styles in one code. */
const combined = /\x1b\[(?!38[;:]|48[;:])\d+;/u;
const links = /\x1b\]/u;
/** Marks, joiners, emoji, East Asian scripts. */
const uncertain =
  /[\u0300-\u036f]|[\u0600-\u1fff]|[\u200b-\u200f]|[\u20d0-\u20ff]|[\u2e80-\ud7ff]|[\ue000-\u{10ffff}]/u;
const sequences = /(\x1b\[[0-9;:]*m|\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\))/u;
const forbidden = /[\0-\x1a\x1c-\x1f\x7f-\x9f]/gu;

/**
 * Cuts a row that does not fit. The parts of the screen should never produce one, but a mistake must not destroy the
 * window.
 */
export function fittedRow(line: string, columns: number): string {
  const row = ascii.test(line) ? line : line.replaceAll(forbidden, (sign) => (sign === "\x07" ? sign : " "));
  if (row.length <= columns && ascii.test(row)) return row;
  if (textWidth(row) <= columns) return row;
  let fitted = "";
  let left = columns;
  for (const piece of row.split(sequences)) {
    if (piece.startsWith("\x1b")) {
      fitted += piece;
      continue;
    }
    for (const character of piece) {
      left -= characterWidth(character.codePointAt(0) ?? 0);
      if (left >= 0) fitted += character;
    }
  }
  return fitted;
}

/** Draws a caret into a row: the character at the column is inverse. */
export function withCaret(row: string, column: number): string {
  let width = 0;
  let drawn = "";
  let isDrawn = false;
  for (const piece of row.split(sequences)) {
    if (isDrawn || piece.startsWith("\x1b")) {
      drawn += piece;
      continue;
    }
    for (const segment of graphemes(piece)) {
      const own = textWidth(segment);
      const isHere: boolean = !isDrawn && width + own > column;
      drawn += isHere ? `\x1b[7m${segment}\x1b[27m` : segment;
      isDrawn ||= isHere;
      width += own;
    }
  }
  return isDrawn ? drawn : `${drawn}${" ".repeat(column - width)}\x1b[7m \x1b[27m`;
}
