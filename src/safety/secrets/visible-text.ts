/** A text as a person sees it, with the offset of each character in the original. */
export interface VisibleText {
  readonly text: string;
  /** Converts an offset in `text` to the offset in the original text. */
  at(index: number): number;
}

/**
 * Removes escape sequences, control and zero-width characters, which can split a token. A NUL between variables, as in
 * `/proc/…/environ`, becomes a line end.
 */
export function withoutInvisible(text: string): VisibleText {
  if (!invisible.test(text)) return { text, at: (index) => index };
  /** The start of each piece, in this text and in the original one. */
  const starts: number[] = [];
  const origins: number[] = [];
  let seen = "";
  let from = 0;
  const keep = (piece: string, origin: number): void => {
    if (piece === "") return;
    starts.push(seen.length);
    origins.push(origin);
    seen += piece;
  };
  for (const { 0: gap, index } of text.matchAll(gaps)) {
    keep(text.slice(from, index), from);
    from = index + gap.length;
    if (gap.startsWith("\0") && /^[A-Za-z_]\w*=/u.test(text.slice(from, from + 80))) keep("\n", index);
  }
  keep(text.slice(from), from);
  return {
    text: seen,
    at(index) {
      if (index >= seen.length) return text.length;
      const piece = lastAtMost(starts, index);
      return (origins[piece] ?? 0) + index - (starts[piece] ?? 0);
    },
  };
}

/** Returns the index of the last number that is at most `max`, in an ascending list. */
function lastAtMost(numbers: readonly number[], max: number): number {
  let low = 0;
  let high = numbers.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((numbers[middle] ?? 0) <= max) low = middle;
    else high = middle - 1;
  }
  return low;
}

/* oxlint-disable no-control-regex, no-misleading-character-class -- this file is about these characters */
const hidden = String.raw`\0-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\u{e0000}-\u{e007f}`;
const invisible = new RegExp(`[\x1b${hidden}]`, "u");
const gaps = new RegExp(String.raw`(?:\x1b\[[0-?]{0,30}[ -/]{0,4}[@-~]|\x1b[ -Z\\-~]?|[${hidden}])+`, "gu");
