import { fold } from "../edit/fold.ts";
import { decomposed, hasTypography, type LongDash, unusualBlank, typedForm, typographicSigns } from "../typography.ts";

/**
 * How far the lines of a hunk may be from those of the file, nearest first. Nothing here joins, splits or changes a word:
 * - `exact`
 * - `line ends`: blanks at the end of a line do not count
 * - `look-alikes`: typographic signs and blanks count as the plain ones, letters in parts as whole ones, too
 * - `long dashes`: the same with two plain dashes for a long one
 * - `indentation`: indentation does not count either; hunks use it only for context lines that lack the blank before them
 * - `white space`, `both`: what edits bridge; see `edit/fold.ts`
 */
export type LineDrift = "exact" | "line ends" | "look-alikes" | "long dashes" | "indentation" | "white space" | "both";

export const drifts: readonly LineDrift[] = [
  "exact",
  "line ends",
  "look-alikes",
  "long dashes",
  "indentation",
  "white space",
  "both",
];

/** Returns a normalised line. Lines that are equal at this level of deviation have equal results. */
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
    case "white space":
      return fold(text, { whitespace: true, punctuation: false }).text;
    case "both":
      return fold(text, { whitespace: true, punctuation: true }).text;
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

export function driftNote(drift: Exclude<LineDrift, "exact">): string {
  switch (drift) {
    case "line ends":
      return "blanks at line ends differ";
    case "look-alikes":
    case "long dashes":
      return "typographic quotes, dashes or blanks differ";
    case "indentation":
      return "context lines lack the blank that marks them";
    case "white space":
      return "white space differs";
    case "both":
      return "white space and typographic signs differ";
  }
}
