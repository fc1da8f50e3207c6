import { cut } from "../../../base/text/text.ts";

/** A file as text, as ripgrep reads it; undefined for a binary file: one with a NUL in its first `looked` bytes. */
export function decodeText(bytes: Uint8Array, looked: number): string | undefined {
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? "utf-16le"
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? "utf-16be"
        : undefined;
  if (encoding !== undefined) {
    const text = new TextDecoder(encoding).decode(bytes);
    const nul = text.indexOf("\0");
    return nul >= 0 && nul < looked ? undefined : text;
  }
  const nul = bytes.indexOf(0);
  if (nul >= 0 && nul < looked) return undefined;
  const hasBom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return decodeUtf8(hasBom ? bytes.subarray(3) : bytes);
}

/** Bytes that are not UTF-8 become U+DC80 to U+DCFF, which no text holds: patterns can tell them from characters. */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    return decodeLoose(bytes);
  }
}

/** For people: what is no character is shown as U+FFFD. */
export function shownText(text: string): string {
  return text.toWellFormed();
}

/** A line for an answer: without its line end, and when it is long the part around the match that begins at `at`. */
export function shownLine(text: string, at: number): string {
  const line = shownText(text.replace(/\r?\n?$/u, ""));
  if (line.length <= longestLine) return line;
  const from = Math.max(0, Math.min(at - leadChars, line.length - longestLine));
  const start = from > 0 && isLowSurrogate(line.charCodeAt(from)) ? from + 1 : from;
  const part = cut(line.slice(start), longestLine);
  return `${start > 0 ? "…" : ""}${part}${start + part.length < line.length ? "…" : ""}`;
}

export const longestLine = 500;
const leadChars = 150;

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decodeLoose(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length;) {
    const length = sequenceLength(bytes, at);
    if (length === 0) {
      text += String.fromCharCode(0xdc00 + (bytes[at] ?? 0));
      at++;
      continue;
    }
    // As much as is valid in one go.
    let end = at + length;
    for (let next = sequenceLength(bytes, end); next > 0; next = sequenceLength(bytes, end)) end += next;
    text += strict.decode(bytes.subarray(at, end));
    at = end;
  }
  return text;
}

/** Bytes of the character that begins here; 0 when none does. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at];
  if (first === undefined) return 0;
  if (first < 0x80) return 1;
  const second = bytes[at + 1] ?? 0;
  const isPart = (byte: number | undefined) => byte !== undefined && byte >= 0x80 && byte < 0xc0;
  if (first >= 0xc2 && first < 0xe0) return isPart(second) ? 2 : 0;
  if (first >= 0xe0 && first < 0xf0) {
    const isGood =
      first === 0xe0
        ? second >= 0xa0 && second < 0xc0
        : first === 0xed
          ? second >= 0x80 && second < 0xa0
          : isPart(second);
    return isGood && isPart(bytes[at + 2]) ? 3 : 0;
  }
  if (first >= 0xf0 && first < 0xf5) {
    const isGood =
      first === 0xf0
        ? second >= 0x90 && second < 0xc0
        : first === 0xf4
          ? second >= 0x80 && second < 0x90
          : isPart(second);
    return isGood && isPart(bytes[at + 2]) && isPart(bytes[at + 3]) ? 4 : 0;
  }
  return 0;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
