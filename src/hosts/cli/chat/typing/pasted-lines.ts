import type { Clock } from "../../../../base/clock.ts";

/** A line end after pasted lines counts as Enter if nothing follows within this time. */
const pasteMs = 30;

/** Distinguishes pasted lines from keys, so that pasted lines form one prompt. */
export function createPasting(
  clock: Clock,
  line: { type(bytes: Uint8Array): void; paste(lines: string): void; newline(): void },
): { take(bytes: Uint8Array): void } {
  let pastedAt = -Infinity;
  let enter: Disposable | undefined;
  return {
    take(bytes) {
      const goesOn = clock.elapsed() - pastedAt < pasteMs;
      const pasted = pastedLines(bytes, goesOn);
      enter?.[Symbol.dispose]();
      if (enter && goesOn) line.newline();
      enter = undefined;
      if (!pasted) return line.type(bytes);
      pastedAt = clock.elapsed();
      line.paste(pasted.text);
      line.type(pasted.rest);
      if (pasted.isEnded) enter = clock.after(pasteMs, () => line.type(Buffer.from("\r")));
    },
  };
}

/** Several lines that arrived together count as pasted, even if the terminal did not mark them. */
interface PastedLines {
  readonly text: string;
  /** True: the last line is complete. */
  readonly isEnded: boolean;
  /** The first bytes of a character whose other bytes have not arrived yet. */
  readonly rest: Uint8Array;
}

/**
 * Returns pasted lines. Undefined for typed keys: a single line, input with a control key, or lines that start with a
 * command and were typed ahead. `goesOn`: the previous lines arrived a moment ago, so a single line counts as pasted
 * too.
 */
function pastedLines(bytes: Uint8Array, goesOn: boolean): PastedLines | undefined {
  const whole = wholeCharacters(bytes);
  const typed = Buffer.from(bytes.subarray(0, whole)).toString("utf8");
  const lines = typed.replaceAll(/\r\n?/gu, "\n");
  const isSeveral = /\n[^\n]/u.test(lines) || (goesOn && lines.includes("\n"));
  if (!isSeveral || controlKeys.test(lines) || (!goesOn && lines.startsWith("/"))) return undefined;
  return { text: lines.replace(/\n$/u, ""), isEnded: lines.endsWith("\n"), rest: bytes.subarray(whole) };
}

// oxlint-disable-next-line no-control-regex -- control characters are what it finds
const controlKeys = /[\0-\x08\x0b-\x1f\x7f]/u;

function wholeCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 0;
    if (length > 0) return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
