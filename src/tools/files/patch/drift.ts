import { decomposed, hasTypography, type LongDash, unusualBlank, typedForm, typographicSigns } from "../typography.ts";

/**
 * How far the lines of a hunk may be from those of the file, nearest first. Nothing here joins, splits or changes a word:
 * - `exact`
 * - `line ends`: blanks at the end of a line do not count
 * - `look-alikes`: typographic signs and blanks count as the plain ones, letters in parts as whole ones, too
 * - `long dashes`: the same with two plain dashes for a long one
 * - `indentation`: indentation does not count either; hunks use it only for context lines that lack the blank before them
 */
export type LineDrift = "exact" | "line ends" | "look-alikes" | "long dashes" | "indentation";

export const drifts: readonly LineDrift[] = ["exact", "line ends", "look-alikes", "long dashes", "indentation"];

/** Lines that are equal at this distance have equal folds. */
export function foldLine(text: string, drift: LineDrift): string {
  switch (drift) {
    case "exact":
      return text;
    case "line ends":
      return text.trimEnd();
    case "look-alikes":
      return plain(text, "-").trimEnd();
    case "long dashes":
      return plain(text, "--").trimEnd();
    case "indentation":
      return plain(text, "-").trim();
  }
}

function plain(text: string, longDash: LongDash): string {
  if (!hasTypography(text)) return text;
  return text.replace(lookAlike, (result) => {
    const sign = typedForm(result, longDash);
    if (sign !== undefined) return sign;
    return result.trim() === "" ? " " : result.normalize("NFC");
  });
}

const lookAlike = new RegExp(`[${typographicSigns}]|${unusualBlank}|${decomposed}`, "gu");

/** The plain signs and whole letters of `text` that are typographic or in parts in a line that looks the same. */
export function replacedSigns(text: string, inFile: string): readonly string[] {
  const [mine, theirs] = [text.trim(), inFile.trim()];
  const pieces = new Set(["...", ...(mine.match(/['"-]|(?!\p{ASCII})\p{L}/gu) ?? [])]);
  return [...pieces].filter((piece) => countOf(piece, mine) > countOf(piece, theirs));
}

function countOf(sign: string, text: string): number {
  return text.split(sign).length - 1;
}

export function driftNote(drift: Exclude<LineDrift, "exact">): string {
  switch (drift) {
    case "line ends":
      return "blanks at line ends differ";
    case "look-alikes":
    case "long dashes":
      return "typographic quotes, dashes or blanks differ";
    case "indentation":
      return "context lines lack the blank that marks them";
  }
}
