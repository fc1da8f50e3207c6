import { escapeLetters } from "../../../base/text/shell-quote.ts";
import { hole } from "../../command/shell/field.ts";
import type { TextPiece } from "./token.ts";

/** Returns the offset after the closing quote, or -1. Handles backslashes. */
export function quoteEnd(source: string, from: number, close: string): number {
  let index = from;
  while (index < source.length) {
    if (source[index] === "\\") index += 2;
    else if (source.startsWith(close, index)) return index + close.length;
    else index += 1;
  }
  return -1;
}

/** Returns the offset after the bracket that closes one opened before `from`, or -1. Skips quoted parts. */
export function groupEnd(source: string, from: number, open: string, close: string): number {
  let depth = 1;
  let index = from;
  while (index < source.length) {
    const char = source[index];
    if (char === "\\") index += 1;
    else if (char === close) {
      depth -= 1;
      if (depth === 0) return index + 1;
    } else if (char === open) depth += 1;
    index += 1;
  }
  return -1;
}

/** Like `stringEnd`, for code in braces inside a string, where quotes may contain braces. */
export function codeEnd(source: string, from: number): number {
  let depth = 1;
  let index = from;
  while (index < source.length) {
    const char = source[index] ?? "";
    if (char === "\\") index += 1;
    else if (char === "{") depth += 1;
    else if (char === "}") {
      depth -= 1;
      if (depth === 0) return index + 1;
    } else if (char === '"' || char === "'" || char === "`") {
      const end = quoteEnd(source, index + 1, char);
      if (end > 0) index = end - 1;
    }
    index += 1;
  }
  return -1;
}

/** Returns the lines of a here-document that starts at `from`, and the offset after its last line. */
export function hereDocument(
  source: string,
  from: number,
  name: string,
  isIndented: boolean,
): { readonly text: string; readonly end: number } {
  for (let index = from; index < source.length;) {
    const next = source.indexOf("\n", index);
    const end = next < 0 ? source.length : next;
    const line = source.slice(index, end).replace(/\r$/u, "");
    if ((isIndented ? line.trim() : line) === name)
      return { text: source.slice(from, index), end: Math.min(end + 1, source.length) };
    index = end + 1;
  }
  return { text: source.slice(from), end: source.length };
}

/** Returns the delimiter that closes this one. */
export function closingDelimiter(open: string): string {
  return pairs[open] ?? open;
}

const pairs: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}", "<": ">" };

/** Replaces `\n`, `\x72`, `\u0072`, `\u{72}`, `\162` and other escapes. */
export function unescapeText(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replaceAll(escapes, (_whole, hex2, hex4, braced, hex8, octal, name, rest: string | undefined) => {
    const hex = [hex2, hex4, braced, hex8].find((each) => typeof each === "string");
    if (typeof hex === "string") return character(Number.parseInt(hex.trim(), 16));
    if (typeof octal === "string") return character(Number.parseInt(octal, 8));
    if (typeof name === "string") return hole;
    return rest === undefined ? "" : (letters[rest] ?? (rest === "\n" ? "" : rest));
  });
}

const escapes =
  /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{4})|[xu]\{\s*([0-9a-fA-F]{1,8})\s*\}|U([0-9a-fA-F]{8})|([0-7]{1,3})|N(\{[^}]*\})|([^]?))/gu;

const letters: Readonly<Record<string, string>> = { ...escapeLetters, s: " " };

function character(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : "?";
}

function plainParts(parts: readonly TextPiece[]): string | undefined {
  return parts.every((part) => typeof part === "string") ? parts.join("") : undefined;
}

/** Returns a token for a text that may contain code. */
export function textToken(
  parts: readonly TextPiece[],
  kind: "text" | "shell" = "text",
): { readonly kind: "text" | "shell"; readonly text: string; readonly parts?: readonly TextPiece[] } {
  const plain = plainParts(parts);
  return plain === undefined ? { kind, text: "", parts } : { kind, text: plain };
}
