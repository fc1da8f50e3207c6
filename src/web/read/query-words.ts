/** A question as words to look for. */
export interface PageQuery {
  /** Each word with its weight. */
  readonly terms: ReadonlyMap<string, number>;
  /** Adjacent words, as `first second`. */
  readonly pairs: ReadonlySet<string>;
  /** Texts in quotes or backticks, in lower case. */
  readonly phrases: readonly string[];
  /** True if the answer is probably a number or a date. */
  readonly wantsNumber: boolean;
}

export function queryOf(question: string): PageQuery {
  const words = queryWords(question.slice(0, maxQuestionChars));
  const useful = words.filter((word) => !isStopWord(word));
  const kept = useful.length === 0 ? words : useful;
  const terms = new Map<string, number>();
  for (const word of kept) terms.set(word, /\d/u.test(word) ? 1.8 : /[_:.]/u.test(word) ? 1.6 : 1);
  const pairs = new Set(kept.slice(1).map((word, index) => `${kept[index] ?? ""} ${word}`));
  const phrases = Array.from(question.matchAll(/["“«`]([^"”»`\n]{3,120})["”»`]/gu), ([, phrase = ""]) =>
    phrase.toLowerCase(),
  );
  const wantsNumber =
    /\b(?:how (?:many|much|long|old|often|far|big|large)|when|what (?:year|date|time|version|number|size|port|price)|which (?:year|version))\b/iu.test(
      question,
    );
  return { terms, pairs, phrases, wantsNumber };
}

/**
 * Words in lower case without their endings. Code names are used whole and in parts; languages without spaces are split
 * into pairs of characters.
 */
export function queryWords(text: string): readonly string[] {
  const words: string[] = [];
  for (const [token] of text
    .normalize("NFKC")
    .toLowerCase()
    .matchAll(/[\p{L}\p{N}][\p{L}\p{M}\p{N}_]*(?:(?:::|[.])[\p{L}\p{N}_]+)*/gu)) {
    if (/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]/u.test(token)) {
      const characters = Array.from(token);
      if (characters.length === 1) words.push(token);
      for (let index = 1; index < characters.length; index++)
        words.push(`${characters[index - 1] ?? ""}${characters[index] ?? ""}`);
      continue;
    }
    words.push(stem(token));
    if (/[_:.]/u.test(token) && !/^[\d.]+$/u.test(token))
      for (const part of token.split(/[_:.]+/u)) if (part.length > 1) words.push(stem(part));
  }
  return words;
}

/** The common stem of singular and plural, present and past. */
function stem(word: string): string {
  if (word.length < 4 || /[\d_:.]/u.test(word)) return word;
  let base = word.replace(/'s$|’s$/u, "");
  if (base.endsWith("ies") && base.length > 4) base = `${base.slice(0, -3)}y`;
  else if (/(?:ss|x|ch|sh|z)es$/u.test(base)) base = base.slice(0, -2);
  else if (/[^su]s$/u.test(base)) base = base.slice(0, -1);
  if (base.endsWith("ing") && base.length > 5) base = undoubled(base.slice(0, -3));
  else if (base.endsWith("ed") && base.length > 4) base = undoubled(base.slice(0, -2));
  if (base.endsWith("e") && base.length > 4) base = base.slice(0, -1);
  return base;
}

function undoubled(word: string): string {
  return /([bdfgmnprt])\1$/u.test(word) ? word.slice(0, -1) : word;
}

export function isStopWord(word: string): boolean {
  return stopWords.has(word);
}

const stopWords: ReadonlySet<string> = new Set(
  "a about after all also an and any are as at be been before being between both but by can could did do doe does during each for from get had ha has have how i if in into is it it's its just like list many me more most much my no not of off on one only or other our out over page same say should show so some such tell than that the their them then there these they thi this those through to too under up use us using very wa was we were what when where which while who why will with would you your der die das und ist ein eine wie was wo le la les des et est un une que qui el los las es del en".split(
    " ",
  ),
);
const maxQuestionChars = 2000;
