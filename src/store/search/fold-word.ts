/**
 * A word as it is compared: small letters, without accents and other marks that people leave out, in one spelling of
 * what Unicode can write in several ways. Marks that make another letter in their script (Thai, Hindi, kana) stay.
 */
export function foldWord(word: string): string {
  return smallLetters(foldMarks(word));
}

/** The Greek letter that is written otherwise at the end of a word is the same letter. */
export function smallLetters(text: string): string {
  return text.toLowerCase().replaceAll("ς", "σ");
}

/** The same with capitals as they were. */
export function foldMarks(text: string): string {
  if (!beyondAscii.test(text)) return text;
  return usual.test(text) ? text.replace(changing, foldAll) : foldAll(text);
}

/** Letters of which each is folded for itself: Latin and Cyrillic, kana, Chinese and Korean in their usual form, some signs. */
const usual =
  // oxlint-disable-next-line no-control-regex
  /^[\u0000-\u024f\u0400-\u045f\u1e00-\u1eff\u2013\u2014\u2018-\u201e\u3001\u3002\u300c\u300d\u3041-\u3096\u30a1-\u30fa\u30fc\u4e00-\u9fff\uac00-\ud7a3]*$/u;
/** Those of them that folding changes. */
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
/** Accents; Hebrew points; Arabic vowels, hamza on its carrier and the line that stretches a word. */
const leftOut = /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed]/gu;
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
