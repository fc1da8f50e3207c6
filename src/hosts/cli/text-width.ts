import { plainText } from "../../base/ansi.ts";

/** How many columns of a terminal a text of one line takes. Colours take none. */
export function textWidth(text: string): number {
  if (/^[\x20-\x7e]*$/u.test(text)) return text.length;
  let width = 0;
  for (const char of plainText(text)) width += /\p{M}|\u200d/u.test(char) ? 0 : wide.test(char) ? 2 : 1;
  return width;
}

const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;
