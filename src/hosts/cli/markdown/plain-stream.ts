import type { Paint } from "../paint.ts";
import { cleanText } from "./clean-text.ts";
import type { MarkdownStream } from "./render-markdown.ts";
import { paintRuns } from "./text-runs.ts";
import { createRunWrap, type RunLine, type RunWrap } from "./wrap-runs.ts";

export interface PlainStreamOptions {
  readonly paint: Paint;
  columns(): number;
  /** A sum of `runStyles`. Default: plain. */
  readonly style?: number;
  /** Printed before every line. Default: nothing. */
  readonly margin?: string;
}

/** Unformatted text while it streams: only wrapped between words. */
export function createPlainStream({ paint, columns, style = 0, margin = "" }: PlainStreamOptions): MarkdownStream {
  const clean = cleanText();
  let line: RunWrap | undefined;

  function newLine(): RunWrap {
    const prefix: RunLine = margin === "" ? [] : [{ text: margin, style }];
    return createRunWrap({ columns, first: prefix, hang: prefix });
  }

  const painted = (lines: readonly RunLine[]) => lines.map((each) => paintRuns(each, { paint }));

  function end(): readonly RunLine[] {
    const lines = line?.end() ?? [];
    line = undefined;
    return lines;
  }

  return {
    push(text) {
      const lines: RunLine[] = [];
      for (const [index, piece] of clean.add(text).split("\n").entries()) {
        if (index > 0) lines.push(...(line ? end() : [[]]));
        if (piece !== "") lines.push(...(line ??= newLine()).add([{ text: piece, style }]));
      }
      return painted(lines);
    },
    open: (maxLines = Infinity) => painted(line?.open([]) ?? []).slice(-Math.min(maxLines, 1e6)),
    end: () => painted(end()),
  };
}
