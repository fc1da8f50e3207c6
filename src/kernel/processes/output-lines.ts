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
  let begun = "";
  return {
    async read(onLine, signal) {
      const { bytes, next, total } = await handle.output(from, signal);
      // Nothing is told twice, also when it could not be read just now.
      if (next < from) return false;
      if (next - bytes.length !== from) {
        // What lay between was dropped: what comes now is no end of the line before.
        decoder = new TextDecoder();
        begun = "";
      }
      from = next;
      for (let at = 0; at < bytes.length; at += sliceBytes) {
        // Much output must not keep everything else from running.
        if (at > 0) await new Promise(setImmediate);
        const lines = (begun + decoder.decode(bytes.subarray(at, at + sliceBytes), { stream: true })).split(/[\r\n]+/u);
        begun = (lines.pop() ?? "").slice(-maxLineChars);
        for (const line of lines) onLine(plainText(line));
      }
      return next < total && bytes.length > 0;
    },
    rest: () => (begun === "" ? undefined : plainText(begun)),
  };
}

/** Of an endless line the end is kept. */
const maxLineChars = 65_536;
const sliceBytes = 65_536;
