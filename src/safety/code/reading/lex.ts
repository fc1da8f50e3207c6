import { hole } from "../../command/shell/field.ts";
import type { LexMatch, Lexed, Lexing, Spelling, Token } from "./token.ts";

/** Splits code into tokens. Takes linear time and never throws. */
export function lex(source: string, spelling: Spelling): Lexed {
  const tokens: Token[] = [];
  const opened: number[] = [];
  const partners: number[] = [];
  const loops = new Set<number>();
  let fault: string | undefined;
  const place: Lexing = {
    source,
    at: 0,
    previous: undefined,
    isSpaced: false,
    tokens,
    pending: { at: -1 },
    beforeGroup: () => tokens[(partners[tokens.length - 1] ?? 0) - 1],
  };

  function push(token: LexMatch["token"] & {}, end: number): void {
    const { kind, text, parts, flags, replacement, indent } = token;
    const created: Token = {
      kind,
      text,
      parts,
      flags,
      replacement,
      indent,
      isSpaced: place.isSpaced,
      start: place.at,
      end,
    };
    tokens.push(created);
    partners.push(-1);
    if (kind !== "line") place.previous = created;
    place.at = end;
    place.isSpaced = false;
  }

  function line(): void {
    const end = place.pending.at > place.at ? place.pending.at : place.at + 1;
    place.pending.at = -1;
    if (spelling.hasLines && opened.length === 0)
      push({ kind: "line", text: "\n", indent: indentAt(source, end) }, end);
    else place.at = end;
    place.isSpaced = true;
  }

  function bracket(text: string): void {
    const index = tokens.length - 1;
    if (openers.has(text)) opened.push(index);
    else if (closers.has(text)) {
      const opener = opened.pop();
      if (opener !== undefined) {
        partners[opener] = index;
        partners[index] = opener;
      } else if (!spelling.isLoose) fault ??= "a bracket closes nothing";
    }
  }

  while (place.at < source.length && fault === undefined) {
    const code = source.charCodeAt(place.at);
    if (code === 10) line();
    else if (code === 32 || code === 9 || code === 13 || code === 12 || code === 11 || code === 160) {
      place.at += 1;
      place.isSpaced = true;
    } else {
      const matched = spelling.read(place) ?? comment(source, place.at, spelling) ?? word(source, place.at, spelling);
      fault = matched.fault;
      const { token } = matched;
      if (token === undefined) {
        place.at = matched.end;
        place.isSpaced = true;
        continue;
      }
      push(token, matched.end);
      if (token.kind === "mark") bracket(token.text);
      else if (token.kind === "name" && token.text === "for") {
        const inside = opened.at(-1);
        if (inside !== undefined) loops.add(inside);
      }
    }
  }
  if (opened.length > 0 && !spelling.isLoose) fault ??= "a bracket is not closed";
  const match = Int32Array.from(partners);
  return fault === undefined ? { source, tokens, match, loops } : { source, tokens, match, loops, fault };
}

const openers: ReadonlySet<string> = new Set(["(", "[", "{", "${", "@{", "%{"]);
const closers: ReadonlySet<string> = new Set([")", "]", "}"]);

function indentAt(source: string, offset: number): number {
  let end = offset;
  while (source[end] === " " || source[end] === "\t") end += 1;
  return end - offset;
}

function comment(source: string, offset: number, { lineComments, blockComments }: Spelling): LexMatch | undefined {
  const first = source[offset];
  if (first !== "#" && first !== "/" && first !== "-") return undefined;
  for (const [open, close] of blockComments) {
    if (!source.startsWith(open, offset)) continue;
    const end = source.indexOf(close, offset + open.length);
    return { end: end < 0 ? source.length : end + close.length };
  }
  for (const open of lineComments) {
    if (!source.startsWith(open, offset)) continue;
    const end = source.indexOf("\n", offset);
    return { end: end < 0 ? source.length : end };
  }
  return undefined;
}

function nameAt(source: string, offset: number, shape: RegExp): string | undefined {
  shape.lastIndex = offset;
  return shape.exec(source)?.[0];
}

/** Fast path, without a regular expression, for a plain name without member access. */
function plainName(source: string, from: number): string | undefined {
  let offset = from;
  for (; offset < source.length; offset++) {
    const code = source.charCodeAt(offset);
    const isLetter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95;
    if (isLetter || (offset > from && code >= 48 && code <= 57)) continue;
    if (code > 127 || code === 36 || code === 92 || code === 39 || code === 58 || code === 63 || code === 33)
      return undefined;
    break;
  }
  return offset === from ? undefined : source.slice(from, offset);
}

const numberShape = /0[xX][0-9a-fA-F_]+n?|0[oO][0-7_]+|0[bB][01_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?[nlLjJ]?/uy;

function word(source: string, offset: number, spelling: Spelling): LexMatch {
  const text = plainName(source, offset) ?? nameAt(source, offset, spelling.name());
  if (text !== undefined)
    return { end: offset + text.length, token: { kind: "name", text: spelling.nameText?.(text) ?? text } };
  const first = source[offset] ?? "";
  if (first >= "0" && first <= "9") {
    numberShape.lastIndex = offset;
    const digits = numberShape.exec(source)?.[0] ?? first;
    const plain = digits.replaceAll("_", "").replace(/[nlLjJ]$/u, "");
    return { end: offset + digits.length, token: { kind: "number", text: plain } };
  }
  if (source.startsWith(hole, offset)) return { end: offset + hole.length, token: { kind: "name", text: hole } };
  const mark =
    spelling.marks.get(first)?.find((each) => source.startsWith(each, offset)) ??
    String.fromCodePoint(source.codePointAt(offset) ?? 32);
  return { end: offset + mark.length, token: { kind: "mark", text: mark } };
}
