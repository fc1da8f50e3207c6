import { looksBinary } from "../../base/text/binary-text.ts";
import { terminalText, type TerminalSize } from "../../base/text/terminal-text.ts";
import { plural } from "../../base/text/text.ts";
import type { ProcessHandle, PtySize } from "./environment.ts";

/** Of a terminal when nobody asked for another size. */
export const usualPtySize: PtySize = { columns: 120, rows: 30 };

/** The end of what a process wrote, as a person would read it: at most `maxChars` characters, from a line's start if one is near. */
export async function endOfOutput(handle: ProcessHandle, maxChars: number, signal: AbortSignal): Promise<string> {
  const { bytes, from } = await lastBytes(handle, maxChars * bytesPerChar, signal);
  const text = shownOutput(handle, decodeFrom(bytes, from)).trimEnd();
  if (text.length <= maxChars) return text;
  const end = text.slice(-maxChars);
  const lineEnd = end.indexOf("\n");
  if (lineEnd >= 0 && lineEnd < nearChars) return end.slice(lineEnd + 1);
  // Half a character is none.
  return /^[\udc00-\udfff]/.test(end) ? end.slice(1) : end;
}

const nearChars = 100;

/** Colours, redraws and wide characters take more bytes than what is left of them to read. */
const bytesPerChar = 8;

/** The last bytes of its output and where they begin. At most `most`, fewer when it wrote fewer or older ones were dropped. */
export async function lastBytes(
  handle: ProcessHandle,
  most: number,
  signal: AbortSignal,
): Promise<{ readonly bytes: Uint8Array; readonly from: number; readonly total: number }> {
  const { total } = await handle.output(Number.MAX_SAFE_INTEGER, signal);
  const parts: Uint8Array[] = [];
  let start: number | undefined;
  for (let at = Math.max(0, total - most); at < total;) {
    const { bytes, next } = await handle.output(at, signal);
    if (bytes.length === 0) break;
    start ??= next - bytes.length;
    parts.push(bytes);
    at = next;
  }
  return { bytes: Buffer.concat(parts), from: start ?? total, total };
}

/** Bytes from the middle of the output may begin and end in the middle of a character, which is left out then. */
export function decodeFrom(bytes: Uint8Array, from: number): string {
  let start = 0;
  if (from > 0) while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return new TextDecoder().decode(bytes.subarray(start), { stream: true });
}

/** A piece of what it wrote, as a person would read it. Binary data is described. */
export function shownOutput({ isTerminal }: Pick<ProcessHandle, "isTerminal">, text: string): string {
  if (looksBinary(text, text.length)) return `[Binary output, ${plural(text.length, "character")} of it]`;
  const size: TerminalSize | undefined = isTerminal ? usualPtySize : undefined;
  return terminalText(text, size);
}
