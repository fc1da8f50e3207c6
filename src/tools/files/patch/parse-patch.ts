import { err, ok, type Result } from "../../../base/result.ts";
import { contextDiffsAsUnified } from "./context-diff.ts";
import { hintIn, hunkLines, lineNumbers } from "./hunk-lines.ts";
import { withoutJson } from "./json-wrapping.ts";
import { MalformedPatch, patchedPath, quotedLine } from "./malformed-patch.ts";
import { hasChanges, type Hunk, type Patch, type PatchSection } from "./patch.ts";
import { readUnifiedDiff, unifiedDiffIn } from "./read-unified-diff.ts";
import { hasSearchBlocks, readSearchBlocks } from "./search-blocks.ts";
import { patchLines, unwrapPatch, type PatchFault, type PatchLine } from "./unwrap.ts";

/**
 * Parses a V4A patch, a unified or context diff, or SEARCH/REPLACE blocks. A malformed part is a fault with its line, from 1. Unambiguous deviations are
 * accepted: JSON around it, the text around that `unwrapPatch` removes, context lines without the blank that marks
 * them, blank lines without a plus in a new file, line numbers after `@@`, the note on a missing last line end. Never throws.
 */
export function parsePatch(given: string): Result<Patch, PatchFault> {
  const text = withoutJson(given);
  try {
    const all = contextDiffsAsUnified(patchLines(text));
    if (hasSearchBlocks(all)) return ok(checked(readSearchBlocks(all)));
    const diff = unifiedDiffIn(all);
    if (diff !== undefined) return ok(checked(readUnifiedDiff(diff)));
    const lines = unwrapPatch(text);
    return lines.ok ? ok(checked({ sections: readSections(lines.value) })) : lines;
  } catch (thrown) {
    if (thrown instanceof MalformedPatch) return err(thrown.fault);
    throw thrown;
  }
}

function checked(patch: Patch): Patch {
  const [first] = patch.sections;
  if (first === undefined) throw new MalformedPatch(2, "the patch is empty; name at least one file");
  if (!patch.sections.some(changesSomething))
    throw new MalformedPatch(first.line, "the patch changes nothing: no line with + or -");
  return patch;
}

/** The lines of the patch, which are read one after the other. */
interface Reader {
  readonly peek: (ahead?: number) => PatchLine | undefined;
  readonly take: () => void;
}

function readSections(lines: readonly PatchLine[]): readonly PatchSection[] {
  let index = 0;
  const reader: Reader = { peek: (ahead = 0) => lines[index + ahead], take: () => void index++ };
  const sections: PatchSection[] = [];
  for (let line = reader.peek(); line !== undefined; line = reader.peek()) {
    reader.take();
    if (isBlank(line)) continue;
    sections.push(readSection(line, reader));
  }
  return sections;
}

function readSection(header: PatchLine, reader: Reader): PatchSection {
  const line = header.number;
  const [, verb = "", rest = ""] =
    /^\*\*\*\s*(Add|Update|Delete|Move)\s+File(?::|\s)(.*)$/iu.exec(header.text.trim()) ?? [];
  switch (verb.toLowerCase()) {
    case "add":
      return { kind: "add", path: patchedPath(rest, line), line, text: readNewText(header, reader) };
    case "delete":
      while (reader.peek()?.text.startsWith("-")) reader.take();
      return { kind: "delete", path: patchedPath(rest, line), line };
    case "move": {
      const [from = "", to = "", more] = rest.split(" -> ");
      if (to.trim() === "" || more !== undefined)
        throw new MalformedPatch(line, `a move is written "*** Move File: OLD -> NEW"`);
      const moveTo = { path: patchedPath(to, line), line };
      return { kind: "update", path: patchedPath(from, line), line, moveTo, hunks: readHunks(reader) };
    }
    case "update": {
      const path = patchedPath(rest, line);
      const above = readMove(reader);
      skipFileNames(reader);
      const hunks = readHunks(reader);
      const moveTo = above ?? readMove(reader);
      if (hunks.length === 0 && moveTo === undefined)
        throw new MalformedPatch(line, `no hunk follows; write "@@" and the lines to change in ${path}`);
      return { kind: "update", path, line, ...(moveTo === undefined ? {} : { moveTo }), hunks };
    }
    default:
      throw new MalformedPatch(line, `${quotedLine(header.text)} is not a section; ${sectionsAre}`);
  }
}

/** Handles `--- a/f` and `+++ b/f` above line numbers, as in a unified diff. */
function skipFileNames(reader: Reader): void {
  const [old, next, numbers] = [reader.peek(), reader.peek(1), reader.peek(2)];
  if (!old?.text.startsWith("--- ") || !next?.text.startsWith("+++ ") || !lineNumbers.test(numbers?.text ?? "")) return;
  reader.take();
  reader.take();
}

/** Returns the lines of a new file. Their line ends are LF, unless only these lines in the patch have CRLF. */
function readNewText(header: PatchLine, reader: Reader): string {
  const lines: PatchLine[] = [];
  for (let line = reader.peek(); line !== undefined && !startsSection(line); line = reader.peek()) {
    reader.take();
    lines.push(line);
  }
  const isNote = ({ text }: PatchLine) => text.startsWith("\\ ");
  const own = lines.slice(0, lines.findLastIndex((line) => !isBlank(line)) + 1);
  const isEnded = !own.some(isNote);
  // If no line has a plus, the plus is not a marker.
  const isPlain = own.every(({ text }) => /^[^+ @\\-]|^\s*$/u.test(text));
  const culprit = own.find((line) => !isPlain && !line.text.startsWith("+") && !isBlank(line) && !isNote(line));
  if (culprit !== undefined)
    throw new MalformedPatch(culprit.number, `${quotedLine(culprit.text)}: every line of a new file begins with "+"`);
  const text = own
    .filter((line) => !isNote(line))
    .map(({ text, endsInCr }) => `${isPlain ? text : text.slice(1)}${endsInCr && !header.endsInCr ? "\r\n" : "\n"}`)
    .join("");
  return isEnded ? text : text.replace(/\r?\n$/u, "");
}

function readMove(reader: Reader): { path: string; line: number } | undefined {
  const line = reader.peek();
  const rest = line === undefined ? undefined : /^\*\*\* Move to:(.*)$/u.exec(line.text)?.[1];
  if (line === undefined || rest === undefined) return undefined;
  reader.take();
  return { path: patchedPath(rest, line.number), line: line.number };
}

function readHunks(reader: Reader): readonly Hunk[] {
  const hunks: Hunk[] = [];
  while (isBlank(reader.peek()) || isBareMark(reader)) reader.take();
  for (let line = reader.peek(); line !== undefined && !startsSection(line); line = reader.peek()) {
    hunks.push(readHunk(line, reader));
    if (isBareMark(reader)) reader.take();
  }
  return hunks;
}

function readHunk(first: PatchLine, reader: Reader): Hunk {
  const hints = readHints(reader);
  const given: PatchLine[] = [];
  for (let line = reader.peek(); line !== undefined; line = reader.peek()) {
    if (startsSection(line) || line.text.startsWith("@@") || line.text.trimEnd() === endOfFile) break;
    if (isBareMark(reader)) break;
    reader.take();
    given.push(line);
  }
  const atEnd = reader.peek()?.text.trimEnd() === endOfFile;
  if (atEnd) readEnd(reader);
  const own = hunkLines(atEnd ? given : withoutSeparators(given, hints));
  const blank = given.at(-1);
  if (own.length > 0 && own.length < given.length && blank?.text === "" && own.every(({ op }) => op === "+"))
    throw new MalformedPatch(
      blank.number,
      `an empty line below added lines alone is context or a separator; write " " if it is context, or remove it`,
    );
  if (own.length === 0)
    throw new MalformedPatch(
      first.number,
      `no line follows ${quotedLine(first.text)}; a hunk has lines with " ", "-" or "+"`,
    );
  const [, start = 0] = lineNumbers.exec(first.text) ?? [];
  const isStated = Number(start) > 0 && own.some(({ op }) => op !== "+");
  return { line: first.number, hints, lines: own, atEnd, ...(isStated && { statedStart: Number(start) - 1 }) };
}

/** Whether the next line is only stars, as a mark without its words, and a hunk or section begins or ends there. */
function isBareMark(reader: Reader): boolean {
  const next = reader.peek(1);
  return (
    reader.peek()?.text.trim() === "***" && (next === undefined || next.text.startsWith("@@") || startsSection(next))
  );
}

function readHints(reader: Reader): readonly string[] {
  const hints: string[] = [];
  for (let line = reader.peek(); line?.text.startsWith("@@") === true; line = reader.peek()) {
    reader.take();
    const hint = hintIn(line.text);
    if (hint !== undefined) hints.push(hint);
  }
  return hints;
}

function readEnd(reader: Reader): void {
  reader.take();
  while (isBlank(reader.peek())) reader.take();
  const next = reader.peek();
  if (next !== undefined && !startsSection(next) && !next.text.startsWith("@@"))
    throw new MalformedPatch(
      next.number,
      `after "${endOfFile}" comes "@@" or the next file, not ${quotedLine(next.text)}`,
    );
}

/**
 * Empty lines at the end of a hunk may be separators or context. They never change the result, so they are not used to
 * locate it, except below a hint without other lines.
 */
function withoutSeparators(lines: readonly PatchLine[], hints: readonly string[]): readonly PatchLine[] {
  const own = lines.slice(0, lines.findLastIndex(({ text }) => text !== "") + 1);
  const needsThem = hints.length > 0 && own.length > 0 && own.every(({ text }) => text.startsWith("+"));
  return needsThem ? lines : own;
}

function startsSection({ text }: PatchLine): boolean {
  return /^\*\*\*\s*\p{L}/u.test(text) && text.trimEnd() !== endOfFile;
}

function changesSomething(section: PatchSection): boolean {
  if (section.kind === "replace") return section.old !== section.new;
  return section.kind !== "update" || section.moveTo !== undefined || section.hunks.some(hasChanges);
}

function isBlank(line: PatchLine | undefined): boolean {
  return line?.text.trim() === "";
}

const endOfFile = "*** End of File";
const sectionsAre = `a section begins with "*** Add File: ", "*** Update File: ", "*** Delete File: " or "*** Move File: "`;
