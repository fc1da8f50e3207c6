import { err, ok, type Result } from "../../../base/result.ts";

/** One line of the patch text, without its line end. */
export interface PatchLine {
  readonly text: string;
  /** The line number, starting at 1. */
  readonly number: number;
  readonly endsInCr: boolean;
}

export interface PatchFault {
  readonly line: number;
  readonly message: string;
}

/**
 * Returns the lines of the patch in a text. Text around it is skipped: prose, a prompt, a code fence, a heredoc, quote
 * marks before every line. The first line may be missing if a section follows, and the last one if the patch is the end
 * of the text. Two patches are read as one if nothing is between them; otherwise the second one is a fault.
 */
export function unwrapPatch(text: string): Result<readonly PatchLine[], PatchFault> {
  const all = patchLines(text);
  const begin = all.findIndex((line) => isMark(line, beginPatch));
  const first = begin >= 0 ? begin : all.findIndex(startsFile);
  const [opening] = all.slice(Math.max(first, 0));
  if (first < 0 || opening === undefined) {
    const shown = all.find((line) => line.text.trim() !== "");
    return err({
      line: shown?.number ?? 1,
      message: noBegin(shown?.text),
    });
  }
  const lines = unquoted(all.slice(first), /^[\s>|]*/u.exec(opening.text)?.[0] ?? "");
  const end = endOf(lines);
  if (end < 0) return ok(withoutTail(lines.slice(begin >= 0 ? 1 : 0), all.slice(0, first)));
  const own = lines.slice(begin >= 0 ? 1 : 0, end);
  const rest = lines.slice(end + 1);
  const other = rest.findIndex((line) => isMark(line, beginPatch) || startsFile(line));
  if (other < 0) return ok(own);
  const next = rest[other];
  if (rest.slice(0, other).some((line) => line.text.trim() !== "")) return err(secondPatch(next?.number ?? 1));
  const following = unwrapPatch(rest.map((line) => line.text).join("\n"));
  if (!following.ok) return err(secondPatch(next?.number ?? 1));
  const offset = (rest[0]?.number ?? 1) - 1;
  return ok([...own, ...following.value.map((line) => ({ ...line, number: line.number + offset }))]);
}

/** Matches a line that begins the section of a file. */
export function startsFile({ text }: PatchLine): boolean {
  return /^[\s>|]*\*\*\*\s*(?:Add|Update|Delete|Move)\s+File(?::|\s+\S)/iu.test(text);
}

const beginPatch = "*** begin patch";
const endPatch = "*** end patch";

function secondPatch(line: number): PatchFault {
  return { line, message: "a second patch begins after the end of the first; send one patch at a time" };
}

function isMark({ text }: PatchLine, mark: string): boolean {
  return (
    text
      .replace(/^[\s>|]*/u, "")
      .trimEnd()
      .toLowerCase() === mark
  );
}

/** A context line can look like the last line. The last line has no space before it, unless it is the only one. */
function endOf(lines: readonly PatchLine[]): number {
  const plain = lines.findIndex(({ text }) => text.trimEnd().toLowerCase() === endPatch);
  return plain >= 0 ? plain : lines.findLastIndex((line) => isMark(line, endPatch));
}

/** Returns the lines without the quote marks or spaces with which every line begins. */
function unquoted(lines: readonly PatchLine[], prefix: string): readonly PatchLine[] {
  const end = lines.findIndex((line) => isMark(line, endPatch));
  const quoted = end < 0 ? lines : lines.slice(0, end + 1);
  const isQuoted = ({ text }: PatchLine) => text.startsWith(prefix) || prefix.startsWith(text.trimEnd());
  if (prefix === "" || !quoted.every(isQuoted)) return lines;
  return lines.map((line) => ({ ...line, text: line.text.slice(prefix.length) }));
}

/**
 * Returns the lines without the text that follows a patch without a last line: the end of a fence or heredoc, and
 * prose.
 */
function withoutTail(lines: readonly PatchLine[], before: readonly PatchLine[]): readonly PatchLine[] {
  const word = before.map(({ text }) => /<<-?\s*["']?(\w+)["']?\s*$/u.exec(text)?.[1]).findLast(Boolean);
  const last = lines.findLastIndex(({ text }) => /^[+-]|^@@|^\*\*\*/u.test(text));
  const tail = lines.findIndex(
    ({ text }, index) => index > last && (text.trim() === word || (/^\S/u.test(text) && !text.startsWith("\\"))),
  );
  return tail < 0 ? lines : lines.slice(0, tail);
}

export function patchLines(text: string): PatchLine[] {
  return text
    .replace(/^\uFEFF/u, "")
    .split(text.includes("\n") ? "\n" : "\r")
    .map((line, index) => {
      const endsInCr = line.endsWith("\r");
      return { text: endsInCr ? line.slice(0, -1) : line, number: index + 1, endsInCr };
    });
}

function noBegin(match: string | undefined): string {
  const rule = `the first line must be "*** Begin Patch"`;
  return match === undefined ? `the patch is empty; ${rule}` : rule;
}
