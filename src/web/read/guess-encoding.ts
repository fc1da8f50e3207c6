import { isUtf8 } from "node:buffer";

import { valueOr } from "../../base/result.ts";

/** The most probable encoding of bytes without a declaration, or with a wrong one. */
export function guessEncoding(bytes: Uint8Array): string {
  const wide = wideEncoding(bytes.subarray(0, 4096));
  if (wide !== undefined) return wide;
  if (isUtf8(bytes)) return escapes(bytes) ? "iso-2022-jp" : "utf-8";
  const sample = wholeCharacters(bytes.subarray(0, maxSampleBytes));
  const lines = sample.subarray(0, sample.lastIndexOf(0x0a) + 1);
  if (isUtf8(lines) && lines.some((byte) => byte > 0x7f)) return "utf-8";
  let best = { encoding: "windows-1252", score: 0 };
  for (const [encoding, score] of scorers) {
    const text = valueOr(() => new TextDecoder(encoding, { fatal: true }).decode(sample), undefined);
    const value = text === undefined ? -1 : averageScore(text, latinScorers.has(encoding) ? score : amongOthers(score));
    if (value > best.score) best = { encoding, score: value };
  }
  return best.encoding;
}

/** ISO-2022-JP is ASCII with escape sequences. */
function escapes(bytes: Uint8Array): boolean {
  const index = bytes.indexOf(0x1b);
  return index >= 0 && bytes[index + 1] === 0x24 && (bytes[index + 2] === 0x42 || bytes[index + 2] === 0x40);
}

/** UTF-16 without a mark: Latin text has a NUL in every other byte. */
function wideEncoding(bytes: Uint8Array): string | undefined {
  let even = 0;
  let odd = 0;
  for (let index = 0; index < bytes.length; index++) {
    if (bytes[index] !== 0) continue;
    if (index % 2 === 0) even++;
    else odd++;
  }
  const many = bytes.length / 5;
  if (odd > many && even * 10 < odd) return "utf-16le";
  return even > many && odd * 10 < even ? "utf-16be" : undefined;
}

/** Ends after an ASCII byte, so that no character is cut. */
function wholeCharacters(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  while (end > 0 && (bytes[end - 1] ?? 0) > 0x3f) end--;
  return end === 0 ? bytes : bytes.subarray(0, end);
}

function averageScore(text: string, score: Scorer): number {
  let sum = 0;
  let count = 0;
  let before = "";
  for (const char of text) {
    if (char > "\u007f") {
      sum += score(char, before);
      count++;
    }
    before = char;
  }
  return count === 0 ? 0 : sum / count;
}

/** How typical a character is for texts in an encoding, given the previous one. At most 1 on average. */
type Scorer = (char: string, before: string) => number;

/** Letters of another script do not occur between Latin ones. */
function amongOthers(score: Scorer): Scorer {
  return (char, before) => (/[a-z]/iu.test(before) ? -1 : score(char, before));
}

function isBetween(char: string, first: string, last: string): boolean {
  return char >= first && char <= last;
}

const isKana = (char: string) => isBetween(char, "\u3040", "\u30ff");
const isHan = (char: string) => isBetween(char, "\u4e00", "\u9fff");
const isHangul = (char: string) => isBetween(char, "\uac00", "\ud7a3");
const isWideMark = (char: string) => isBetween(char, "\u3000", "\u303f") || isBetween(char, "\uff01", "\uff5e");

const japanese: Scorer = (char) => {
  if (isKana(char)) return 1.2;
  if (isHan(char) || isWideMark(char)) return 0.7;
  return isBetween(char, "\uff61", "\uff9f") ? -0.6 : -0.3;
};

/** The most used characters of Chinese texts, old and new forms. */
const frequentHan = new Set(
  "的一是不了在人有我他这這个個们們中来來上大为為和国國地到以说說时時要就出会會可也你对對生能而子那得于於着著下自之年过過发發后後作里用道行所然家种種事成方多经經么麼去法学學如都同现現当當没沒动動面起看定天分还還进進好小部其些主样樣理心她本前开開但因只从從想实實日军軍者意无無力它与與长長把机機十民第公此已工使情明性知全三又关關点點正业業外将將两兩高间間由问問很最重并並物手应應战戰向头頭文体體政美相见見被利什二等产產或新己制身果加西斯月话話合回特代内內信表化老给給世位次度门門任常先海通教儿兒东東声聲提立及比员員解水名真论論处處走义義各入几幾口认認条條平系气氣题題活尔爾更别別打女变變四神总總何电電数數安少报報才结結反受目太量再感建务務做接必场場件计計管期市直德资資命山金指克许許统統区區保至队隊形社便空决決治展马馬科司五基眼书書非则則听聽白却卻界达達光放强強即像难難且权權思王象完设設式色路记記南品住告类類求据據程北边邊死张張该該交规規万萬取拉格望觉覺术術领領共确確传傳师師观觀清今切院让讓识識候带帶导導争爭运運",
);
const chinese: Scorer = (char) => {
  if (isHan(char)) return frequentHan.has(char) ? 1.6 : 0.45;
  return isWideMark(char) ? 0.9 : -0.5;
};
const korean: Scorer = (char) => {
  if (isHangul(char)) return 1.05;
  return isHan(char) ? 0.2 : isWideMark(char) ? 0.5 : -0.5;
};
/** Lower case is frequent, capitals occur at the beginning of words. */
const cyrillic: Scorer = (char, before) => {
  if (isBetween(char, "\u0430", "\u044f") || char === "ё") return 0.95;
  if (isBetween(char, "\u0410", "\u042f")) return isBetween(before, "\u0430", "\u044f") ? -1.2 : 0.6;
  return /[«»—–“”„№’…\u00a0]/u.test(char) ? 0.4 : -0.6;
};
/** Accented letters occur between plain ones. */
const latin: Scorer = (char, before) => {
  if (/[àâäáãåæçéèêëíîïìñóôöòõøœúûüùýÿßÀÂÄÁÃÅÆÇÉÈÊËÍÎÏÌÑÓÔÖÒÕØŒÚÛÜÙÝ]/u.test(char))
    return /[a-z ]/iu.test(before) ? 0.8 : 0.1;
  return /[‘’“”„–—…•€£©®°·«»\u00a0¿¡§™½]/u.test(char) ? 0.6 : -0.3;
};
const centralEuropean: Scorer = (char, before) => {
  if (/[ąćęłńóśźżáčďéěíňřšťúůýžőűöüäôĺľŕîşţăâđ]/iu.test(char)) return /[a-z ]/iu.test(before) ? 0.75 : 0.1;
  return /[‘’“”„–—…•€©®°«»\u00a0]/u.test(char) ? 0.5 : -0.4;
};
const greek: Scorer = (char) =>
  isBetween(char, "\u03ac", "\u03ce") ? 0.95 : isBetween(char, "\u0386", "\u03ab") ? 0.4 : -0.5;
const hebrew: Scorer = (char) => (isBetween(char, "\u05d0", "\u05ea") ? 0.98 : -0.5);
const arabic: Scorer = (char) =>
  isBetween(char, "\u0621", "\u064a") ? 0.96 : char === "،" || char === "؟" ? 0.8 : -0.5;
const thai: Scorer = (char) => (isBetween(char, "\u0e01", "\u0e5b") ? 0.97 : -0.5);

const scorers: readonly (readonly [encoding: string, score: Scorer])[] = [
  ["shift_jis", japanese],
  ["euc-jp", japanese],
  ["gb18030", chinese],
  ["big5", chinese],
  ["euc-kr", korean],
  ["windows-1251", cyrillic],
  ["koi8-r", cyrillic],
  ["ibm866", cyrillic],
  ["windows-1252", latin],
  ["windows-1250", centralEuropean],
  ["iso-8859-2", centralEuropean],
  ["windows-1253", greek],
  ["windows-1255", hebrew],
  ["windows-1256", arabic],
  ["windows-874", thai],
];
const latinScorers: ReadonlySet<string> = new Set(["windows-1252", "windows-1250", "iso-8859-2"]);
const maxSampleBytes = 65_536;
