import type { Clock } from "../../../base/clock.ts";
import { looksBinary } from "../../../base/text/binary-text.ts";
import { terminalText } from "../../../base/text/terminal-text.ts";
import { cut } from "../../../base/text/text.ts";

/** Shows the last lines of a running command to people who are watching. */
export interface LiveOutput extends Disposable {
  add(chunk: Uint8Array): void;
  /** The last lines so far, complete or not. */
  tail(): string;
}

/** Calls `show` with the last lines, a few times a second at most. `clean` removes secrets. */
export function createLiveOutput(
  clock: Clock,
  clean: (text: string) => string,
  show: (lines: readonly string[]) => void,
): LiveOutput {
  let chunks: Uint8Array[] = [];
  let bytes = 0;
  let timer: Disposable | undefined;
  let isQuiet = false;

  function cleanEnd(isAll: boolean): string {
    const text = endOf(Buffer.concat(chunks), bytes > windowBytes, isAll);
    return looksBinary(text, text.length) ? "" : clean(terminalText(text)).trimEnd();
  }

  function showNow(): void {
    timer = undefined;
    // A secret could be split across chunks, so an unfinished line is shown only if nothing follows it for a while.
    const shown = cleanEnd(isQuiet);
    const lines = shown === "" ? [] : shown.split("\n");
    show(lines.slice(-maxLines).map((line) => cut(line, maxLineChars)));
    if (isQuiet) return;
    isQuiet = true;
    timer = clock.after(intervalMs, showNow);
  }

  return {
    add(chunk) {
      chunks.push(chunk);
      bytes += chunk.length;
      while (chunks.length > 1 && bytes - (chunks[0]?.length ?? 0) > windowBytes) bytes -= chunks.shift()?.length ?? 0;
      isQuiet = false;
      timer ??= clock.after(intervalMs, showNow);
    },
    tail: () => cleanEnd(true),
    [Symbol.dispose]() {
      timer?.[Symbol.dispose]();
      chunks = [];
    },
  };
}

/** The last lines of the text. `isAll`: includes an unfinished line. */
function endOf(all: Buffer, isCut: boolean, isAll: boolean): string {
  const text = new TextDecoder().decode(all.subarray(-windowBytes), { stream: true });
  const start = isCut || all.length > windowBytes ? text.indexOf("\n") + 1 : 0;
  const end = isAll ? text.length : Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1;
  return text.slice(start, Math.max(start, end));
}

const intervalMs = 200;
const windowBytes = 16_384;
const maxLines = 10;
const maxLineChars = 400;
