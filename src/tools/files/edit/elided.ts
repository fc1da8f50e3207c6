import { oneLine } from "../../../base/text/text.ts";
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

/** Returns a line of the new text that stands for code left out, if neither the old text nor the file has it. */
export function addedOmission(file: string, edit: Pick<TextEdit, "old" | "new">): string | undefined {
  if (!/\.{3}|…/.test(edit.new)) return undefined;
  const olds = edit.old.split("\n").filter((line) => omission.test(line)).length;
  const added = edit.new.split("\n").filter((line) => omission.test(line));
  if (added.length <= olds) return undefined;
  return added.find((line) => !edit.old.includes(line.trim()) && !file.includes(line.trim()))?.trim();
}

export function omittedCode(where: string, line: string): string {
  return `${where} has the line "${oneLine(line, 160)}", which stands for code that is left out. Write the lines themselves, or replace a smaller part`;
}

/** `// ... rest of the function`, `# … existing code …`, `(rest of methods ...)`: alone in a comment or in brackets. */
const omission =
  /^[ \t]*(?:(?:\/\/|#|--|;|\/\*|<!--|\{\/\*)[ \t]*|\()(?:(?:\.{3}|…)[ \t]*)?(?:\(?(?:the|all|your)[ \t]+)?(?:rest|existing|remaining|remainder|unchanged|same)\b[\w ,'-]{0,60}(?:(?:\.{3}|…)|(?<=(?:\.{3}|…)[^\n]{0,80}))[ \t]*\)?[ \t]*(?:\*\/\}?|-->)?[ \t]*\r?$/i;
