import { shownLine } from "./file-text.ts";
import type { Hit, Line } from "./search.ts";

/** What was found in one file, by line numbers. */
export interface MatchedFile {
  readonly hits: { readonly line: number; readonly lines: number; readonly content: string }[];
  readonly context: Map<number, string>;
  isBinary: boolean;
}

/** With the lines around them that are no hits themselves. */
export function withContext(path: string, file: MatchedFile, context: number): Hit[] {
  const around = (from: number, to: number): Line[] => {
    const lines: Line[] = [];
    for (let line = from; line <= to; line++) {
      const content = file.context.get(line);
      if (content !== undefined) lines.push({ line, content });
    }
    return lines;
  };
  return file.hits.map(({ line, lines, content }) => ({
    path,
    line,
    content,
    before: around(line - context, line - 1),
    after: around(line + lines, line + lines + context - 1),
  }));
}

/** The lines of a match; of very many only the first. `at`: where the match begins. */
export function shownBlock(text: string, at: number): string {
  const lines = text.replace(/\n$/u, "").split("\n");
  const [only = ""] = lines;
  if (lines.length === 1) return shownLine(only, at);
  const shown = lines.slice(0, mostBlockLines).map((line) => shownLine(line, 0));
  const left = lines.length - shown.length;
  return [...shown, ...(left > 0 ? [`… [${left} more lines]`] : [])].join("\n");
}

const mostBlockLines = 50;

export function lineCount(text: string): number {
  let count = text === "" || text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
