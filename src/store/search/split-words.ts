import { foldWord } from "./fold-word.ts";

/** `whole`: an identifier of several parts, which follow it. `pair` and `letter`: from a script without spaces. */
export type WordKind = "word" | "whole" | "pair" | "letter";

/**
 * Receives every searchable token of a text. `token` is normalised, and cut to a maximum length. `place` is the index
 * of the word in the text, so adjacent words have consecutive indexes; a whole identifier has the index of its first
 * part.
 */
export type TokenSink = (token: string, from: number, to: number, place: number, kind: WordKind) => void;

export interface Splitter {
  split(text: string, onWord: TokenSink): void;
  /** Whether a word, or a part of one, starts or ends before this letter. */
  isEdge(text: string, index: number): boolean;
}

/**
 * Splits texts of any language. Words are runs of letters and digits. `getUserName`, `get_user_name`, `get-user.name`
 * give their parts and the whole `getusername`. Scripts without spaces, and Korean, where endings attach to words, give
 * every two adjacent letters, and the last letter of a run.
 */
export function createSplitter(): Splitter {
  const kinds = letterKinds();
  const folded = new Map<string, string>();

  /** Words recur often in a language, and folding is the expensive step, so results are cached. */
  function fold(word: string): string {
    let created = folded.get(word);
    if (created === undefined) {
      created = foldWord(word).slice(0, maxTokenChars);
      if (folded.size >= maxFolded) folded.clear();
      folded.set(word, created);
    }
    return created;
  }

  function isEdge(text: string, index: number): boolean {
    const before = kinds[text.charCodeAt(index - 1)] ?? none;
    const after = kinds[text.charCodeAt(index)] ?? none;
    if (before < small || before > other || after < small || after > other) return true;
    if (after !== capital) return false;
    return before === small || before === digit || kinds[text.charCodeAt(index + 1)] === small;
  }

  function split(text: string, onWord: TokenSink): void {
    let place = 0;
    /** The start of the current part, or -1 if there is none. */
    let from = -1;
    let isAscii = true;
    let last = none;
    let lastBefore = none;
    /** Start, end and text of each part of the current identifier. */
    const edges: number[] = [];
    const parts: string[] = [];

    const endPart = (to: number): void => {
      if (from < 0) return;
      const word = text.slice(from, to);
      const token = isAscii ? word.toLowerCase().slice(0, maxTokenChars) : fold(word);
      if (token !== "") {
        parts.push(token);
        edges.push(from, to);
      }
      from = -1;
      isAscii = true;
    };
    const endWord = (to: number): void => {
      endPart(to);
      if (parts.length > 1) {
        onWord(parts.join("").slice(0, maxTokenChars), edges[0] ?? 0, edges.at(-1) ?? to, place, "whole");
      }
      for (let offset = 0; offset < parts.length; offset++) {
        onWord(parts[offset] ?? "", edges[offset * 2] ?? 0, edges[offset * 2 + 1] ?? 0, place++, "word");
      }
      parts.length = 0;
      edges.length = 0;
    };
    /** Returns the last unit of the run. */
    const spacelessRun = (start: number): number => {
      let end = start;
      let before = "";
      let beforeAt = start;
      while (end < text.length && kinds[text.charCodeAt(end)] === spaceless) {
        const length = (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
        const letter = text.slice(end, end + length);
        const token = isFolded(text.charCodeAt(end)) ? letter : fold(letter);
        if (before !== "") onWord(before + token, beforeAt, end + length, place++, "pair");
        before = token;
        beforeAt = end;
        end += length;
      }
      onWord(before, beforeAt, end, place, "letter");
      // The previous pair already contains the last letter of a longer run.
      if (beforeAt === start) place++;
      return end - 1;
    };

    for (let position = 0; position < text.length; position++) {
      const code = text.charCodeAt(position);
      const kind = kinds[code] ?? none;
      if (kind === none) {
        if (from >= 0) endWord(position);
      } else if (kind === joint) {
        // Characters that join their left and right neighbours only.
        const next = kinds[text.charCodeAt(position + 1)] ?? none;
        if (next >= small && next <= other) endPart(position);
        else endWord(position);
      } else if (kind === spaceless) {
        endWord(position);
        position = spacelessRun(position);
      } else {
        // A capital starts a new part, alone or before lower-case letters: fooBar, HTTPServer.
        if (kind === capital && (last === small || last === digit)) endPart(position);
        else if (kind === small && last === capital && lastBefore === capital && position - from > 2) {
          endPart(position - 1);
          from = position - 1;
        }
        if (from < 0) from = position;
        if (code > 127) isAscii = false;
      }
      lastBefore = last;
      last = kind;
    }
    endWord(text.length);
  }

  return { split, isEdge };
}

/** Kana, Chinese and Korean in their normal form. */
function isFolded(code: number): boolean {
  return (code >= 0x3041 && code <= 0x30ff) || (code >= 0x4e00 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7a3);
}

/** The maximum length of a token. */
export const maxTokenChars = 40;
const maxFolded = 50_000;

const none = 0;
const small = 1;
const capital = 2;
const digit = 3;
/** Letters and marks that are not ASCII. */
const other = 4;
const joint = 5;
const spaceless = 6;

/** The class of each code unit. */
function letterKinds(): Uint8Array {
  const kinds = new Uint8Array(0x10000);
  const set = (from: number, to: number, kind: number) => kinds.fill(kind, from, to + 1);
  set(0x30, 0x39, digit);
  set(0x41, 0x5a, capital);
  set(0x61, 0x7a, small);
  for (const char of "_-.'") kinds[char.charCodeAt(0)] = joint;
  // The ranges between the listed ones are Chinese, Korean and surrogates, which have no spaces.
  for (const [from, to] of [
    [0x80, 0x33ff],
    [0xa000, 0xabff],
    [0xf900, 0xffff],
  ] as const) {
    const all = String.fromCharCode(...Array.from({ length: to - from + 1 }, (_, offset) => from + offset));
    for (const { index, 0: run } of all.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
      kinds.fill(other, from + index, from + index + run.length);
    }
  }
  kinds["’".charCodeAt(0)] = joint;
  for (const [from, to] of spacelessRanges) {
    for (let code = from; code <= to; code++) if (kinds[code] === other || isDense(from)) kinds[code] = spaceless;
  }
  return kinds;
}

/**
 * Whether every code point of the block counts as a letter: Chinese, Korean, surrogates (rare Chinese, emoji),
 * symbols.
 */
function isDense(from: number): boolean {
  return [0x2600, 0x3400, 0x4e00, 0xac00, 0xd800].includes(from);
}

const spacelessRanges: readonly (readonly [number, number])[] = [
  // Thai, Lao; Tibetan is written with dots. Burmese, Khmer.
  [0x0e00, 0x0eff],
  [0x1000, 0x109f],
  [0x1780, 0x17ff],
  // Symbols and pictographs.
  [0x2600, 0x27bf],
  // Kana, bopomofo, Chinese, Korean.
  [0x3005, 0x3007],
  [0x3041, 0x31ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xac00, 0xd7a3],
  // Surrogate pairs.
  [0xd800, 0xdfff],
  [0xf900, 0xfaff],
  // Half-width kana and Korean.
  [0xff66, 0xffdc],
];
