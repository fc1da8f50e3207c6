/**
 * Normalises a word for comparison: lower case, without accents and other optional marks, in one Unicode form. Marks
 * that make a different letter (Thai, Hindi, kana) are kept. The result is one word: punctuation and spaces of
 * expanded letters are removed.
 */
export function foldWord(word: string): string {
  return smallLetters(foldMarks(word)).replace(separators, "");
}

const separators = /[\s!-/:-@[-`{-~]/gu;

/** Lower case; a Greek final sigma becomes a normal sigma. */
export function smallLetters(text: string): string {
  return text.toLowerCase().replaceAll("ς", "σ");
}

/** Like `foldWord`, but keeps upper case. */
export function foldMarks(text: string): string {
  if (!beyondAscii.test(text)) return text;
  return plainLetters.test(text) ? text.replace(changing, (letter) => changed.get(letter) ?? letter) : foldAll(text);
}

/** Letters that fold one by one: Latin, Cyrillic, kana, composed Chinese and Korean, and some punctuation. */
const plainLetters =
  // oxlint-disable-next-line no-control-regex
  /^[\u0000-\u024f\u0400-\u045f\u1e00-\u1eff\u2013\u2014\u2018-\u201e\u3001\u3002\u300c\u300d\u3041-\u3096\u30a1-\u30fa\u30fc\u4e00-\u9fff\uac00-\ud7a3]*$/u;
/** Characters that folding changes. */
const changing =
  /[\u00a0-\u024f\u0400\u0401\u0403\u0407\u040c-\u040e\u0419\u0439\u0450\u0451\u0453\u0457\u045c-\u045e\u1e00-\u1eff]/gu;

function foldAll(text: string): string {
  return text
    .normalize("NFD")
    .replace(leftOut, "")
    .normalize("NFKC")
    .replace(single, (letter) => spelledOut.get(letter) ?? letter);
}

// oxlint-disable-next-line no-control-regex
const beyondAscii = /[^\u0000-\u007f]/u;
/**
 * Marks to remove: accents; Hebrew points; Arabic vowels (including standalone ones), hamza on its carrier, tatweel,
 * honorific signs.
 */
const leftOut =
  /[\u0300-\u036f\u037a\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed\ufc5e-\ufc63\ufcf2-\ufcf4\ufdfa\ufdfb\ufe70-\ufe7f]/gu;
const single = /[ßẞæÆœŒøØłŁđĐðÐþÞıةى]/gu;
const spelledOut: ReadonlyMap<string, string> = new Map([
  ["ß", "ss"],
  ["ẞ", "SS"],
  ["æ", "ae"],
  ["Æ", "AE"],
  ["œ", "oe"],
  ["Œ", "OE"],
  ["ø", "o"],
  ["Ø", "O"],
  ["ł", "l"],
  ["Ł", "L"],
  ["đ", "d"],
  ["Đ", "D"],
  ["ð", "d"],
  ["Ð", "D"],
  ["þ", "th"],
  ["Þ", "TH"],
  ["ı", "i"],
  ["ة", "ه"],
  ["ى", "ي"],
]);

/** The replacement for each letter that `changing` matches. */
const changed: ReadonlyMap<string, string> = new Map(
  Array.from({ length: 0x1f00 }, (_, code) => String.fromCharCode(code))
    .join("")
    .matchAll(changing)
    .map(([letter]) => [letter, foldAll(letter)]),
);
