import { MalformedPatch, quotedLine } from "./malformed-patch.ts";
import type { PatchLine } from "./unwrap.ts";

/**
 * Rewrites each context diff in a text (`diff -c`, with `*** OLD`, `--- NEW` and a row of stars) as a unified diff.
 * Every line keeps its number; all other text stays.
 */
export function contextDiffsAsUnified(lines: readonly PatchLine[]): readonly PatchLine[] {
  if (!lines.some(({ text }) => hunkStart.test(text))) return lines;
  const written: PatchLine[] = [];
  for (let index = 0; index < lines.length;) {
    const [old, next] = [lines[index], lines[index + 1]];
    if (old === undefined) break;
    if (next !== undefined && startsNames(lines, index)) {
      written.push({ ...old, text: `---${old.text.slice(3)}` }, { ...next, text: `+++${next.text.slice(3)}` });
      index += 2;
      while (hunkStart.test(lines[index]?.text ?? "")) {
        const hunk = readHunk(lines, index);
        written.push(...hunk.lines);
        index = hunk.end;
      }
    } else {
      written.push(old);
      index++;
    }
  }
  return written;
}

const hunkStart = /^\*{15}(?:\s.*)?$/u;
const oldRange = /^\*\*\* (\d+)(?:,\d+)? \*{4}\s*$/u;
const newRange = /^--- (\d+)(?:,(\d+))? -{4}\s*$/u;

function startsNames(lines: readonly PatchLine[], index: number): boolean {
  const [old = "", next = "", stars = ""] = [0, 1, 2].map((ahead) => lines[index + ahead]?.text);
  return /^\*\*\* \S/u.test(old) && /^--- \S/u.test(next) && hunkStart.test(stars);
}

function readHunk(lines: readonly PatchLine[], start: number): { lines: readonly PatchLine[]; end: number } {
  const header = lines[start + 1];
  const oldStart = oldRange.exec(header?.text ?? "")?.[1];
  if (header === undefined || oldStart === undefined)
    throw new MalformedPatch(lines[start]?.number ?? 1, `a row of stars is followed by "*** FIRST,LAST ****"`);
  const oldEnd = endOfPart(lines, start + 2, lines.length);
  const range = newRange.exec(lines[oldEnd]?.text ?? "");
  if (range === null) {
    const { text = "", number = header.number } = lines[oldEnd] ?? {};
    throw new MalformedPatch(number, `${quotedLine(text)}: below the old lines comes "--- FIRST,LAST ----"`);
  }
  const [, newStart = "1", newLast = newStart] = range;
  const end = endOfPart(lines, oldEnd + 1, Number(newLast) - Number(newStart) + 1);
  const changed = (part: readonly PatchLine[]) => (part.some(({ text }) => /^[!+-]/u.test(text)) ? part : []);
  const [old, next] = [changed(lines.slice(start + 2, oldEnd)), changed(lines.slice(oldEnd + 1, end))];
  const merged = merge(old.length > 0 ? old : unchanged(next), next.length > 0 ? next : unchanged(old));
  const count = (marks: string) => merged.filter(({ text }) => marks.includes(text[0] ?? "")).length;
  const numbers = `@@ -${oldStart},${count(" -")} +${newStart},${count(" +")} @@`;
  // A part that has only context is left out of a hunk, so blank lines below the range are not part of it.
  return { lines: [{ ...header, text: numbers }, ...merged], end: next.length > 0 ? end : oldEnd + 1 };
}

/** Returns the index after the lines of one side, at most `count` of them. */
function endOfPart(lines: readonly PatchLine[], start: number, count: number): number {
  let index = start;
  for (let left = count; index < lines.length; index++) {
    const text = lines[index]?.text ?? "";
    if (noNewline.test(text)) continue;
    if (left-- <= 0 || newRange.test(text) || !/^(?:[ !+-](?: |$)|$)/u.test(text)) break;
  }
  return index;
}

const noNewline = /^\\ /u;

/** The context lines of one side, which are the lines of the other side if that is left out. */
function unchanged(part: readonly PatchLine[]): readonly PatchLine[] {
  return part.filter(({ text }, index) => isContext(noNewline.test(text) ? part[index - 1]?.text : text));
}

function isContext(text = ""): boolean {
  return !/^[!+-]/u.test(text);
}

/** Joins both sides: removed lines, then added lines, up to the next line that both have. */
function merge(old: readonly PatchLine[], next: readonly PatchLine[]): readonly PatchLine[] {
  const merged: PatchLine[] = [];
  let [oldIndex, nextIndex] = [0, 0];
  /** Moves the lines that only this side has. */
  const takeChanges = (part: readonly PatchLine[], from: number, mark: "-" | "+") => {
    let index = from;
    for (let line = part[index]; line !== undefined && !isContext(line.text); line = part[index]) {
      merged.push({ ...line, text: mark + line.text.slice(2) });
      index++;
      const note = part[index];
      if (note !== undefined && noNewline.test(note.text)) {
        merged.push(note);
        index++;
      }
    }
    return index;
  };
  for (;;) {
    oldIndex = takeChanges(old, oldIndex, "-");
    nextIndex = takeChanges(next, nextIndex, "+");
    const [before, after] = [old[oldIndex++], next[nextIndex++]];
    if (before === undefined && after === undefined) return merged;
    const line = before ?? after;
    if (line === undefined || before?.text.trimEnd() !== after?.text.trimEnd())
      throw new MalformedPatch(
        (after ?? line)?.number ?? 1,
        `${quotedLine((after ?? line)?.text ?? "")}: both halves of a hunk have the same context lines`,
      );
    merged.push(noNewline.test(line.text) ? line : { ...line, text: ` ${line.text.slice(2)}` });
  }
}
