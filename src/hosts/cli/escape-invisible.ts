import { once } from "../../base/async/once.ts";

/** Replaces control and invisible characters by their code points. */
export function escapeInvisible(text: string): string {
  return text.replaceAll(hidden(), (char) => {
    const code = char.codePointAt(0) ?? 0;
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`;
  });
}

const hidden = once(
  () => /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\u3164\uffa0\u115f\u1160\u00a0\u2000-\u200a\u202f\u205f\u3000]/gu,
);
