import type { Readable } from "node:stream";

import { plainText } from "../../base/text/ansi.ts";
import { type CapturedBytes, showOutput } from "../../base/text/shown-output.ts";
import type { CodeOutcome } from "../../contracts/code/code-run.ts";

/** Keeps the start and the end of an output in memory, and the whole of a longer output in a file. */
export interface OutputCapture {
  /** Copies the chunk. If it returns false, wait for `onReady` before adding more. */
  add(chunk: Uint8Array): boolean;
  end(): Promise<CapturedBytes>;
}

export type CaptureOutput = (onReady: () => void) => OutputCapture;

/** The start of the output: 40 % of 50,000 bytes. */
export const outputBytes = { head: 20_000, tail: 30_000 } as const;
/** Characters of standard error: its end, which has the cause. */
const errorChars = { head: 4_000, tail: 6_000 } as const;

/** Reads the standard output of a process. */
export interface ScriptOutput {
  /** Resolves when the process and all that share its output have closed it. */
  readonly closed: Promise<void>;
  /** Ends the capture and returns the output so far. Later output is ignored. */
  end(): Promise<Pick<CodeOutcome, "output" | "captured">>;
}

export function readPrinted(
  stdout: Readable,
  capture: CaptureOutput,
  printed: (chunk: Uint8Array) => void,
): ScriptOutput {
  const kept = capture(() => stdout.resume());
  let isOver = false;
  const closed = new Promise<void>((resolve) => void stdout.once("close", () => resolve()));
  stdout.on("error", () => {});
  stdout.on("data", (chunk: Buffer) => {
    if (isOver) return;
    printed(chunk);
    if (!kept.add(chunk)) stdout.pause();
  });
  return {
    closed,
    async end() {
      isOver = true;
      stdout.resume();
      return printedText(await kept.end());
    },
  };
}

function printedText(bytes: CapturedBytes): Pick<CodeOutcome, "output" | "captured"> {
  const { text, cut } = showOutput(bytes);
  return {
    output: text,
    captured: {
      isTruncated: cut !== undefined,
      bytesCaptured: cut ? bytes.head.length + bytes.tail.length : bytes.totalBytes,
      bytesTotal: bytes.totalBytes,
      ...(cut?.path !== undefined && { spill: cut.path }),
      ...(cut && { note: cut.note }),
    },
  };
}

/** Reads the start and the end of standard error. The returned function returns the text so far. */
export function readErrors(stderr: Readable): () => string {
  let [head, tail, chars] = ["", "", 0];
  stderr.on("error", () => {});
  stderr.on("data", (text: string) => {
    chars += text.length;
    const room = errorChars.head - head.length;
    head += text.slice(0, room);
    tail = (tail + text.slice(room)).slice(-errorChars.tail);
  });
  return () => {
    const left = chars - head.length - tail.length;
    return plainText(left > 0 ? `${head}\n[… ${left} characters left out …]\n${tail}` : head + tail);
  };
}
