import type { Hunk, HunkLine } from "./patch.ts";
import type { PatchLine } from "./unwrap.ts";

/** Parses the lines of a hunk. The note about a missing last line end belongs to the line above it. */
export function hunkLines(given: readonly PatchLine[]): readonly HunkLine[] {
  const lines: HunkLine[] = [];
  for (const line of given) {
    const last = lines.at(-1);
    if (!/^\\ ./u.test(line.text)) lines.push(readHunkLine(line));
    else if (last) lines[lines.length - 1] = { ...last, isUnended: true };
  }
  return lines;
}

function readHunkLine({ text, number }: PatchLine): HunkLine {
  const [op = ""] = text;
  if (op === " " || op === "-" || op === "+") return { op, text: text.slice(1), line: number };
  return { op: " ", text, line: number, ...(text !== "" && { isUnmarked: true }) };
}

/** Returns the hunk without the line numbers that every line begins with: `12|text`, `12<tab>text`. Undefined if there are none. */
export function withoutLineNumbers(hunk: Hunk): Hunk | undefined {
  const numbers = hunk.lines.map(({ text }) => /^\s*(\d{1,7})(?:\t|\|)/u.exec(text));
  const first = Number(numbers[0]?.[1]);
  let next = first;
  for (const [index, { op }] of hunk.lines.entries()) {
    const number = numbers[index];
    if (!number || (op !== "+" && Number(number[1]) !== next++)) return undefined;
  }
  return {
    ...hunk,
    lines: hunk.lines.map((line, index) => ({ ...line, text: line.text.slice(numbers[index]?.[0].length) })),
    statedStart: first - 1,
  };
}

/** Returns the texts after `@@` that refer to lines of the file. Numbers and dots do not. */
export function hintIn(marker: string): string | undefined {
  if (lineNumbers.test(marker)) return undefined;
  const hint = marker
    .trimEnd()
    .replace(/^@@\s?/u, "")
    .replace(/(?:^|\s)@@$/u, "")
    .trimEnd();
  return /^[\s.…]*$/u.test(hint) ? undefined : hint;
}

/** Matches the header of a hunk in a unified diff. */
export const lineNumbers = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))?(?: @@|\s*$)/u;
