import { cut } from "../../base/text/text.ts";
import type { ProcessHandle } from "../../contracts/environment/environment.ts";
import { decodeFrom, lastBytes, shownOutput } from "../../contracts/environment/process-output.ts";

/** Some lines of a process's output, numbered from 0 in the kept part. */
export interface LogPage {
  readonly text: string;
  readonly lines: number;
  /** The first line of the page, if known. */
  readonly offset?: number;
  readonly totalLines?: number;
  /** Number of bytes dropped at the beginning. */
  readonly droppedBytes: number;
  /** True if there are fewer lines than requested, because they are too long. */
  readonly isCut: boolean;
}

/** Returns the last lines, read from the end. The total is known only if everything was read. */
export async function lastLines(handle: ProcessHandle, limit: number, signal: AbortSignal): Promise<LogPage> {
  for (let max = firstBytes; ; max *= 8) {
    const { bytes, from, total } = await lastBytes(handle, max, signal);
    const isAll = total <= max || bytes.length < max;
    const lines = splitLines(decodeFrom(bytes, from));
    // The first line may be the end of a longer line.
    if (!isAll) lines.shift();
    if (!isAll && lines.length < limit && max < maxBytes) continue;
    const request = lines.slice(-limit);
    const fitting = fitFromEnd(request);
    const counts = isAll && { offset: lines.length - fitting.length, totalLines: lines.length };
    return page(handle, fitting, { ...counts, droppedBytes: isAll ? from : 0, isCut: fitting.length < request.length });
  }
}

/** Returns the lines from `offset` on, read from the beginning. Counts lines to the end, unless that is very far. */
export async function linesFrom(
  handle: ProcessHandle,
  offset: number,
  limit: number,
  signal: AbortSignal,
): Promise<LogPage> {
  const decoder = new TextDecoder();
  const result: string[] = [];
  let chars = 0;
  let line = 0;
  let started = "";
  let droppedBytes = 0;
  let isCut = false;
  const take = (text: string) => {
    if (line >= offset && result.length < limit && !isCut) {
      if (result.length > 0 && chars + text.length > maxChars) isCut = true;
      else result.push(text);
      chars += text.length + 1;
    }
    line += 1;
  };
  let index = 0;
  for (;;) {
    const { bytes, next, total } = await handle.output(index, signal);
    if (index === 0) droppedBytes = next - bytes.length;
    index = next;
    const lines = (started + decoder.decode(bytes, { stream: true })).split("\n");
    started = cut(lines.pop() ?? "", maxChars);
    lines.forEach(take);
    if (next >= total || bytes.length === 0) break;
    if (next - droppedBytes > maxBytes && (result.length >= limit || isCut)) {
      return page(handle, result, { offset, droppedBytes, isCut });
    }
    // Lets other work run, because reading a file never waits.
    await new Promise(setImmediate);
  }
  if (started !== "") take(started);
  return page(handle, result, { offset, totalLines: line, droppedBytes, isCut });
}

const firstBytes = 65_536;
const maxBytes = 4 * 1024 * 1024;
/** The maximum number of characters of one result. */
const maxChars = 40_000;

function page(handle: ProcessHandle, lines: readonly string[], more: Omit<LogPage, "text" | "lines">): LogPage {
  const text = shownOutput(
    handle,
    lines.map((line) => line.replace(/\r$/u, "")).join(handle.isTerminal ? "\r\n" : "\n"),
  );
  return { text: cut(text, maxChars), lines: lines.length, ...more };
}

function splitLines(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Returns as many of the last lines as fit, and at least one. */
function fitFromEnd(lines: readonly string[]): readonly string[] {
  let chars = 0;
  let first = lines.length;
  while (first > 0) {
    chars += (lines[first - 1]?.length ?? 0) + 1;
    if (chars > maxChars && first < lines.length) break;
    first -= 1;
  }
  return lines.slice(first);
}
