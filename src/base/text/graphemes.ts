import { once } from "../async/once.ts";
import { characterWidth, clustersOf, clusterWidth } from "./text-width.ts";

/** The user-visible characters of a text: a letter with its combining marks, or a joined emoji, is one character. */
export function graphemes(text: string): readonly string[] {
  if (simple.test(text)) return text.split("");
  return Array.from(segmenter().segment(text), ({ segment }) => segment);
}

/** The end of the character that starts at or contains `offset`. */
export function nextGrapheme(text: string, offset: number): number {
  if (offset >= text.length) return text.length;
  if (isSingle(text.charCodeAt(offset)) && isSingle(text.charCodeAt(offset + 1))) return offset + 1;
  const { start, line } = lineAround(text, offset);
  const part = segmenter()
    .segment(line)
    .containing(offset - start);
  return part ? start + part.index + part.segment.length : offset + 1;
}

/** The start of the character before `offset`. */
export function previousGrapheme(text: string, offset: number): number {
  if (offset <= 0) return 0;
  if (isSingle(text.charCodeAt(offset - 1)) && isSingle(text.charCodeAt(offset - 2))) return offset - 1;
  const { start, line } = lineAround(text, offset - 1);
  return (
    start +
    (segmenter()
      .segment(line)
      .containing(offset - 1 - start)?.index ?? 0)
  );
}

/** The end of the character around `offset`, or `offset` if it lies between two of them. */
export function graphemeBoundary(text: string, offset: number): number {
  if (offset <= 0) return 0;
  if (offset >= text.length) return text.length;
  if (isSingle(text.charCodeAt(offset)) && isSingle(text.charCodeAt(offset - 1))) return offset;
  const { start, line } = lineAround(text, offset);
  const part = segmenter()
    .segment(line)
    .containing(offset - start);
  return !part || start + part.index === offset ? offset : start + part.index + part.segment.length;
}

/** Terminal columns of one character. */
export function graphemeWidth(grapheme: string): number {
  if (grapheme.length === 1) return characterWidth(grapheme.charCodeAt(0));
  return clustersOf(grapheme).reduce((sum, cluster) => sum + clusterWidth(cluster), 0);
}

/** In a long line, only this many units around the offset are examined: a user-visible character is shorter. */
const maxAround = 512;

function lineAround(text: string, offset: number): { readonly start: number; readonly line: string } {
  if (text[offset] === "\n") return { start: offset, line: "\n" };
  let start = text.lastIndexOf("\n", offset) + 1;
  let end = text.indexOf("\n", offset);
  if (end < 0) end = text.length;
  if (offset - start > maxAround) {
    start = offset - maxAround;
    // Finds a certain boundary: between two plain letters.
    while (start < offset && !(isSingle(text.charCodeAt(start)) && isSingle(text.charCodeAt(start - 1)))) start++;
    if (start >= offset) start = text.lastIndexOf("\n", offset) + 1;
  }
  return { start, line: text.slice(start, Math.max(Math.min(end, offset + maxAround), offset + 1)) };
}

const simple = /^[\n -~]*$/u;

/**
 * An ASCII character never joins the character on its left, and joins the one on its right only if that is not ASCII.
 */
function isSingle(code: number): boolean {
  // NaN, for an offset outside the text, counts as a single character too.
  return !(code >= 0x80);
}

const segmenter = once(() => new Intl.Segmenter("en", { granularity: "grapheme" }));
