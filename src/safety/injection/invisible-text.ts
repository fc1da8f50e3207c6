import type { Place } from "./finding.ts";

/**
 * Characters that only hide something: letters of the tag block, long runs of zero-width ones, Latin letters turned
 * around. Joiners in emoji and in Persian or Hindi words, flags, a byte order mark and soft hyphens are none of these.
 */
export function invisibleText(text: string): Place[] {
  if (!/[\u200b-\u200f\u202d\u202e\u2060-\u2064\ufeff\u{e0000}-\u{e01ef}]/u.test(text)) return [];
  return [...text.matchAll(hiding)].map(({ 0: run, index }) => ({ start: index, end: index + run.length }));
}

/** What the letters of the tag block say; an empty text without them. */
export function tagText(text: string): string {
  if (!/[\u{e0020}-\u{e007e}]/u.test(text)) return "";
  return Array.from(text)
    .map((char) => char.codePointAt(0) ?? 0)
    .filter((code) => code >= 0xe0020 && code < 0xe007f)
    .map((code) => String.fromCodePoint(code - 0xe0000))
    .join("");
}

/* oxlint-disable no-misleading-character-class -- each of these characters is meant by itself */
const hiding =
  /(?<![\u{1f3f4}\u{e0020}-\u{e007f}])[\u{e0001}\u{e0020}-\u{e007f}]{3,}|[\u200b-\u200f\u2060-\u2064\ufeff]{5,}|[\u{e0100}-\u{e01ef}]{4,}|[\u202d\u202e][^\n]{0,200}?[A-Za-z]{3}/gu;
