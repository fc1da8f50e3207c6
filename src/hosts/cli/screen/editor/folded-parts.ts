import type { ContentPart } from "../../../../contracts/model/message.ts";

/**
 * A pasted text or an image. In the text of a draft, one character represents it, so that it moves and is deleted as a
 * unit.
 */
export interface FoldedPart {
  readonly label: string;
  /** The text that the prompt contains instead. */
  readonly text: string;
  /** Sent with the prompt. */
  readonly content?: ContentPart;
}

export interface FoldedParts {
  /** Returns the character that represents the part. */
  fold(part: FoldedPart): string;
  /** The part that a character of the draft represents. */
  partOf(char: string): FoldedPart | undefined;
  /** The parts of a draft with their positions, in order. */
  places(text: string): readonly { readonly part: FoldedPart; readonly from: number; readonly to: number }[];
  /** The draft with its parts written out. */
  expand(text: string): string;
  /** The draft with labels for its parts. */
  labelled(text: string): string;
  /** Contents of the parts of this draft, in order. */
  contents(text: string): readonly ContentPart[];
  /** External text, without characters that represent parts. */
  clean(text: string): string;
}

/** Private characters of the last plane; no font has them. */
const first = 0x10_0000;
const last = 0x10_fffd;
const anyPart = /[\u{100000}-\u{10fffd}]/gu;

export function createFoldedParts(): FoldedParts {
  const parts = new Map<string, FoldedPart>();
  let next = first;
  return {
    fold(part) {
      const char = String.fromCodePoint(next);
      next = next === last ? first : next + 1;
      parts.set(char, part);
      return char;
    },
    partOf: (char) => parts.get(char),
    places: (text) =>
      [...text.matchAll(anyPart)].flatMap(({ 0: char, index: from }) => {
        const part = parts.get(char);
        return part ? [{ part, from, to: from + char.length }] : [];
      }),
    expand: (text) => text.replaceAll(anyPart, (char) => parts.get(char)?.text ?? char),
    labelled: (text) => text.replaceAll(anyPart, (char) => parts.get(char)?.label ?? char),
    contents: (text) =>
      (text.match(anyPart) ?? []).flatMap((char) => {
        const content = parts.get(char)?.content;
        return content ? [content] : [];
      }),
    clean: (text) => text.replaceAll(anyPart, (char) => (parts.has(char) ? "\ufffd" : char)),
  };
}
