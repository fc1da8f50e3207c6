import { cut } from "../../base/text/text.ts";

/** The lines of a text as shown: `N|text`, where N starts at 1. */
export interface NumberedLines {
  readonly content: string;
  /** The number of lines of the text, or of the part that was read. */
  readonly totalLines: number;
  /** The first line that is not shown, if any. */
  readonly nextOffset?: number;
  readonly stoppedBy?: "limit" | "characters";
  /** The number of shown lines that were cut off. */
  readonly cutLines: number;
}

export interface LineLimits {
  readonly maxChars: number;
  readonly maxLineChars: number;
}

/**
 * Returns at most `limit` lines from line `offset` on, ending at a line end before `maxChars` characters; a line is cut
 * after `maxLineChars`. Omits a byte order mark and `\r`. Decodes only the shown lines. Always shows the first line, so
 * that paging makes progress.
 */
export function numberedLines(
  bytes: Uint8Array,
  window: { readonly offset: number; readonly limit: number },
  limits: LineLimits,
): NumberedLines {
  const lines = createLineWindow(window, limits, bytes);
  lines.feed(bytes);
  return lines.end();
}

/** Like `numberedLines`, for a text that arrives in chunks, in limited memory. */
export interface LineWindow {
  feed(piece: Uint8Array): void;
  /** True if all shown lines are complete; more chunks are needed only to count lines. */
  readonly isFull: boolean;
  end(): NumberedLines;
}

/** `beginning` must be long enough to detect the line ends of the text. */
export function createLineWindow(
  { offset, limit }: { readonly offset: number; readonly limit: number },
  { maxChars, maxLineChars }: LineLimits,
  beginning: Uint8Array,
): LineWindow {
  const lineEnd = beginning.includes(lf) ? lf : beginning.includes(cr) ? cr : lf;
  // A UTF-16 unit has at most 3 bytes in UTF-8, so only the start of a very long line is decoded.
  const maxKept = 4 * maxLineChars + 1;
  const shown: string[] = [];
  let isBeginning = true;
  /** The current line: its number, its length so far, and its beginning. */
  let line = 1;
  let lineBytes = 0;
  let kept: Uint8Array[] = [];
  let keptBytes = 0;
  let chars = 0;
  let cutLines = 0;
  let stopped: { readonly nextOffset: number; readonly stoppedBy: "limit" | "characters" } | undefined;

  function take(piece: Uint8Array): void {
    lineBytes += piece.length;
    if (line < offset || stopped || keptBytes >= maxKept) return;
    const part = piece.subarray(0, maxKept - keptBytes);
    kept.push(part);
    keptBytes += part.length;
  }

  function endLine(): void {
    if (line >= offset && !stopped) show();
    line++;
    lineBytes = 0;
    kept = [];
    keptBytes = 0;
  }

  function show(): void {
    const bytes = kept.length === 1 && kept[0] ? kept[0] : Buffer.concat(kept);
    const text = shownLine(bytes, lineBytes, maxLineChars);
    const numbered = `${line}|${text.shown}`;
    if (shown.length >= limit) stopped = { nextOffset: line, stoppedBy: "limit" };
    else if (shown.length > 0 && chars + numbered.length + 1 > maxChars)
      stopped = { nextOffset: line, stoppedBy: "characters" };
    else {
      shown.push(numbered);
      chars += numbered.length + 1;
      if (text.isCut) cutLines++;
    }
  }

  return {
    feed(piece) {
      let index = isBeginning && hasBom(piece) ? 3 : 0;
      isBeginning = false;
      while (index < piece.length) {
        const result = piece.indexOf(lineEnd, index);
        take(piece.subarray(index, result < 0 ? piece.length : result));
        if (result < 0) return;
        endLine();
        index = result + 1;
      }
    },
    get isFull() {
      return stopped !== undefined;
    },
    end() {
      if (lineBytes > 0) endLine();
      return { content: shown.join("\n"), totalLines: line - 1, cutLines, ...stopped };
    },
  };
}

/** Adds a line. `bytes` is the line, or the beginning of a long one. */
function shownLine(
  bytes: Uint8Array,
  lineBytes: number,
  maxLineChars: number,
): { readonly shown: string; readonly isCut: boolean } {
  const isWhole = bytes.length === lineBytes;
  const own = isWhole && bytes.at(-1) === cr ? bytes.subarray(0, -1) : bytes;
  const text = decoder.decode(own);
  if (isWhole && text.length <= maxLineChars) return { shown: text, isCut: false };
  const length = isWhole ? own.length : lineBytes;
  return { shown: `${cut(text, maxLineChars)}… [cut: the line has ${length} bytes]`, isCut: true };
}

function hasBom(bytes: Uint8Array): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const lf = 0x0a;
const cr = 0x0d;
