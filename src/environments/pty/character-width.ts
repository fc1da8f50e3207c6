/** How many columns of a terminal a character takes: 0, 1 or 2, as the C library and most programs count. */
export function characterWidth(codePoint: number): 0 | 1 | 2 {
  if (codePoint < 0x300) return codePoint < 0x20 || (codePoint >= 0x7f && codePoint < 0xa0) ? 0 : 1;
  const character = String.fromCodePoint(codePoint);
  if (noWidth.test(character)) return 0;
  return isWide(codePoint) || emoji.test(character) ? 2 : 1;
}

const noWidth = /^[\p{Mn}\p{Me}\p{Cf}\u{1160}-\u{11ff}]$/u;
const emoji = /^\p{Emoji_Presentation}$/u;

/** East Asian wide and full width. */
const wide: readonly (readonly [from: number, to: number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18aff],
  [0x1b000, 0x1b2ff],
  [0x1f200, 0x1f251],
  [0x1f300, 0x1f320],
  [0x1f900, 0x1f9ff],
  [0x20000, 0x3fffd],
];

function isWide(codePoint: number): boolean {
  return wide.some(([from, to]) => codePoint >= from && codePoint <= to);
}
