import { oneLine } from "../../../base/text/text.ts";
import type { Place } from "./outcome.ts";

/** The lines that stretches of a text lie on. The stretches are in order. */
export function placesOf(text: string, stretches: Iterable<{ readonly start: number; readonly end: number }>): Place[] {
  const lineEnd = text.includes("\n") ? "\n" : "\r";
  const places: Place[] = [];
  let line = 1;
  let counted = 0;
  for (const { start, end } of stretches) {
    line += count(text.slice(counted, start), lineEnd);
    counted = start;
    const first = text.lastIndexOf(lineEnd, start - 1) + 1;
    // A stretch that ends with a line end lies on the line it ends.
    const lines = count(text.slice(start, Math.max(start, end - 1)), lineEnd);
    places.push({ line, lastLine: line + lines, text: shown(text, start === 0 ? 0 : first) });
  }
  return places;
}

function count(text: string, lineEnd: string): number {
  let lines = 0;
  for (let at = text.indexOf(lineEnd); at >= 0; at = text.indexOf(lineEnd, at + 1)) lines++;
  return lines;
}

function shown(text: string, lineStart: number): string {
  const line = /^[^\r\n]*/.exec(text.slice(lineStart, lineStart + 2 * mostChars))?.[0] ?? "";
  return oneLine(line, mostChars);
}

const mostChars = 160;
