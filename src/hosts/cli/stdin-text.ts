import { abortable } from "../../base/async/abort.ts";
import { reasonOf } from "../../base/result.ts";
import { CommandFailed, type CliIo } from "./command.ts";

/** Reads standard input as text, up to `maxBytes`. */
export async function readStdin(io: CliIo, maxBytes: number, signal: AbortSignal): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of chunks(io, signal)) {
    bytes += part.length;
    if (bytes > maxBytes)
      throw new CommandFailed(`Standard input is longer than ${maxBytes} bytes.`, "Send less input.");
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

/** Reads standard input line by line. Truncates a line over the limit and sets `tooLong`, so that memory use stays constant. */
export async function* stdinLines(
  io: CliIo,
  maxChars: number,
  signal: AbortSignal,
): AsyncGenerator<{ readonly text: string; readonly tooLong: boolean }> {
  const decoder = new TextDecoder();
  let pending = "";
  let tooLong = false;
  for await (const part of chunks(io, signal)) {
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

/** Chunks of standard input. An interrupt ends it, because the writer may never close the pipe. */
async function* chunks(io: CliIo, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const arriving = io.stdin[Symbol.asyncIterator]();
  for (;;) {
    const next = await abortable(arriving.next(), signal).catch((thrown: unknown) => {
      if (signal.aborted) throw new CommandFailed("Interrupted.", undefined, 130);
      throw new CommandFailed(`Cannot read standard input: ${reasonOf(thrown)}`, "Send text, or a file.");
    });
    if (next.done) return;
    yield next.value;
  }
}
