import type { KeyPress } from "../parts.ts";
import { csiKey, controlKey, namedChord, ss3Key } from "./key-names.ts";

/** An answer of the terminal to a query. */
export type TerminalReply =
  /** Colour of the background, each part from 0 to 1. */
  | { readonly kind: "background"; readonly red: number; readonly green: number; readonly blue: number }
  /** DECRQM. `isKnown` false: the terminal does not have this mode. */
  | { readonly kind: "mode"; readonly mode: number; readonly isKnown: boolean }
  /** The terminal supports the kitty keyboard protocol. */
  | { readonly kind: "keyboard" }
  /** Starts at 1. */
  | { readonly kind: "cursor"; readonly row: number; readonly column: number }
  /** DA2: identifies some terminals. */
  | { readonly kind: "version"; readonly version: number }
  /** Every terminal answers the query for its attributes, after its answers to earlier queries. */
  | { readonly kind: "attributes" };

export type Decoded = KeyPress | TerminalReply;

export function isReply(decoded: Decoded): decoded is TerminalReply {
  return "kind" in decoded;
}

/** Reads the bytes of a terminal in raw mode. Sequences, characters and pasted text may be split anywhere. */
export interface KeyDecoder {
  read(bytes: Uint8Array): readonly Decoded[];
  /** If set, the last bytes may be the start of a sequence. If nothing follows within this time, call `rest`. */
  readonly waitMs: number | undefined;
  rest(): readonly Decoded[];
  /**
   * Announces a cursor query: one more of the following `CSI row;column R` sequences is its answer and not the key F3.
   */
  expectCursor(): void;
  /** Announces that an expected answer will not arrive. */
  forgetCursor(): void;
}

/** Escape alone is a key if nothing follows within this time. */
const escapeMs = 40;
/** How long to wait for the rest of a sequence, which may arrive late over a slow connection. */
const sequenceMs = 500;
/** Pasted text without an end mark is accepted after this time. */
const pasteMs = 5_000;
const maxPastedChars = 4_000_000;
/** Maximum length of a sequence; a longer one does not come from a keyboard. */
const maxSequenceChars = 4_096;
const pasteEnd = "\x1b[201~";

export function createKeyDecoder(): KeyDecoder {
  const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
  /** The start of an incomplete sequence. */
  let pending = "";
  let pasted: string | undefined;
  let awaitedCursors = 0;

  function endPaste(text: string): KeyPress {
    pasted = undefined;
    return { chord: "paste", text: cleanPaste(text) };
  }

  function readText(text: string): readonly Decoded[] {
    const keys: Decoded[] = [];
    let offset = 0;
    while (offset < text.length) {
      if (pasted !== undefined) {
        const end = text.indexOf(pasteEnd, offset);
        if (end < 0) {
          const keep = startOf(pasteEnd, text.slice(offset));
          pasted = (pasted + text.slice(offset, text.length - keep)).slice(0, maxPastedChars);
          pending = text.slice(text.length - keep);
          return keys;
        }
        keys.push(endPaste(pasted + text.slice(offset, end)));
        offset = end + pasteEnd.length;
        continue;
      }
      const token = nextToken(text, offset, awaitedCursors > 0);
      if (token === undefined) {
        pending = text.slice(offset);
        return keys;
      }
      offset += token.length;
      if (token.isPaste) pasted = "";
      if (!token.decoded) continue;
      if (isReply(token.decoded) && token.decoded.kind === "cursor") awaitedCursors = Math.max(0, awaitedCursors - 1);
      keys.push(token.decoded);
    }
    return keys;
  }

  return {
    read(bytes) {
      const text = pending + utf8.decode(bytes, { stream: true });
      pending = "";
      return readText(text);
    },
    get waitMs() {
      if (pasted !== undefined) return pasteMs;
      if (pending === "") return undefined;
      return pending === "\x1b" || pending === "\x1b\x1b" ? escapeMs : sequenceMs;
    },
    rest() {
      const text = pending;
      pending = "";
      if (pasted !== undefined) return [endPaste(pasted + text)];
      const [, second] = text;
      if (second === undefined) return text === "" ? [] : [{ chord: "escape" }];
      if (text === "\x1b\x1b") return [{ chord: "escape" }, { chord: "escape" }];
      // `ESC [` is Alt-[ when nothing follows; a longer start of a sequence is not a key.
      return text.length === 2 ? [{ chord: namedChord(second, { alt: true }) }] : [];
    },
    expectCursor() {
      awaitedCursors++;
    },
    forgetCursor() {
      awaitedCursors = Math.max(0, awaitedCursors - 1);
    },
  };
}

interface Token {
  readonly length: number;
  readonly decoded?: Decoded | undefined;
  readonly isPaste?: boolean;
}

/* oxlint-disable no-control-regex -- control characters are what this file is about */
const csi = /\x1b\[(?<mark>[<=>?]?)(?<numbers>[0-9;:]*)(?<middle>[ -/]*)(?<final>[@-~])/uy;
const csiStart = /\x1b\[[<=>?]?[0-9;:]*[ -/]*$/uy;
/** OSC, DCS, SOS, PM, APC up to their end. */
const control = /\x1b[\]PX^_](?<body>[^\x07\x1b]*)(?:\x07|\x1b\\)/uy;
const controlStart = /\x1b[\]PX^_][^\x07\x1b]*\x1b?$/uy;

/** Parses the sequence at the start of the text. Undefined: more bytes are needed. */
function nextToken(text: string, offset: number, awaitsCursor: boolean): Token | undefined {
  const first = text[offset] ?? "";
  if (first !== "\x1b") return characterToken(text, offset);
  const second = text[offset + 1];
  if (second === undefined) return undefined;
  if (second === "[") return csiToken(text, offset, awaitsCursor);
  if (second === "O") return ss3Token(text, offset);
  if ("]PX^_".includes(second)) return controlToken(text, offset, second);
  if (second === "\x1b") {
    const third = text[offset + 2];
    if (third === undefined) return undefined;
    if (third !== "[" && third !== "O") return { length: 1, decoded: { chord: "escape" } };
    const inner = nextToken(text, offset + 1, awaitsCursor);
    // Escape, pressed just before an answer of the terminal arrived.
    if (inner?.decoded && isReply(inner.decoded)) return { length: 1, decoded: { chord: "escape" } };
    return inner && { ...inner, length: inner.length + 1, decoded: withAlt(inner.decoded) };
  }
  const inner = characterToken(text, offset + 1);
  return { length: inner.length + 1, decoded: withAlt(inner.decoded) };
}

function withAlt(decoded: Decoded | undefined): Decoded | undefined {
  if (!decoded || isReply(decoded)) return decoded;
  const { chord } = decoded;
  if (/(?:^|\+)alt\+/u.test(chord)) return { chord };
  return { chord: chord.startsWith("ctrl+") ? `ctrl+alt+${chord.slice(5)}` : `alt+${chord}` };
}

function characterToken(text: string, offset: number): Token {
  const code = text.codePointAt(offset) ?? 0;
  if (code < 0x20 || code === 0x7f) return { length: 1, decoded: { chord: controlKey(code) } };
  const character = String.fromCodePoint(code);
  const { length } = character;
  // Control characters of 8 bits, and bytes that are not UTF-8.
  if (code < 0xa0 && code >= 0x80) return { length };
  if (code === 0xfffd) return { length };
  return { length, decoded: { chord: code === 0x20 ? "space" : character, text: character } };
}

function csiToken(text: string, offset: number, awaitsCursor: boolean): Token | undefined {
  // Function keys of the Linux console: `ESC [ [ A`.
  if (text[offset + 2] === "[") {
    const final = text[offset + 3];
    if (final === undefined) return undefined;
    const number = "ABCDE".indexOf(final) + 1;
    return { length: 4, ...(number > 0 && { decoded: { chord: `f${number}` } }) };
  }
  csi.lastIndex = offset;
  const match = csi.exec(text);
  if (!match?.groups) {
    csiStart.lastIndex = offset;
    if (csiStart.test(text) && text.length - offset < maxSequenceChars) return undefined;
    return { length: 2 };
  }
  const { mark = "", numbers = "", middle = "", final = "" } = match.groups;
  const { length } = match[0];
  if (mark === "" && final === "M" && numbers === "") return { length: length + 3 };
  if (mark === "" && final === "~" && numbers === "200") return { length, isPaste: true };
  const [first = 0, second = 0] = numbers.split(";").map(Number);
  // F3 has no number or the number 1; with other numbers it is a late answer of the terminal and not a key.
  if (mark === "" && final === "R" && (awaitsCursor || first > 1))
    return { length, decoded: { kind: "cursor", row: first, column: second } };
  if (mark === "" && middle === "") return { length, decoded: csiKey(numbers, final) };
  return { length, decoded: replyOf(`${mark}${middle}${final}`, first, second) };
}

function replyOf(shape: string, first: number, second: number): TerminalReply | undefined {
  if (shape === "?$y") return { kind: "mode", mode: first, isKnown: second !== 0 && second !== 4 };
  if (shape === "?u") return { kind: "keyboard" };
  if (shape === ">c") return { kind: "version", version: second };
  if (shape === "?c") return { kind: "attributes" };
  return undefined;
}

function ss3Token(text: string, offset: number): Token | undefined {
  const final = text[offset + 2];
  if (final === undefined) return undefined;
  const key = ss3Key(final);
  return key === undefined ? { length: 2, decoded: { chord: "alt+O" } } : { length: 3, decoded: key };
}

function controlToken(text: string, offset: number, kind: string): Token | undefined {
  control.lastIndex = offset;
  const match = control.exec(text);
  if (match) {
    const body = match.groups?.["body"] ?? "";
    return { length: match[0].length, decoded: kind === "]" ? backgroundOf(body) : undefined };
  }
  controlStart.lastIndex = offset;
  if (controlStart.test(text) && text.length - offset < maxSequenceChars) return undefined;
  return { length: 2 };
}

/** Reads `11;rgb:1e1e/1e1e/1e1e`. */
function backgroundOf(body: string): TerminalReply | undefined {
  const match = /^11;rgba?:(?<red>[0-9a-f]{1,4})\/(?<green>[0-9a-f]{1,4})\/(?<blue>[0-9a-f]{1,4})/iu.exec(body);
  if (!match?.groups) return undefined;
  const part = (hex = "0") => Number.parseInt(hex, 16) / (16 ** hex.length - 1);
  const { red, green, blue } = match.groups;
  return { kind: "background", red: part(red), green: part(green), blue: part(blue) };
}

/** The number of characters at the end of the text that may be a prefix of the mark. */
function startOf(mark: string, text: string): number {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length--)
    if (mark.startsWith(text.slice(-length))) return length;
  return 0;
}

/** Normalizes line ends and removes control characters: nothing in pasted text is a key. */
function cleanPaste(text: string): string {
  return text.replaceAll(/\r\n?/gu, "\n").replaceAll(/[\0-\x08\x0b-\x1f\x7f-\x9f]/gu, "");
}
