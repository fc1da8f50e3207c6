import { CommandFailed, type CliIo } from "./command.ts";

/** All of standard input as text, up to a bound. */
export async function readStdin(io: CliIo, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of io.stdin) {
    bytes += part.length;
    if (bytes > maxBytes)
      throw new CommandFailed(`Standard input is longer than ${maxBytes} bytes.`, "Send less at once.");
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

/** Standard input line by line. A line over the bound is yielded cut, with `tooLong` set, and memory stays flat. */
export async function* stdinLines(
  io: CliIo,
  maxChars: number,
): AsyncGenerator<{ readonly text: string; readonly tooLong: boolean }> {
  const decoder = new TextDecoder();
  let pending = "";
  let tooLong = false;
  for await (const part of io.stdin) {
    const pieces = decoder.decode(part, { stream: true }).split("\n");
    for (const [index, piece] of pieces.entries()) {
      pending += piece;
      if (pending.length > maxChars) {
        pending = pending.slice(0, 200);
        tooLong = true;
      }
      if (index === pieces.length - 1) break;
      yield { text: pending, tooLong };
      pending = "";
      tooLong = false;
    }
  }
  pending += decoder.decode();
  if (pending.length > 0) yield { text: pending, tooLong };
}
