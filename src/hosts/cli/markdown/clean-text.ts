import { withoutControls } from "../without-controls.ts";

/** Cleans streaming text for a terminal. A surrogate pair that is split between two chunks stays whole. */
export interface TextCleaner {
  add(text: string): string;
}

/**
 * Removes control characters, marks that change the direction of text, and zero-width characters that terminals draw
 * differently. Tabs become spaces; joined emoji stay joined.
 */
export function cleanText(): TextCleaner {
  let held = "";
  return {
    add(text) {
      const all = held + text;
      const last = all.charCodeAt(all.length - 1);
      held = last >= 0xd800 && last <= 0xdbff ? all.slice(-1) : "";
      return withoutInvisible(withoutControls(all.slice(0, all.length - held.length)).replaceAll("\t", "    "));
    },
  };
}

function withoutInvisible(text: string): string {
  return ascii.test(text) ? text : text.replaceAll(invisible, "").toWellFormed();
}

const ascii = /^[\0-~]*$/u;
const invisible =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u2060-\u2065\u206a-\u206f\ufeff\u{e0000}-\u{e01ef}]|[\ufe00-\ufe0f]/gu;
