import { once } from "../async/once.ts";
import { plainText } from "./ansi.ts";

/** The number of terminal columns of a one-line text. Colours have no width; a joined emoji counts once. */
export function textWidth(text: string): number {
  if (simple.test(text)) return text.length;
  let width = 0;
  for (const each of clustersOf(plainText(text))) width += clusterWidth(each);
  return width;
}

/** The width of one character with everything that joins it. */
export function clusterWidth(cluster: string): number {
  return characterWidth(cluster.codePointAt(0) ?? 0);
}

/**
 * Characters with everything that joins them: combining marks, joined emoji, skin tones, the two letters of a flag. A
 * line may be broken only between them.
 */
export function clustersOf(text: string): readonly string[] {
  if (simple.test(text)) return text.split("");
  const clusters: string[] = [];
  let before = 0;
  let flagLetters = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const isFlagLetter = code >= 0x1f1e6 && code <= 0x1f1ff;
    flagLetters = isFlagLetter ? flagLetters + 1 : 0;
    const joins =
      (code >= 0x300 && characterWidth(code) === 0) ||
      (before === joiner && characterWidth(code) > 0 && code > 0x2000) ||
      (code >= 0x1f3fb && code <= 0x1f3ff && characterWidth(before) === 2) ||
      (isFlagLetter && flagLetters % 2 === 0);
    const last = clusters.length - 1;
    if (joins && last >= 0) clusters[last] += character;
    else clusters.push(character);
    before = code;
  }
  return clusters;
}

const joiner = 0x200d;

/**
 * How many columns a character takes, as the C library and other common programs count. 0 means that it joins the
 * character before it, or controls the terminal.
 */
export function characterWidth(codePoint: number): 0 | 1 | 2 {
  if (codePoint < 0x300) return codePoint < 0x20 || (codePoint >= 0x7f && codePoint < 0xa0) ? 0 : 1;
  const character = String.fromCodePoint(codePoint);
  if (noWidth().test(character)) return 0;
  return wide().test(character) ? 2 : 1;
}

const simple = /^[ -~]*$/u;
// The patterns are compiled on first use, because compiling takes milliseconds.
const noWidth = once(() => /[\p{Mn}\p{Me}\p{Cf}\u{1160}-\u{11ff}]/u);
/** Emoji and wide characters of East Asian scripts. */
const wide = once(
  () =>
    /[\p{Emoji_Presentation}\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18aff}\u{1b000}-\u{1b2ff}\u{1f200}-\u{1f251}\u{1f300}-\u{1f320}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u,
);
