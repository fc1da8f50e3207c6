import { looksBinary } from "./binary-text.ts";
import { terminalText, type TerminalSize } from "./terminal-text.ts";
import { plural } from "./text.ts";

/** The part of a command's output that the model reads, and the path of the complete output. */
export interface ShownOutput {
  readonly text: string;
  /** The path of the complete output. Set only if something was omitted. */
  readonly cut?: { readonly note: string; readonly path?: string };
}

/**
 * The output as readable text: a line that was redrawn many times appears once, binary data is described, and long
 * output is shortened to its beginning and end. `pty`: the size of its terminal.
 */
export function showOutput(
  { head, tail, totalBytes, spillPath, spillFault }: CapturedBytes,
  pty?: TerminalSize,
): ShownOutput {
  if (totalBytes <= head.length + tail.length) return { text: describe(Buffer.concat([head, tail]), pty) };
  const first = toLineEnd(head);
  const last = fromLineStart(tail);
  const left = totalBytes - first.length - last.length;
  const where =
    spillPath === undefined
      ? `The rest could not be saved: ${spillFault ?? "there is no folder for it"}.`
      : `${totalBytes > wholeBytes ? "A long beginning and end of it are" : "All of it is"} in ${spillPath}: ` +
        "read the part you need with an offset and a limit, or search in it.";
  return {
    text: `${describe(first, pty)}\n[… ${plural(left, "byte")} left out …]\n${describe(last, pty)}`,
    cut: {
      note: `The first ${first.length} and the last ${last.length} of ${totalBytes} bytes are here. ${where}`,
      ...(spillPath !== undefined && { path: spillPath }),
    },
  };
}

/** The start and the end of an output, and the file with all of it if it is longer. */
export interface CapturedBytes {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  readonly totalBytes: number;
  readonly spillPath?: string;
  readonly spillFault?: string;
}

/** Files of longer outputs may lack the middle. */
const wholeBytes = 64 * 1024 * 1024;

/** A cut moves to a line end within this distance, so that no character or colour is split. */
const nearBytes = 2_000;

function toLineEnd(bytes: Uint8Array): Uint8Array {
  const end = bytes.lastIndexOf(lineFeed);
  if (end >= bytes.length - nearBytes && end > 0) return bytes.subarray(0, end + 1);
  return bytes.subarray(0, characterStart(bytes, bytes.length));
}

function fromLineStart(bytes: Uint8Array): Uint8Array {
  const index = bytes.indexOf(lineFeed);
  if (index >= 0 && index < nearBytes && index < bytes.length - 1) return bytes.subarray(index + 1);
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start += 1;
  return bytes.subarray(start);
}

const lineFeed = 0x0a;

/** `end`, or the start of the character that would cross `end`. */
function characterStart(bytes: Uint8Array, end: number): number {
  let start = end - 1;
  while (start > end - 4 && isContinuation(bytes[start])) start -= 1;
  const lead = bytes[start] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return start + length > end ? start : end;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function describe(bytes: Uint8Array, pty: TerminalSize | undefined): string {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  if (looksBinary(text, bytes.length)) return binaryNote(bytes);
  return terminalText(text, pty);
}

function binaryNote(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.subarray(0, 16))
    .toString("hex")
    .replaceAll(/(..)(?=.)/gu, "$1 ");
  const kind = kinds.find(([signature]) => start.startsWith(signature))?.[1] ?? "of an unknown kind";
  const more = bytes.length > 16 ? " …" : "";
  return (
    `[Binary output, ${kind}: ${plural(bytes.length, "byte")}, beginning with ${start}${more}. ` +
    "To work with it, send it to a file or through xxd, file or base64.]"
  );
}

const kinds: readonly (readonly [signature: string, kind: string])[] = [
  ["7f 45 4c 46", "an ELF program"],
  ["89 50 4e 47", "a PNG picture"],
  ["ff d8 ff", "a JPEG picture"],
  ["47 49 46 38", "a GIF picture"],
  ["25 50 44 46", "a PDF document"],
  ["50 4b 03 04", "a ZIP archive"],
  ["1f 8b", "gzip data"],
  ["28 b5 2f fd", "Zstandard data"],
  ["53 51 4c 69 74 65", "an SQLite database"],
];
