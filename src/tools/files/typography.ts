/**
 * Typographic characters and full-width signs, and their typed form. Edits and patches accept only these differences.
 * An em dash is typed as two hyphens, or as one if nothing fits with two.
 */
export function typedForm(sign: string, longDash: LongDash): string | undefined {
  const code = sign.charCodeAt(0);
  if (sign.length === 1 && code >= 0xff01 && code <= 0xff5e) return String.fromCharCode(code - 0xfee0);
  const typed = plain[sign];
  return typed === long ? longDash : typed;
}

export type LongDash = "-" | "--";

/** Returns the characters for a character class. */
export const typographicSigns =
  "\u02bc\u2010-\u2015\u2018-\u201f\u2024-\u2026\u2043\u2190\u2192\u2194\u21d2\u2212\u2260\u2264\u2265\ufe58\ufe63\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff5e";

export type SignKind = "quote" | "dash" | "blank" | "full-width" | "other";

/** The kind of a typographic character. */
export function signKind(sign: string): SignKind {
  if (/^[\u02bc\u2018-\u201f]$/.test(sign)) return "quote";
  if (/^[\u2010-\u2015\u2043\u2212\ufe58\ufe63]$/.test(sign)) return "dash";
  if (/^\p{Zs}+$/u.test(sign)) return "blank";
  return /^[\uff01-\uff5e]$/.test(sign) ? "full-width" : "other";
}

/** Returns a text with the typographic characters of some kinds in their typed form. */
export function typedText(text: string, kinds: ReadonlySet<SignKind>): string {
  return text.replace(anySign, (sign) => (kinds.has(signKind(sign)) ? (typedForm(sign, "--") ?? " ") : sign));
}

/** A pattern for every Unicode space except the plain one. */
export const unusualBlank = "[^\\P{Zs} ]";

const anySign = new RegExp(`[${typographicSigns}]|${unusualBlank}`, "gu");

/** A pattern for a letter with its marks, or a Korean syllable in parts. No real letter has this many marks. */
export const decomposed = "[^\\p{M}\\s]\\p{M}{1,30}|[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?";

/** Matches any non-ASCII character: a fast test for text without typographic characters. */
export function hasTypography(text: string): boolean {
  // The range covers all of ASCII, including control characters.
  return /[^\0-\x7f]/.test(text);
}

/** Names the first two characters that differ in two lines that look alike; undefined if both are plain. */
export function describeDifferentSign(inFile: string, given: string): string | undefined {
  const [theirs, mine] = [Array.from(inFile.trim()), Array.from(given.trim())];
  const index = theirs.findIndex((char, offset) => char !== mine[offset]);
  const [there, other] = [theirs[index] ?? "", mine[index] ?? ""];
  if (index < 0 || !hasTypography(there + other)) return undefined;
  return `${named(there)} in the file, ${named(other)} in yours`;
}

function named(char: string): string {
  if (char === "") return "nothing";
  if (!hasTypography(char)) return char === " " ? "a plain blank" : char;
  const code = `(U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")})`;
  return /[\p{C}\p{Z}]/u.test(char) ? `an invisible character ${code}` : `${char} ${code}`;
}

const long = "\u2014";

const plain: Readonly<Record<string, string>> = {
  "\u02bc": "'",
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
  "\u2024": ".",
  "\u2025": "..",
  "\u2026": "...",
  "\u2043": "-",
  "\u2190": "<-",
  "\u2192": "->",
  "\u2194": "<->",
  "\u21d2": "=>",
  "\u2212": "-",
  "\u2260": "!=",
  "\u2264": "<=",
  "\u2265": ">=",
  "\ufe58": long,
  "\ufe63": "-",
};
