/** Which signs of its kind a text shows anywhere in it: a skill, JSON, HTML, a log, code, quotes, a question, a script. */
export function signsIn(text: string): number[] {
  const read = text.length > enough ? text.slice(0, enough) : text;
  return signs.flatMap((sign, index) => (sign.test(read) ? [index] : []));
}

/** A long text shows what it is at its beginning. */
const enough = 8_000;

/** Weights know these by their order. */
const signs: readonly RegExp[] = [
  /^---\n/u,
  /^\s*[{[]/u,
  /<!--/u,
  /<\/?[a-z]+[ >]/iu,
  /\d\d:\d\d:\d\d/u,
  /["“„«「]/u,
  /`/u,
  /\?/u,
  /!/u,
  /^#/mu,
  /^[-*] /mu,
  /\bassert|expect\(|test_/u,
  /https?:/u,
  /[\u0080-\u{10ffff}]/u,
  /[\u4e00-\u9fff]/u,
  /[\u0400-\u04ff]/u,
  /[\u0600-\u06ff]/u,
  /\$\{?[A-Z_]+/u,
  /~\/|\/etc\//u,
  /\b[Yy]ou\b/u,
  /^[A-Z][\w -]{1,40}: /mu,
  /[\u200b-\u200f\u2060]/u,
  /\b(?:I|we|our|my)\b/u,
  /[A-Za-z0-9+/]{24}/u,
  /\n/u,
];
