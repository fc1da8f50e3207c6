import { textWidth } from "../../../base/text/text-width.ts";
import type { Paint } from "../paint.ts";

/** Text in one style. It has no control characters except `\n`, which breaks the line. */
export interface TextRun {
  readonly text: string;
  /** A sum of `runStyles`. */
  readonly style: number;
  /** The address that it links to. */
  readonly url?: string;
}

export const runStyles = {
  plain: 0,
  bold: 1,
  italic: 2,
  underline: 4,
  dim: 8,
  accent: 16,
  good: 32,
  warn: 64,
  bad: 128,
} as const;

/** Converts runs to text for a terminal. */
export interface RunLook {
  readonly paint: Paint;
  /** True: the terminal has links (OSC 8). */
  readonly hyperlinks?: boolean;
}

/** The runs of one line as painted text. Neighbours of the same style share their colours. */
export function paintRuns(runs: readonly TextRun[], look: RunLook): string {
  let line = "";
  for (let index = 0; index < runs.length;) {
    const { style, url } = runs[index] ?? { style: 0 };
    let text = "";
    for (; index < runs.length && runs[index]?.style === style && runs[index]?.url === url; index++)
      text += runs[index]?.text ?? "";
    line += linked(styled(text, style, look.paint), url, look);
  }
  return line;
}

export function runsWidth(runs: readonly TextRun[]): number {
  return textWidth(runs.length === 1 ? (runs[0]?.text ?? "") : runText(runs));
}

export function runText(runs: readonly TextRun[]): string {
  let text = "";
  for (const run of runs) text += run.text;
  return text;
}

export function withStyle(runs: readonly TextRun[], style: number): readonly TextRun[] {
  return runs.map((run) => ({ ...run, style: run.style | style }));
}

function styled(text: string, style: number, paint: Paint): string {
  if (style === 0 || text === "") return text;
  let painted = text;
  if (style & runStyles.accent) painted = paint.accent(painted);
  else if (style & runStyles.good) painted = paint.good(painted);
  else if (style & runStyles.warn) painted = paint.warn(painted);
  else if (style & runStyles.bad) painted = paint.bad(painted);
  if (style & runStyles.dim) painted = paint.dim(painted);
  if (style & runStyles.underline) painted = paint.underline(painted);
  if (style & runStyles.italic) painted = paint.italic(painted);
  return style & runStyles.bold ? paint.bold(painted) : painted;
}

function linked(text: string, url: string | undefined, { hyperlinks, paint }: RunLook): string {
  if (url === undefined || !hyperlinks || !paint.isColoured) return text;
  return `\u001b]8;;${url}\u001b\\${text}\u001b]8;;\u001b\\`;
}
