import { cut } from "../../../base/text/text.ts";

/** A syntax error: the first invalid character and the reason. */
export interface TextFault {
  readonly at: number;
  readonly why: string;
}

/** Returns line and column of a character, both starting at 1, and the line with a mark below that character. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
  readonly shown: string;
}

export function placeIn(text: string, index: number): TextPlace {
  const start = text.lastIndexOf("\n", index - 1) + 1;
  let line = 1;
  for (let end = text.indexOf("\n"); end >= 0 && end < start; end = text.indexOf("\n", end + 1)) line++;
  const end = text.indexOf("\n", start);
  // Shows only the part around the fault if the line is very long.
  const from = index - start > maxCharsBefore ? index - maxCharsBefore : start;
  const shown = cut(text.slice(from, end < 0 ? undefined : end), maxShown).replace(/[\r\t]/gu, " ");
  const margin = `${line}|`;
  const marked = `${margin}${shown}\n${" ".repeat(margin.length + index - from)}^`;
  return {
    line,
    column: index - start + 1,
    shown: shown.trim() === "" ? lineBefore(text, start, line) + marked : marked,
  };
}

/** Shows the previous line too, because a blank line often means that something above it was not closed. */
function lineBefore(text: string, start: number, line: number): string {
  if (line === 1) return "";
  const from = text.lastIndexOf("\n", start - 2) + 1;
  return `${line - 1}|${cut(text.slice(from, start - 1), maxShown).replace(/[\r\t]/gu, " ")}\n`;
}

const maxCharsBefore = 100;
const maxShown = 200;
