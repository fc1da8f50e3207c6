import type { TextRange } from "./finding.ts";

/**
 * Finds characters whose only purpose is to hide text: letters of the tag block, sequences of zero-width characters,
 * letters separated by them, reversed Latin letters, words that mix two alphabets. Accepts joiners in emoji and in
 * Persian or Hindi words, flags, a byte order mark, soft hyphens, and characters that their line explains.
 */
export function invisibleText(text: string): TextRange[] {
  if (!/[\u0370-\u052f\u200b-\u200f\u202d\u202e\u2060-\u2064\ufeff\u{e0000}-\u{e01ef}]/u.test(text)) return [];
  const places = (shapes: readonly RegExp[]) =>
    shapes
      .flatMap((shape) => [...text.matchAll(shape)])
      .map(({ 0: run, index }) => ({ start: index, end: index + run.length }));
  // All positions on one line, which may be long, share the cached result.
  let line = { start: 0, end: -1, isExplained: false };
  const isExplained = ({ start, end }: TextRange) => {
    if (start < line.start || end > line.end) {
      const lineStart = text.lastIndexOf("\n", start) + 1;
      const next = text.indexOf("\n", end);
      const lineEnd = next === -1 ? text.length : next;
      line = { start: lineStart, end: lineEnd, isExplained: explains.test(text.slice(lineStart, lineEnd)) };
    }
    return line.isExplained;
  };
  const shapes = hiding.filter(({ needs }) => needs.test(text)).map(({ shape }) => shape);
  return [...places(tagged), ...places(shapes).filter((place) => !isExplained(place))];
}

/** Returns the text that letters of the tag block spell. Empty if there are none. */
export function tagText(text: string): string {
  if (!/[\u{e0020}-\u{e007e}]/u.test(text)) return "";
  return Array.from(text)
    .map((char) => char.codePointAt(0) ?? 0)
    .filter((code) => code >= 0xe0020 && code < 0xe007f)
    .map((code) => String.fromCodePoint(code - 0xe0000))
    .join("");
}

const explains =
  /zero.?width|\bzws?n?j\b|\bzwsp\b|\bu\+[\da-f]{4}|\bbidi|trojan source|right-to-left|homoglyph|cyrillic/iu;

/* oxlint-disable no-misleading-character-class -- each of these characters is matched by itself */
const tagged: readonly RegExp[] = [
  /(?<![\u{1f3f4}\u{e0020}-\u{e007f}])[\u{e0001}\u{e0020}-\u{e007f}]{3,}|[\u{e0100}-\u{e01ef}]{4,}/gu,
  /[\u200b-\u200f\u2060-\u2064\ufeff]{5,}/gu,
];

const zero = String.raw`[\u200b-\u200d\u2060-\u2064\ufeff]`;
/** Letters of scripts that never need a zero-width character between them. */
const letter = String.raw`[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]`;
const other = String.raw`[\p{Script=Cyrillic}\p{Script=Greek}]`;
const mixedWord = String.raw`\p{L}{0,30}(?:[a-z]{2,30}${other}|${other}[a-z]{2,30}|${other}[a-z]${other}|[a-z]${other}[a-z])\p{L}{0,30}`;

/** Each pattern takes long to match, so it is skipped if the text lacks the characters in `needs`. */
const hiding: readonly { readonly needs: RegExp; readonly shape: RegExp }[] = [
  { needs: /[\u202d\u202e\u2061-\u2064]/u, shape: /[\u202d\u202e][^\n]{0,200}?[A-Za-z]{3}|[\u2061-\u2064]{2,}/gu },
  {
    needs: new RegExp(`(?<=[\\s.!?,:]|${letter})${zero}`, "u"),
    shape: new RegExp(
      `(?:${letter}${zero}){4,}|${letter}${zero}{2,}|[.!?,:]${zero}+ ?${letter}{2}|\\s${zero}+${letter}{2}`,
      "gu",
    ),
  },
  {
    needs: new RegExp(`(?<=${letter})${zero}(?=${letter})`, "u"),
    shape: new RegExp(
      `(?:\\S{0,30}${letter}${zero}${letter}\\S{0,30}\\s[^\\n]{0,60}?){2}${letter}${zero}${letter}`,
      "gu",
    ),
  },
  {
    needs: new RegExp(`(?<=[a-z])${other}|${other}(?=[a-z])`, "iu"),
    shape: new RegExp(`(?<!\\p{L})${mixedWord}(?!\\p{L})[^\\n]{0,80}?(?<!\\p{L})${mixedWord}`, "giu"),
  },
];
