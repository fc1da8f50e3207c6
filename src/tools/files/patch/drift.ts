/**
 * How far the lines of a hunk may be from those of the file, nearest first. Nothing here joins, splits or changes a word:
 * - `exact`
 * - `line ends`: blanks at the end of a line do not count
 * - `look-alikes`: typographic quotes, dashes and blanks count as the plain ones, too
 * - `indentation`: indentation does not count either; hunks use it only for context lines that lack the blank before them
 */
export type Drift = "exact" | "line ends" | "look-alikes" | "indentation";

export const drifts: readonly Drift[] = ["exact", "line ends", "look-alikes", "indentation"];

/** Lines that are equal at this distance have equal folds. */
export function fold(text: string, drift: Drift): string {
  switch (drift) {
    case "exact":
      return text;
    case "line ends":
      return text.trimEnd();
    case "look-alikes":
      return plain(text).trimEnd();
    case "indentation":
      return plain(text).trim();
  }
}

function plain(text: string): string {
  // oxlint-disable-next-line no-control-regex -- a quick test for text that is plain already
  if (/^[\u0000-\u007f]*$/u.test(text)) return text;
  return text
    .replace(/[\u2010-\u2015\u2212]/gu, "-")
    .replace(/[\u2018-\u201b]/gu, "'")
    .replace(/[\u201c-\u201f]/gu, '"')
    .replace(/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/gu, " ");
}

/** The plain quotes and dashes of `text` that are typographic in a line that looks the same. */
export function replacedSigns(text: string, inFile: string): readonly string[] {
  const [mine, theirs] = [text.trim(), inFile.trim()];
  return [...new Set(mine)].filter((sign) => `'"-`.includes(sign) && countOf(sign, mine) > countOf(sign, theirs));
}

function countOf(sign: string, text: string): number {
  return text.split(sign).length - 1;
}

/** What was not exact, for the report. */
export function driftNote(drift: Exclude<Drift, "exact">): string {
  switch (drift) {
    case "line ends":
      return "blanks at line ends differ";
    case "look-alikes":
      return "typographic quotes, dashes or blanks differ";
    case "indentation":
      return "context lines lack the blank that marks them";
  }
}
