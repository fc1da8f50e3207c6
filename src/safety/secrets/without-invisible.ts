/** A text as a person sees it, and where each of its characters stands in the one that was given. */
export interface Seen {
  readonly text: string;
  /** The place in the given text of a place in `text`. */
  at(index: number): number;
}

/**
 * Without escape sequences, control and zero-width characters, which can part a token in two. A NUL between variables, as
 * in `/proc/…/environ`, is a line end.
 */
export function withoutInvisible(text: string): Seen {
  if (!invisible.test(text)) return { text, at: (index) => index };
  const kept: number[] = [];
  const pieces: string[] = [];
  let from = 0;
  const keep = (to: number): void => {
    pieces.push(text.slice(from, to));
    for (let at = from; at < to; at++) kept.push(at);
  };
  for (const { 0: gap, index } of text.matchAll(gaps)) {
    keep(index);
    from = index + gap.length;
    if (gap.startsWith("\0") && /^[A-Za-z_]\w*=/u.test(text.slice(from, from + 80))) {
      pieces.push("\n");
      kept.push(index);
    }
  }
  keep(text.length);
  kept.push(text.length);
  // The end of a span is one after its last character, not before the gap that follows.
  return { text: pieces.join(""), at: (index) => kept[index] ?? text.length };
}

/* oxlint-disable no-control-regex, no-misleading-character-class -- these characters are what this file is about */
const hidden = String.raw`\0-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\u{e0000}-\u{e007f}`;
const invisible = new RegExp(`[\x1b${hidden}]`, "u");
const gaps = new RegExp(String.raw`(?:\x1b\[[0-?]{0,30}[ -/]{0,4}[@-~]|\x1b[ -Z\\-~]?|[${hidden}])+`, "gu");
