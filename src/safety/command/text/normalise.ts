import { once } from "../../../base/async/once.ts";
import { plainText } from "../../../base/text/ansi.ts";
import type { CommandSpan } from "../shell/field.ts";

/** A command in two forms: as the shell parses it, and as a person sees it. */
export interface ReadCommand {
  /** The text without NUL, which the shell drops, and with plain line ends. */
  readonly shell: string;
  /** The text as it looks on a screen, if that differs: `ｒｍ` looks like `rm`. */
  readonly person: string | undefined;
  /** Invisible characters, and characters that move or cover others, with their positions in the original text. */
  readonly hidden: readonly CommandSpan[];
  /** Maps a position in `shell` to the original text. */
  given(span: CommandSpan): CommandSpan;
}

/** Accepts emoji, accents and all languages; finds characters that mislead the eye. Takes linear time. */
export function readCommand(text: string): ReadCommand {
  if (plain.test(text)) return { shell: text, person: undefined, hidden: [], given: (span) => span };
  const dropped = [...text.matchAll(droppedByShell)].map(({ index }) => index);
  const shell = dropped.length === 0 ? text : text.replaceAll(droppedByShell, "");
  const person = plainLookalike(shell);
  const hidden = hiddenIn(text);
  return {
    shell,
    person: person === shell ? undefined : person,
    hidden,
    given: (span) => ({ start: before(span.start, dropped), end: before(span.end, dropped) }),
  };
}

/** Returns the plain text that this text looks like. */
export function plainLookalike(text: string): string {
  const seen = plainText(text.replaceAll("\0", "").replaceAll("\r", "\n").replaceAll(unseen, ""));
  return Array.from(seen.normalize("NFKC"))
    .map((char) => twins.get(char) ?? char)
    .join("");
}

/** Returns whether a name imitates another one. Names in other alphabets do not count as imitations. */
export function isDisguised(name: string): boolean {
  return !ascii.test(name) && ascii.test(plainLookalike(name));
}

/* oxlint-disable no-control-regex -- this file is about control characters */
const plain = /^[\t\n\x20-\x7e]*$/u;
const ascii = /^[\x20-\x7e]+$/u;
const droppedByShell = /\0|\r(?=\n)/gu;

/** Zero width, direction, tags, fillers, and the placeholder for unknown parts. */
const unseen =
  /[\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|\u034f|[\ufe00-\ufe0f]|[\u{e0000}-\u{e01ef}\u{10fffd}]/gu;
const controls = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)/gu;

function hiddenIn(text: string): readonly CommandSpan[] {
  const forms = [
    ...text.matchAll(controls),
    ...[...text.matchAll(unseen)].filter(({ 0: char, index }) => !belongs(text, char, index)),
  ];
  return forms
    .map(({ 0: char, index }) => ({ start: index, end: index + char.length }))
    .toSorted((a, b) => a.start - b.start)
    .slice(0, maxShown);
}

const maxShown = 20;

/** Returns whether the character is part of an emoji, or of a language that needs it. */
function belongs(text: string, char: string, index: number): boolean {
  const left = text.slice(Math.max(0, index - 2), index);
  const right = text.slice(index + char.length, index + char.length + 2);
  if (/[\ufe00-\ufe0f]/u.test(char)) return /[^\x00-\x7f]$|[\d#*]$/u.test(left);
  if (char === "\u200d" && /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]$/u.test(left))
    return /^\p{Extended_Pictographic}/u.test(right);
  if (char === "\u200c" || char === "\u200d")
    return joining().test(left.slice(-1)) && joining().test(right.slice(0, 1));
  if (char === "\u200e" || char === "\u200f" || char === "\u061c") return rightToLeft().test(left + right);
  // A regional flag is a black flag followed by tag characters.
  return /[\u{e0020}-\u{e007f}]/u.test(char) && /\u{1f3f4}$|[\u{e0020}-\u{e007f}]$/u.test(left);
}

const joining = once(
  () =>
    /[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Gujarati}\p{Script=Gurmukhi}\p{Script=Oriya}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Mongolian}]/u,
);
const rightToLeft = once(() => /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u);

/** Letters of other alphabets that look like Latin ones, and symbols that look like shell operators. */
const twins: ReadonlyMap<string, string> = new Map(
  [
    ["аɑα", "a"],
    ["ƅ", "b"],
    ["сϲᴄ", "c"],
    ["ԁɗ", "d"],
    ["еєҽ", "e"],
    ["ɡց", "g"],
    ["һհ", "h"],
    ["іıɩι", "i"],
    ["јϳ", "j"],
    ["κ", "k"],
    ["ӏǀ", "l"],
    ["ṃм", "m"],
    ["ո", "n"],
    ["оοօ", "o"],
    ["рρ", "p"],
    ["ԛզ", "q"],
    ["гᴦ", "r"],
    ["ѕꜱ", "s"],
    ["υս", "u"],
    ["νѵ", "v"],
    ["ԝѡ", "w"],
    ["хχ", "x"],
    ["уγ", "y"],
    ["ᴢ", "z"],
    ["‐‑‒–−﹘", "-"],
    ["⁄∕⧸╱", "/"],
    ["∣❘", "|"],
    ["ꓸ․", "."],
    ["˜∼", "~"],
    ["∗⁎", "*"],
  ].flatMap(([letters = "", latin = ""]) => Array.from(letters).map((letter): [string, string] => [letter, latin])),
);

/** Maps a position in the shortened text to the position before characters were removed. `dropped` is sorted. */
function before(offset: number, dropped: readonly number[]): number {
  let place = offset;
  for (const index of dropped) {
    if (index > place) break;
    place += 1;
  }
  return place;
}
