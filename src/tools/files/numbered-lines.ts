import { cut } from "../../base/text.ts";

/** Lines of a text as they are shown: `N|text`, N from 1. */
export interface NumberedLines {
  readonly content: string;
  readonly totalLines: number;
  /** The first line that is not shown, when lines are left. */
  readonly nextOffset?: number;
  readonly stoppedBy?: "limit" | "characters";
  /** How many of the shown lines were too long to show whole. */
  readonly cutLines: number;
}

/**
 * At most `limit` lines from line `offset` on, ending at a line end before `maxChars` characters; a line is cut after
 * `maxLineChars`. A byte order mark and `\r` are not shown. Only the shown lines are decoded. The first line is always shown, so that paging gets on.
 */
export function numberedLines(
  bytes: Uint8Array,
  window: { readonly offset: number; readonly limit: number },
  { maxChars, maxLineChars }: { readonly maxChars: number; readonly maxLineChars: number },
): NumberedLines {
  const lineEnd = bytes.includes(lf) ? lf : bytes.includes(cr) ? cr : lf;
  const shown: string[] = [];
  let line = 0;
  let chars = 0;
  let cutLines = 0;
  let stopped: { readonly nextOffset: number; readonly stoppedBy: "limit" | "characters" } | undefined;
  for (let at = hasBom(bytes) ? 3 : 0; at < bytes.length;) {
    const found = bytes.indexOf(lineEnd, at);
    const end = found < 0 ? bytes.length : found;
    line++;
    if (line >= window.offset && !stopped) {
      const text = shownLine(bytes.subarray(at, end), maxLineChars);
      const numbered = `${line}|${text.shown}`;
      if (shown.length >= window.limit) stopped = { nextOffset: line, stoppedBy: "limit" };
      else if (shown.length > 0 && chars + numbered.length + 1 > maxChars)
        stopped = { nextOffset: line, stoppedBy: "characters" };
      else {
        shown.push(numbered);
        chars += numbered.length + 1;
        if (text.isCut) cutLines++;
      }
    }
    at = end + 1;
  }
  return { content: shown.join("\n"), totalLines: line, cutLines, ...stopped };
}

function shownLine(bytes: Uint8Array, maxLineChars: number): { readonly shown: string; readonly isCut: boolean } {
  const own = bytes.at(-1) === cr ? bytes.subarray(0, -1) : bytes;
  // UTF-8 has at most 3 bytes a UTF-16 unit; a line of megabytes is not decoded to show its beginning.
  const isHuge = own.length > 4 * maxLineChars;
  const text = decoder.decode(isHuge ? own.subarray(0, 4 * maxLineChars) : own);
  if (!isHuge && text.length <= maxLineChars) return { shown: text, isCut: false };
  return { shown: `${cut(text, maxLineChars)}… [cut: the line has ${own.length} bytes]`, isCut: true };
}

function hasBom(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const lf = 0x0a;
const cr = 0x0d;
