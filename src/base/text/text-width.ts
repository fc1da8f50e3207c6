import { once } from "../async/once.ts";
import { plainText } from "./ansi.ts";

/** How many columns of a terminal a text of one line takes. Colours take none. */
export function textWidth(text: string): number {
  if (simple.test(text)) return text.length;
  let width = 0;
  for (const character of plainText(text)) width += characterWidth(character);
  return width;
}

/** Nothing: it joins the character before it. */
export function characterWidth(character: string): 0 | 1 | 2 {
  if (joins().test(character)) return 0;
  return wide().test(character) ? 2 : 1;
}

const simple = /^[ -~]*$/u;
const joins = once(() => /\p{M}|\u200d/u);
const wide = once(
  () =>
    /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u,
);
