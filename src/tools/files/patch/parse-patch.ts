import { err, ok, type Result } from "../../../base/result.ts";
import { oneLine } from "../../../base/text/text.ts";
import { hasChanges, type Hunk, type HunkLine, type Patch, type PatchSection } from "./patch.ts";
import { endPatch, textAfterEnd, unwrapPatch, type PatchFault, type PatchLine } from "./unwrap.ts";

/**
 * Parses a V4A patch. A malformed part is a fault with its line, from 1. Skips or repairs only trailing blanks of
 * marker lines, blank lines between sections, and the wrapping that `unwrapPatch` removes. Never throws.
 */
export function parsePatch(text: string): Result<Patch, PatchFault> {
  const lines = unwrapPatch(text);
  if (!lines.ok) return lines;
  try {
    return ok({ sections: readSections(lines.value) });
  } catch (thrown) {
    if (thrown instanceof Malformed) return err(thrown.fault);
    throw thrown;
  }
}

class Malformed extends Error {
  readonly fault: PatchFault;
  constructor(line: number, message: string) {
    super(message);
    this.fault = { line, message };
  }
}

/** The lines, read one after the other. */
interface Reader {
  readonly peek: () => PatchLine | undefined;
  readonly take: () => void;
}

function readSections(lines: readonly PatchLine[]): readonly PatchSection[] {
  let index = 0;
  const reader: Reader = { peek: () => lines[index], take: () => void index++ };
  const sections: PatchSection[] = [];
  for (let line = reader.peek(); line !== undefined; line = reader.peek()) {
    reader.take();
    if (isBlank(line)) continue;
    if (line.text.trimEnd() === endPatch) throw new Malformed(...afterEnd(lines, index));
    sections.push(readSection(line, reader));
  }
  const [first] = sections;
  if (first === undefined) throw new Malformed(2, "the patch is empty; name at least one file");
  if (!sections.some(changesSomething))
    throw new Malformed(first.line, "the patch changes nothing: no line with + or -");
  return sections;
}

function readSection(header: PatchLine, reader: Reader): PatchSection {
  const line = header.number;
  const [, verb, rest = ""] = /^\*\*\* (Add|Update|Delete|Move) File:(.*)$/u.exec(header.text.trim()) ?? [];
  switch (verb) {
    case "Add":
      return { kind: "add", path: pathIn(rest, line), line, text: readNewText(header, reader) };
    case "Delete":
      return { kind: "delete", path: pathIn(rest, line), line };
    case "Move": {
      const [from = "", to = "", more] = rest.split(" -> ");
      if (to.trim() === "" || more !== undefined)
        throw new Malformed(line, `a move is written "*** Move File: OLD -> NEW"`);
      return { kind: "update", path: pathIn(from, line), line, moveTo: { path: pathIn(to, line), line }, hunks: [] };
    }
    case "Update": {
      const path = pathIn(rest, line);
      const moveTo = readMove(reader);
      const hunks = readHunks(reader);
      if (hunks.length === 0 && moveTo === undefined)
        throw new Malformed(line, `no hunk follows; write "@@" and the lines to change in ${path}`);
      return { kind: "update", path, line, ...(moveTo === undefined ? {} : { moveTo }), hunks };
    }
    default:
      throw new Malformed(line, `${quoted(header.text)} is not a section; ${sectionsAre}`);
  }
}

/** The lines of a new file. Their line ends are LF, unless they alone in the patch have CRLF. */
function readNewText(header: PatchLine, reader: Reader): string {
  let text = "";
  for (let line = reader.peek(); line !== undefined; line = reader.peek()) {
    if (!line.text.startsWith("+")) break;
    reader.take();
    text += `${line.text.slice(1)}${line.endsInCr && !header.endsInCr ? "\r\n" : "\n"}`;
  }
  const blank = reader.peek();
  while (isBlank(reader.peek())) reader.take();
  const next = reader.peek();
  if (next === undefined || next.text.trim().startsWith("*** ")) return text;
  const culprit = blank ?? next;
  throw new Malformed(
    culprit.number,
    `${quoted(culprit.text)}: every line of a new file begins with "+", blank ones too`,
  );
}

function readMove(reader: Reader): { path: string; line: number } | undefined {
  const line = reader.peek();
  const rest = line === undefined ? undefined : /^\*\*\* Move to:(.*)$/u.exec(line.text)?.[1];
  if (line === undefined || rest === undefined) return undefined;
  reader.take();
  return { path: pathIn(rest, line.number), line: line.number };
}

function readHunks(reader: Reader): readonly Hunk[] {
  const hunks: Hunk[] = [];
  while (isBlank(reader.peek())) reader.take();
  for (let line = reader.peek(); line !== undefined && !startsSection(line); line = reader.peek()) {
    hunks.push(readHunk(line, reader));
  }
  return hunks;
}

function readHunk(first: PatchLine, reader: Reader): Hunk {
  const hints = readHints(reader);
  const given: PatchLine[] = [];
  for (let line = reader.peek(); line !== undefined; line = reader.peek()) {
    if (startsSection(line) || line.text.startsWith("@@") || line.text.trimEnd() === endOfFile) break;
    reader.take();
    given.push(line);
  }
  const atEnd = reader.peek()?.text.trimEnd() === endOfFile;
  if (atEnd) readEnd(reader);
  const own = (atEnd ? given : withoutSeparators(given, hints)).map(readHunkLine);
  if (own.length === 0)
    throw new Malformed(first.number, `no line follows ${quoted(first.text)}; a hunk has lines with " ", "-" or "+"`);
  return { line: first.number, hints, lines: own, atEnd };
}

function readHints(reader: Reader): readonly string[] {
  const hints: string[] = [];
  for (let line = reader.peek(); line?.text.startsWith("@@") === true; line = reader.peek()) {
    reader.take();
    const marker = line.text.trimEnd();
    if (/^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/u.test(marker))
      throw new Malformed(
        line.number,
        `line numbers are not used; write "@@", or "@@ " and a line of the file above the change`,
      );
    if (marker !== "@@" && !/^@@\s/u.test(marker))
      throw new Malformed(line.number, `${quoted(marker)}: a blank belongs between "@@" and the line of the file`);
    const hint = /\s@@$/u.test(marker) ? marker.slice(3, -2).trimEnd() : marker.slice(3);
    if (hint.trim() !== "") hints.push(hint);
  }
  return hints;
}

function readEnd(reader: Reader): void {
  reader.take();
  while (isBlank(reader.peek())) reader.take();
  const next = reader.peek();
  if (next !== undefined && !startsSection(next) && !next.text.startsWith("@@"))
    throw new Malformed(next.number, `after "${endOfFile}" comes "@@" or the next file, not ${quoted(next.text)}`);
}

function readHunkLine({ text, number }: PatchLine): HunkLine {
  if (text === "") return { op: " ", text: "", line: number };
  const [op] = text;
  if (op === " " || op === "-" || op === "+") return { op, text: text.slice(1), line: number };
  if (text.startsWith("\\"))
    throw new Malformed(number, `${quoted(text)} is of unified diffs; here the file keeps its own last line end`);
  throw new Malformed(number, `${quoted(text)}: a line of a hunk begins with " " (context), "-" or "+"`);
}

/**
 * Empty lines at the end of a hunk are as often separators as context. They never change the result, so they do not
 * help to locate it, except below a hint without other lines.
 */
function withoutSeparators(lines: readonly PatchLine[], hints: readonly string[]): readonly PatchLine[] {
  const own = lines.slice(0, lines.findLastIndex(({ text }) => text !== "") + 1);
  const needsThem = hints.length > 0 && own.length > 0 && own.every(({ text }) => text.startsWith("+"));
  return needsThem ? lines : own;
}

function startsSection({ text }: PatchLine): boolean {
  return text.startsWith("***") && text.trimEnd() !== endOfFile;
}

function changesSomething(section: PatchSection): boolean {
  return section.kind !== "update" || section.moveTo !== undefined || section.hunks.some(hasChanges);
}

function pathIn(rest: string, line: number): string {
  const path = rest.trim();
  if (path === "") throw new Malformed(line, "the path is missing");
  if (path.length > maxPathChars) throw new Malformed(line, `the path has more than ${maxPathChars} characters`);
  if (/(?:^|\/)\.{0,2}$/u.test(path)) throw new Malformed(line, `${quoted(path)} is a folder, not a file`);
  // oxlint-disable-next-line no-control-regex -- that is what is looked for
  if (/[\u0000-\u001f\u007f]/u.test(path)) throw new Malformed(line, `${quoted(path)}: control characters in a path`);
  return path;
}

function afterEnd(lines: readonly PatchLine[], from: number): [line: number, message: string] {
  const { line, message } = textAfterEnd(lines.slice(from).find((each) => !isBlank(each))?.number ?? from);
  return [line, message];
}

function isBlank(line: PatchLine | undefined): boolean {
  return line?.text.trim() === "";
}

function quoted(text: string): string {
  return JSON.stringify(oneLine(text, 80));
}

const maxPathChars = 4096;
const endOfFile = "*** End of File";
const sectionsAre = `a section begins with "*** Add File: ", "*** Update File: ", "*** Delete File: " or "*** Move File: "`;
