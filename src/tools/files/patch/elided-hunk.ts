import { addedOmission, isElision, omittedCode } from "../edit/elided.ts";
import type { LineIndex } from "./line-index.ts";
import type { Hunk, HunkLine } from "./patch.ts";
import type { PatchFault } from "./unwrap.ts";

/** Returns the fault of a hunk that adds a line which stands for code left out. */
export function omittedIn({ lines }: Hunk, { texts }: LineIndex): PatchFault | undefined {
  const added = lines.filter(({ op, text }) => op === "+" && /\.{3}|…/u.test(text));
  if (added.length === 0) return undefined;
  const textOf = (ops: string) =>
    lines
      .filter(({ op }) => ops.includes(op))
      .map(({ text }) => text)
      .join("\n");
  const omission = addedOmission(texts.join("\n"), { old: textOf(" -"), new: textOf(" +") });
  const line = added.find(({ text }) => text.trim() === omission);
  return line && { line: line.line, message: omittedCode("the hunk", line.text.trim()) };
}

/**
 * Splits a hunk at context lines such as `...`, which stand for lines of the file. Returns the hunk alone if the file has
 * such a line itself, or if a part has no line that says where it is.
 */
export function piecesAroundElisions(hunk: Hunk, { texts }: LineIndex): readonly Hunk[] {
  const isOmission = ({ op, text }: HunkLine) => op === " " && isElision(text);
  if (!hunk.lines.some(isOmission) || texts.some(isElision)) return [hunk];
  const pieces: HunkLine[][] = [[]];
  for (const line of hunk.lines) {
    if (isOmission(line)) pieces.push([]);
    else pieces.at(-1)?.push(line);
  }
  const parts = pieces.filter((lines) => lines.some(({ op, text }) => op === "+" || text.trim() !== ""));
  if (!parts.every((lines) => lines.some(({ op, text }) => op !== "+" && text.trim() !== ""))) return [hunk];
  const { statedStart: _, ...rest } = hunk;
  return parts.map((lines, index) => ({
    ...(index === 0 ? hunk : rest),
    lines,
    hints: index === 0 ? hunk.hints : [],
    atEnd: hunk.atEnd && index === parts.length - 1,
  }));
}
