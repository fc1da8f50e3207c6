import type { TextEdit } from "./outcome.ts";

/**
 * Splits an edit that leaves out the same parts of the file in both texts by lines such as `...` or `// ... existing
 * code ...`. Returns the edits between these lines, in order, or undefined if the texts leave out different parts or the
 * file has such a line itself.
 */
export function editsAroundElisions(file: string, edit: TextEdit): readonly TextEdit[] | undefined {
  if (edit.replaceAll || !hasElision(edit.old) || hasElision(file)) return undefined;
  const old = piecesOf(edit.old);
  const replacement = piecesOf(edit.new);
  if (old.length < 2 || old.length !== replacement.length) return undefined;
  const edits: TextEdit[] = [];
  for (const [index, piece] of old.entries()) {
    const next = replacement[index] ?? "";
    if (piece.trim() !== "") edits.push({ old: piece, new: next, replaceAll: false });
    else if (next.trim() !== "") return undefined;
  }
  return edits.length > 0 ? edits : undefined;
}

function hasElision(text: string): boolean {
  return /\.{3}|…/.test(text) && text.split("\n").some((line) => elision.test(line));
}

/** Returns the texts between the lines that stand for something else, without the line ends around them. */
function piecesOf(text: string): string[] {
  const pieces: string[][] = [[]];
  for (const line of text.split("\n")) {
    if (elision.test(line)) pieces.push([]);
    else pieces.at(-1)?.push(line);
  }
  const last = pieces.at(-1);
  if (last?.at(-1) === "") last.pop();
  return pieces.map((lines) => lines.join("\n"));
}

export function isElision(line: string): boolean {
  return elision.test(line);
}

/** `...`, `# ...`, `// … rest of the function …`: dots alone, or words between dots in a comment. */
const elision =
  /^[ \t]*(?:(?:\.{3}|…)|(?:\/\/|#|--|;|\/\*|<!--)[ \t]*(?:\.{3}|…)(?:[\w ,'-]*(?:\.{3}|…))?[ \t]*(?:\*\/|-->)?)[ \t]*\r?$/;
