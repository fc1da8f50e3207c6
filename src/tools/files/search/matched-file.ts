import { cut } from "../../../base/text/text.ts";
import type { Hit, Line } from "./search.ts";

/** The matches in one file, by line number. */
export interface MatchedFile {
  readonly hits: { readonly line: number; readonly lines: number; readonly content: string }[];
  readonly context: Map<number, string>;
  isBinary: boolean;
}

/** The matches with their context lines. A context line is never itself a match. */
export function withContext(path: string, file: MatchedFile, context: number): Hit[] {
  const around = (from: number, to: number): Line[] => {
    const lines: Line[] = [];
    for (let line = from; line <= to; line++) {
      const content = file.context.get(line);
      if (content !== undefined) lines.push({ line, content });
    }
    return lines;
  };
  return file.hits.map(({ line, lines, content }) => ({
    path,
    line,
    content,
    before: around(line - context, line - 1),
    after: around(line + lines, line + lines + context - 1),
  }));
}

/** Returns the lines of a match, at most `maxBlockLines`. The match starts at `offset`. */
export function shownBlock(text: string, offset: number): string {
  const lines = text.replace(/\n$/u, "").split("\n");
  const [only = ""] = lines;
  if (lines.length === 1) return shownLine(only, offset);
  const shown = lines.slice(0, maxBlockLines).map((line) => shownLine(line, 0));
  const left = lines.length - shown.length;
  return [...shown, ...(left > 0 ? [`… [${left} more lines]`] : [])].join("\n");
}

/**
 * Returns a line without its line end. Of a long line it returns the part around the match, which starts at `offset`.
 */
export function shownLine(text: string, offset: number): string {
  const line = text.replace(/\r?\n?$/u, "");
  if (line.length <= maxLineChars) return line;
  const from = Math.max(0, Math.min(offset - leadChars, line.length - maxLineChars));
  const start = from > 0 && isLowSurrogate(line.charCodeAt(from)) ? from + 1 : from;
  const part = cut(line.slice(start), maxLineChars);
  return `${start > 0 ? "…" : ""}${part}${start + part.length < line.length ? "…" : ""}`;
}

/** Decodes UTF-8. Invalid bytes become U+FFFD. */
export function decodeUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** Decodes a path that is given as bytes, one per character. */
export function decodePath(raw: string): string {
  return decodeUtf8(Buffer.from(raw, "latin1"));
}

export function lineCount(text: string): number {
  let count = text === "" || text.endsWith("\n") ? 0 : 1;
  for (let index = text.indexOf("\n"); index >= 0; index = text.indexOf("\n", index + 1)) count++;
  return count;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const maxBlockLines = 50;
const leadChars = 150;
export const maxLineChars = 500;
