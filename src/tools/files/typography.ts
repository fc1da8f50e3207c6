/**
 * Typographic characters and their typed form. Edits and patches bridge these and no others. An em dash is typed as two
 * hyphens; in patch lines, where the context is longer, also as one.
 */
export function typedForm(sign: string, longDash: LongDash): string | undefined {
  const typed = plain[sign];
  return typed === long ? longDash : typed;
}

export type LongDash = "-" | "--";

/** For a character class. */
export const typographicSigns = "\u2010-\u2015\u2018-\u201f\u2026\u2212";

/** Every blank of Unicode but the plain one, for a pattern. */
export const unusualBlank = "[^\\P{Zs} ]";

/** A letter with its marks, and a Korean syllable in parts, for a pattern. No letter has so many marks by right. */
export const decomposed = "[^\\p{M}\\s]\\p{M}{1,30}|[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?";

/** Any non-ASCII character: a quick test for text without typographic characters. */
export function hasTypography(text: string): boolean {
  // The range is the whole of ASCII, control characters too.
  // oxlint-disable-next-line no-control-regex
  return /[^\0-\x7f]/.test(text);
}

const long = "\u2014";

const plain: Readonly<Record<string, string>> = {
  "\u2010": "-",
  "\u2011": "-",
  "\u2012": "-",
  "\u2013": "-",
  "\u2014": long,
  "\u2015": long,
  "\u2018": "'",
  "\u2019": "'",
  "\u201a": "'",
  "\u201b": "'",
  "\u201c": '"',
  "\u201d": '"',
  "\u201e": '"',
  "\u201f": '"',
  "\u2026": "...",
  "\u2212": "-",
};
