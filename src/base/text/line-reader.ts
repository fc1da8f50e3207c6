import type { StringDecoder } from "node:string_decoder";

export interface LineReader {
  push(bytes: Buffer): void;
  /** Ends the input. Text after the last line end counts as a line. */
  end(): void;
}

/**
 * Splits chunks of bytes into lines of text, ended by LF, CR or CRLF, without a byte order mark. Linear in the bytes
 * for any line length. After `tooLong`, no more lines are returned.
 */
export function createLineReader(
  maxChars: number,
  line: (text: string) => void,
  tooLong: (maxChars: number) => void,
): LineReader {
  const { StringDecoder } = process.getBuiltinModule("node:string_decoder");
  const decoder: StringDecoder = new StringDecoder("utf8");
  let pieces: string[] = [];
  let waiting = 0;
  let first = true;
  let afterReturn = false;
  let over = false;

  function keep(piece: string): void {
    waiting += piece.length;
    if (waiting > maxChars) {
      over = true;
      pieces = [];
      tooLong(maxChars);
    } else if (piece !== "") pieces.push(piece);
  }

  function complete(last: string): void {
    if (pieces.length === 0) return last.length > maxChars ? keep(last) : line(last);
    keep(last);
    if (over) return;
    const whole = pieces.length === 1 ? (pieces[0] ?? "") : pieces.join("");
    pieces = [];
    waiting = 0;
    line(whole);
  }

  function take(decoded: string): void {
    let text = decoded;
    if (text === "") return;
    if (first) {
      first = false;
      if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
    }
    if (afterReturn && text.charCodeAt(0) === 10) text = text.slice(1);
    afterReturn = text.charCodeAt(text.length - 1) === 13 || (afterReturn && text === "");
    if (text.includes("\r")) text = text.replaceAll(/\r\n?/gu, "\n");
    let from = 0;
    for (let index = text.indexOf("\n"); index >= 0; index = text.indexOf("\n", from)) {
      complete(text.slice(from, index));
      if (over) return;
      from = index + 1;
    }
    if (from < text.length) keep(from === 0 ? text : text.slice(from));
  }

  return {
    push(bytes) {
      if (!over) take(decoder.write(bytes));
    },
    end() {
      if (over) return;
      take(decoder.end());
      if (!over && pieces.length > 0) complete("");
    },
  };
}
