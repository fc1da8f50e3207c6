import { plainText } from "../../base/text/ansi.ts";
import type { ProcessHandle } from "../../contracts/environment/environment.ts";

/** Whole lines of a process, each once, however its output was cut into pieces. */
export interface OutputLines {
  /** Lines that were finished since the last time. True when there may be more at once. */
  read(onLine: (line: string) => void, signal: AbortSignal): Promise<boolean>;
  /** The last line when no line end follows it. */
  rest(): string | undefined;
}

export function createOutputLines(handle: ProcessHandle): OutputLines {
  let decoder = new TextDecoder();
  let from = 0;
  let partial = "";
  return {
    async read(onLine, signal) {
      const { bytes, next, total } = await handle.output(from, signal);
      // No line is reported twice, also when reading failed just now.
      if (next < from) return false;
      if (next - bytes.length !== from) {
        // The output in between was dropped: this does not continue the line before.
        decoder = new TextDecoder();
        partial = "";
      }
      from = next;
      for (let offset = 0; offset < bytes.length; offset += sliceBytes) {
        // Much output must not keep everything else from running.
        if (offset > 0) await new Promise(setImmediate);
        const lines = (partial + decoder.decode(bytes.subarray(offset, offset + sliceBytes), { stream: true })).split(
          /[\r\n]+/u,
        );
        partial = (lines.pop() ?? "").slice(-maxLineChars);
        for (const line of lines) onLine(plainText(line));
      }
      return next < total && bytes.length > 0;
    },
    rest: () => (partial === "" ? undefined : plainText(partial)),
  };
}

/** Of an endless line the end is kept. */
const maxLineChars = 65_536;
const sliceBytes = 65_536;
