import { decomposed, hasTypography, type LongDash, unusualBlank, typedForm, typographicSigns } from "../typography.ts";

/** The differences that normalising ignores. Line ends are always ignored. */
export interface FoldKinds {
  readonly whitespace: boolean;
  readonly punctuation: boolean;
  /** The typed form of an em dash; two hyphens if undefined. */
  readonly longDash?: LongDash;
}

/** A normalised text for comparison, with a mapping back to the original. */
export interface Folded {
  readonly text: string;
  /** Returns the range in the original of one character of `text`: from, to. */
  unit(index: number): readonly [number, number];
  /** Returns false inside a character of the original that became several, such as the second dot of "…". */
  isBoundary(index: number): boolean;
}

/**
 * Normalises line ends to "\n". With `punctuation`: typographic quotes, dashes, ellipsis and spaces become ASCII, and
 * decomposed letters are composed. With `whitespace`: indentation and trailing spaces are removed, and other sequences
 * of spaces become one space.
 */
export function fold(text: string, kinds: FoldKinds): Folded {
  const position: number[] = [];
  const until: number[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  let shift = 0;
  const folded = text.replace(patternFor(text, kinds), (result: string, offset: number) => {
    const piece = pieceFor(result, offset, text, kinds);
    position.push(offset + shift);
    until.push(offset + shift + piece.length);
    starts.push(offset);
    ends.push(offset + result.length);
    shift += piece.length - result.length;
    return piece;
  });

  /** Returns the last replaced piece that starts at or before `index`, or -1. */
  function pieceBefore(index: number): number {
    let low = 0;
    let high = position.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((position[middle] ?? 0) <= index) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  return {
    text: folded,
    unit(index) {
      const piece = pieceBefore(index);
      if (piece < 0) return [index, index + 1];
      const pieceEnd = until[piece] ?? 0;
      const end = ends[piece] ?? 0;
      if (index < pieceEnd) return [starts[piece] ?? 0, end];
      return [end + index - pieceEnd, end + index - pieceEnd + 1];
    },
    isBoundary(index) {
      const piece = pieceBefore(index);
      return piece < 0 || index === position[piece] || index >= (until[piece] ?? 0);
    },
  };
}

export function isBlank(text: string): boolean {
  return !/[^ \t\f\v\p{Zs}]/u.test(text);
}

export function indentOf(line: string): string {
  return /^[ \t\f\v\p{Zs}]*/u.exec(line)?.[0] ?? "";
}

/** Width of the indentation in columns. */
export function depthOf(line: string): number {
  let depth = 0;
  for (const char of indentOf(line)) depth += char === "\t" ? tabWidth : 1;
  return depth;
}

const tabWidth = 8;
const blank = "[ \\t\\f\\v\\p{Zs}]";
const whitespace = `(?<![^\\r\\n])${blank}+|${blank}+(?=[\\r\\n]|$)|${blank}{2,}|[\\t\\f\\v]|${unusualBlank}`;
/** The pattern is compiled once, because normalising a few characters should be fast. */
const patterns: readonly RegExp[] = Array.from({ length: 16 }, (_, index) => {
  const parts = [index & 1 ? "\\r" : "\\r\\n"];
  if (index & 2) parts.push(whitespace);
  if (index & 4) parts.push(`[${typographicSigns}]`, unusualBlank);
  if (index & 8) parts.push(decomposed);
  return new RegExp(parts.join("|"), "gu");
});

function patternFor(text: string, kinds: FoldKinds): RegExp {
  // A file without "\n" may use "\r" as its line end.
  const macLineEnds = text.includes("\n") ? 0 : 1;
  const punctuation = kinds.punctuation && hasTypography(text);
  const isDecomposed = punctuation && /[\p{M}\u1100-\u1112]/u.test(text);
  const index = macLineEnds + (kinds.whitespace ? 2 : 0) + (punctuation ? 4 : 0) + (isDecomposed ? 8 : 0);
  return patterns[index] ?? /\r\n/gu;
}

function pieceFor(result: string, offset: number, text: string, { whitespace, longDash = "--" }: FoldKinds): string {
  if (result.startsWith("\r")) return "\n";
  const plain = typedForm(result, longDash);
  if (plain !== undefined) return plain;
  if (!isBlank(result)) return result.normalize("NFC");
  const atEdge = isLineEdge(text[offset - 1]) || isLineEdge(text[offset + result.length]);
  return whitespace && atEdge ? "" : " ";
}

function isLineEdge(char: string | undefined): boolean {
  return char === undefined || char === "\n" || char === "\r";
}
