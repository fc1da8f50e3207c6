import { looksBinary } from "../../base/text/binary-text.ts";
import { terminalText, type TerminalSize } from "../../base/text/terminal-text.ts";
import { plural } from "../../base/text/text.ts";
import type { ProcessHandle, PtySize } from "./environment.ts";

/** Default size of a terminal. */
export const defaultPtySize: PtySize = { columns: 120, rows: 30 };

/**
 * The last `maxChars` characters of the output, as a person would read them. Starts at the beginning of a line if one
 * is nearby.
 */
export async function lastOutput(handle: ProcessHandle, maxChars: number, signal: AbortSignal): Promise<string> {
  const { bytes, from } = await lastBytes(handle, maxChars * bytesPerChar, signal);
  const text = shownOutput(handle, decodeFrom(bytes, from)).trimEnd();
  if (text.length <= maxChars) return text;
  const end = text.slice(-maxChars);
  const lineEnd = end.indexOf("\n");
  if (lineEnd >= 0 && lineEnd < nearChars) return end.slice(lineEnd + 1);
  // Drops half a surrogate pair.
  return /^[\udc00-\udfff]/.test(end) ? end.slice(1) : end;
}

const nearChars = 100;

/** Colours, redraws and wide characters need more bytes than readable characters. */
const bytesPerChar = 8;

/**
 * The last bytes of the output and their offset. Returns fewer than the maximum if the process wrote less or its oldest
 * output was dropped.
 */
export async function lastBytes(
  handle: ProcessHandle,
  max: number,
  signal: AbortSignal,
): Promise<{ readonly bytes: Uint8Array; readonly from: number; readonly total: number }> {
  const { total } = await handle.output(Number.MAX_SAFE_INTEGER, signal);
  const parts: Uint8Array[] = [];
  let start: number | undefined;
  for (let index = Math.max(0, total - max); index < total;) {
    const { bytes, next } = await handle.output(index, signal);
    if (bytes.length === 0) break;
    start ??= next - bytes.length;
    parts.push(bytes);
    index = next;
  }
  return { bytes: Buffer.concat(parts), from: start ?? total, total };
}

/** Drops partial characters at both ends of a chunk from the middle of the output. */
export function decodeFrom(bytes: Uint8Array, from: number): string {
  let start = 0;
  if (from > 0) while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return new TextDecoder().decode(bytes.subarray(start), { stream: true });
}

/** A chunk of output as a person would read it. Binary data is replaced by a description. */
export function shownOutput({ isTerminal }: Pick<ProcessHandle, "isTerminal">, text: string): string {
  if (looksBinary(text, text.length)) return `[Binary output, ${plural(text.length, "character")} of it]`;
  const size: TerminalSize | undefined = isTerminal ? defaultPtySize : undefined;
  return terminalText(text, size);
}
