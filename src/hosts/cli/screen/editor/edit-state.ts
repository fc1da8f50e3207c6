import { graphemeBoundary, nextGrapheme, previousGrapheme } from "../../../../base/text/graphemes.ts";

/** A text with a cursor. The cursor is an offset into the text, always between two user-perceived characters. */
export interface EditState {
  readonly text: string;
  readonly cursor: number;
}

export const emptyState: EditState = { text: "", cursor: 0 };

export function stateOf(text: string, cursor = text.length): EditState {
  return { text, cursor: graphemeBoundary(text, cursor) };
}

export function moveTo({ text }: EditState, cursor: number): EditState {
  return stateOf(text, cursor);
}

export function insertAt({ text, cursor }: EditState, inserted: string): EditState {
  return stateOf(text.slice(0, cursor) + inserted + text.slice(cursor), cursor + inserted.length);
}

/** Removes a range; the cursor stays where the range was. */
export function removeRange({ text }: EditState, from: number, to: number): EditState {
  const [start, end] = from < to ? [from, to] : [to, from];
  return stateOf(text.slice(0, start) + text.slice(end), start);
}

export function replaceRange(state: EditState, from: number, to: number, inserted: string): EditState {
  return insertAt(removeRange(state, from, to), inserted);
}

/** Offsets that the cursor can move to, and that deletions reach. Each is a pure function of the text. */
export type Motion = (state: EditState) => number;

export const charLeft: Motion = ({ text, cursor }) => previousGrapheme(text, cursor);
export const charRight: Motion = ({ text, cursor }) => nextGrapheme(text, cursor);
export const textStart: Motion = () => 0;
export const textEnd: Motion = ({ text }) => text.length;
export const lineStart: Motion = ({ text, cursor }) => (cursor === 0 ? 0 : text.lastIndexOf("\n", cursor - 1) + 1);
export const lineEnd: Motion = ({ text, cursor }) => {
  const end = text.indexOf("\n", cursor);
  return end < 0 ? text.length : end;
};

/** The first character of the line that is not a space. */
export const lineIndent: Motion = (state) => {
  const start = lineStart(state);
  return start + (/^[ \t]*/u.exec(state.text.slice(start, lineEnd(state)))?.[0].length ?? 0);
};

/** The offset after the next word. */
export const wordRight: Motion = (state) => afterWhile(state, afterWhile(state, state.cursor, isGap), isWordPart);

/** The offset before the previous word. */
export const wordLeft: Motion = (state) => beforeWhile(state, beforeWhile(state, state.cursor, isGap), isWordPart);

/** The offset before the previous space-separated word, as Ctrl-W deletes it. */
export const spacedWordLeft: Motion = (state) =>
  beforeWhile(state, beforeWhile(state, state.cursor, isSpace), (char) => !isSpace(char));

/** The start of the next word, or of the next run of punctuation (vi: `w`). */
export const nextWordStart: Motion = (state) => {
  const kind = kindOf(state.text.slice(state.cursor, charRight(state)));
  const end = kind === "space" ? state.cursor : afterWhile(state, state.cursor, (char) => kindOf(char) === kind);
  return afterWhile(state, end, isSpace);
};

/** The last character of the next word (vi: `e`). */
export const nextWordEnd: Motion = (state) => {
  const { text } = state;
  const start = afterWhile(state, charRight(state), isSpace);
  const kind = kindOf(text.slice(start, nextGrapheme(text, start)));
  const end = afterWhile(state, start, (char) => kindOf(char) === kind);
  return end > start ? previousGrapheme(text, end) : start;
};

/** The start of this or the previous word, or run of punctuation (vi: `b`). */
export const previousWordStart: Motion = (state) => {
  const end = beforeWhile(state, state.cursor, isSpace);
  const kind = kindOf(state.text.slice(previousGrapheme(state.text, end), end));
  return beforeWhile(state, end, (char) => kindOf(char) === kind);
};

function afterWhile({ text }: EditState, from: number, matches: (char: string) => boolean): number {
  let offset = from;
  while (offset < text.length) {
    const next = nextGrapheme(text, offset);
    if (!matches(text.slice(offset, next))) break;
    offset = next;
  }
  return offset;
}

function beforeWhile({ text }: EditState, from: number, matches: (char: string) => boolean): number {
  let offset = from;
  while (offset > 0) {
    const previous = previousGrapheme(text, offset);
    if (!matches(text.slice(previous, offset))) break;
    offset = previous;
  }
  return offset;
}

function kindOf(char: string): "space" | "word" | "sign" {
  if (isSpace(char)) return "space";
  return isWordPart(char) ? "word" : "sign";
}

const isSpace = (char: string) => /^\s/u.test(char);
const isWordPart = (char: string) => /^[\p{L}\p{N}\p{M}_]/u.test(char);
const isGap = (char: string) => !isWordPart(char);
