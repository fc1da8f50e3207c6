import { type DiffNames, nameIn, namesInGitHeader, patchedFile, unquotedName, withoutPrefix } from "./diff-paths.ts";
import { hintIn, hunkLines, lineNumbers } from "./hunk-lines.ts";
import { MalformedPatch, patchedPath, quotedLine } from "./malformed-patch.ts";
import type { Hunk, HunkLine, Patch, PatchSection } from "./patch.ts";
import { type PatchLine, startsFile } from "./unwrap.ts";

/**
 * Returns the lines of a unified diff in a text, without quote marks or spaces before every line. Undefined if the text
 * has none, or has a V4A section first.
 */
export function unifiedDiffIn(all: readonly PatchLine[]): readonly PatchLine[] | undefined {
  const first = all.findIndex((_, index) => startsDiff(all, index));
  const section = all.findIndex(startsFile);
  if (section >= 0 && (first < 0 || section < first)) return undefined;
  if (first < 0) return all.some(({ text }) => lineNumbers.test(text)) ? all : undefined;
  const prefix = quoteBefore(all[first]);
  const lines = all.slice(first);
  if (prefix === "") return lines;
  const end = lines.findIndex(({ text }) => text.trim() !== "" && !text.startsWith(prefix.trimEnd()));
  return lines
    .slice(0, end < 0 ? lines.length : end)
    .map((line) => ({ ...line, text: line.text.slice(prefix.length) }));
}

function startsDiff(lines: readonly PatchLine[], index: number): boolean {
  const prefix = quoteBefore(lines[index]);
  const text = (lines[index]?.text ?? "").slice(prefix.length);
  if (/^diff --(?:git|cc|combined) \S/u.test(text)) return true;
  const next = lines[index + 1]?.text ?? "";
  const rest = next.startsWith(prefix) ? next.slice(prefix.length) : "";
  return /^--- \S/u.test(text) ? /^\+\+\+ \S/u.test(rest) || lineNumbers.test(rest) : false;
}

function quoteBefore(line: PatchLine | undefined): string {
  return /^[\s>|]*/u.exec(line?.text ?? "")?.[0] ?? "";
}

/** Parses a unified diff, as `diff -u`, `git diff` and `git format-patch` write it. Text between files is skipped. */
export function readUnifiedDiff(lines: readonly PatchLine[]): Patch {
  const sections: PatchSection[] = [];
  const notes = new Set<string>();
  for (let index = 0; index < lines.length;) {
    const line = lines[index];
    if (line === undefined) break;
    if (/^diff --(?:cc|combined) |^@@@ /u.test(line.text)) throw new MalformedPatch(line.number, combined);
    if (startsFile(line)) throw new MalformedPatch(line.number, "a V4A section follows a unified diff; send one patch");
    if (line.text.startsWith("diff --git ") || startsNames(lines, index)) {
      const read = readFile(lines, index);
      if (read.section !== undefined) sections.push(read.section);
      if (read.note !== undefined) notes.add(read.note);
      index = read.end;
    } else if (lineNumbers.test(line.text)) throw new MalformedPatch(line.number, nameless);
    else index++;
  }
  return { sections, notes: [...notes] };
}

const combined = "this is a combined diff of a merge; send the diff against one parent";
const nameless = `no file is named before this hunk; write "--- a/PATH" and "+++ b/PATH" above it`;

function startsNames(lines: readonly PatchLine[], index: number): boolean {
  const [text = "", next = ""] = [lines[index]?.text, lines[index + 1]?.text];
  if (/^--- \S/u.test(text)) return /^\+\+\+ \S/u.test(next) || lineNumbers.test(next);
  return /^\+\+\+ \S/u.test(text) && lineNumbers.test(next);
}

interface ReadFile {
  readonly section: PatchSection | undefined;
  /** A part of the diff that is not applied. */
  readonly note: string | undefined;
  readonly end: number;
}

/** The facts in the lines between `diff --git` and the first hunk. */
interface GitFacts {
  readonly names: DiffNames | undefined;
  readonly isNew: boolean;
  readonly isDeleted: boolean;
  readonly renamed: { readonly from: string; readonly to: string; readonly isCopy: boolean } | undefined;
  readonly hasMode: boolean;
}

function readFile(lines: readonly PatchLine[], start: number): ReadFile {
  const head = lines[start];
  const line = head?.number ?? 1;
  const git = head?.text.startsWith("diff --git ") ? readGitFacts(lines, start) : undefined;
  let index = git?.end ?? start;
  let names = git?.facts.names;
  if (startsNames(lines, index)) {
    const [first, second] = [lines[index], lines[index + 1]];
    const isPair = second?.text.startsWith("+++ ");
    const old = first && nameIn(first);
    const next = isPair && second ? nameIn(second) : old && withoutPrefix(old);
    if (first) names = { old, next, line: first.number };
    index += isPair ? 2 : 1;
  }
  const hunks: Hunk[] = [];
  while (lines[index]?.text.startsWith("@@")) {
    const read = readHunk(lines, index);
    hunks.push(read.hunk);
    index = read.end;
  }
  if (names === undefined) throw new MalformedPatch(line, `${quotedLine(head?.text ?? "")}: the paths are not clear`);
  return {
    section: sectionOf(names, git?.facts, hunks, line),
    note: noteOf(git?.facts),
    end: Math.max(index, start + 1),
  };
}

function readGitFacts(lines: readonly PatchLine[], start: number): { readonly facts: GitFacts; readonly end: number } {
  const header = lines[start];
  const values = new Map<string, string>();
  let index = start + 1;
  for (; index < lines.length; index++) {
    const { text = "", number = 1 } = lines[index] ?? {};
    if (/^(?:GIT binary patch|Binary files .* differ)/u.test(text))
      throw new MalformedPatch(number, "the diff changes a binary file, which only git can apply");
    const [, name, value = ""] = gitLine.exec(text) ?? [];
    if (name === undefined) break;
    values.set(name, value);
    if (name.endsWith("mode") && /^1[26]0000$/u.test(value))
      throw new MalformedPatch(number, "the diff changes a link or a submodule, which only git can apply");
  }
  const pair = (kind: string) => ({ from: values.get(`${kind} from`), to: values.get(`${kind} to`) });
  const [moved, copied] = [pair("rename"), pair("copy")];
  const { from, to } = moved.from === undefined ? copied : moved;
  const facts = {
    names: header && namesInGitHeader(header),
    isNew: values.has("new file mode"),
    isDeleted: values.has("deleted file mode"),
    renamed:
      from === undefined || to === undefined
        ? undefined
        : { from: unquotedName(from), to: unquotedName(to), isCopy: moved.from === undefined },
    hasMode: values.has("new mode") || values.get("new file mode") === "100755",
  };
  return { facts, end: index };
}

const gitLine =
  /^(index|old mode|new mode|new file mode|deleted file mode|similarity index|dissimilarity index|rename from|rename to|copy from|copy to) (.*)$/u;

function noteOf(facts: GitFacts | undefined): string | undefined {
  return facts?.hasMode ? "file modes in the diff were not applied; use chmod" : undefined;
}

function sectionOf(
  names: DiffNames,
  facts: GitFacts | undefined,
  hunks: readonly Hunk[],
  line: number,
): PatchSection | undefined {
  const { renamed } = facts ?? {};
  if (renamed !== undefined) {
    const moveTo = { path: patchedPath(renamed.to, line), line, ...(renamed.isCopy && { isCopy: true as const }) };
    return { kind: "update", path: patchedPath(renamed.from, line), line, moveTo, hunks };
  }
  const path = patchedFile(names);
  if (facts?.isNew || names.old === undefined) return { kind: "add", path, line, text: newText(hunks, line) };
  if (facts?.isDeleted || names.next === undefined) return { kind: "delete", path, line, hunks };
  // With the header of git, or with other hunks, lines above the first line do not mean a new file.
  const isKnown = facts !== undefined || hunks.length > 1;
  if (hunks.length > 0)
    return { kind: "update", path, line, hunks: isKnown ? hunks.map((hunk) => ({ ...hunk, isUpdate: true })) : hunks };
  // The diff changes only the mode of the file.
  if (facts?.hasMode) return undefined;
  throw new MalformedPatch(line, `no hunk follows; write "@@" and the lines to change in ${path}`);
}

/** Returns the text of a new file. */
function newText(hunks: readonly Hunk[], line: number): string {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const other = lines.find(({ op, text }) => op !== "+" && text.trim() !== "");
  if (other !== undefined) throw new MalformedPatch(other.line, `every line of a new file begins with "+"`);
  if (hunks.length > 1) throw new MalformedPatch(hunks[1]?.line ?? line, "a new file has one hunk");
  const text = lines.map((each) => each.text + (each.isCrlf ? "\r\n" : "\n")).join("");
  return lines.at(-1)?.isUnended ? text.replace(/\r?\n$/u, "") : text;
}

interface ReadHunk {
  readonly hunk: Hunk;
  readonly end: number;
}

function readHunk(lines: readonly PatchLine[], start: number): ReadHunk {
  const { text = "", number = 1, endsInCr = false } = lines[start] ?? {};
  const numbers = lineNumbers.exec(text);
  const count = (index: number) => (numbers?.[index] === undefined ? 1 : Number(numbers[index]));
  const end = (numbers && endByCounts(lines, start + 1, count(2), count(4))) ?? endByLooks(lines, start + 1);
  const given = lines.slice(start + 1, end);
  const own = hunkLines(given);
  if (own.length === 0)
    throw new MalformedPatch(number, `no line follows ${quotedLine(text)}; a hunk has lines with " ", "-" or "+"`);
  const crlf = new Set(given.filter((line) => line.endsInCr && !endsInCr).map((line) => line.number));
  refuseLineEndChange(own, crlf);
  const hint = hintIn(text);
  const oldStart = Number(numbers?.[1]);
  const hasOld = own.some(({ op }) => op !== "+");
  const hunk: Hunk = {
    line: number,
    hints: hint === undefined ? [] : [hint],
    lines: own.map((line) => (crlf.has(line.line) ? { ...line, isCrlf: true } : line)),
    atEnd: false,
    // A hunk without old lines comes after the line in its header.
    ...(numbers && { statedStart: hasOld ? Math.max(0, oldStart - 1) : oldStart }),
  };
  return { hunk, end };
}

/** Returns the end of a hunk by the numbers in its header, or undefined if they are wrong. */
function endByCounts(lines: readonly PatchLine[], start: number, old: number, next: number): number | undefined {
  let index = start;
  let [oldLeft, nextLeft] = [old, next];
  while (oldLeft > 0 || nextLeft > 0) {
    const text = lines[index]?.text;
    if (text === undefined) return undefined;
    const isContext = text === "" || text.startsWith(" ");
    if (!isContext && !/^[+-]|^\\ /u.test(text)) return undefined;
    if (isContext || text.startsWith("-")) oldLeft--;
    if (isContext || text.startsWith("+")) nextLeft--;
    index++;
  }
  if (oldLeft < 0 || nextLeft < 0) return undefined;
  while (lines[index]?.text.startsWith("\\ ")) index++;
  const after = lines[index]?.text ?? "";
  const isMore = /^[ +-]/u.test(after) && !/^-- ?$/u.test(after) && !startsNames(lines, index);
  return isMore ? undefined : index;
}

/**
 * Returns the end of a hunk without counts: the next header or fence, or the last changed line and the context below
 * it.
 */
function endByLooks(lines: readonly PatchLine[], start: number): number {
  let end = start;
  while (end < lines.length && !endsHunk(lines, end)) end++;
  const own = lines.slice(start, end);
  const changed = own.findLastIndex(({ text }) => /^[+-]/u.test(text));
  const tail = own.findIndex(({ text }, index) => index > changed && /^[^\s\\]/u.test(text));
  const kept = tail < 0 ? own : own.slice(0, tail);
  return start + kept.findLastIndex(({ text }) => text !== "") + 1;
}

function endsHunk(lines: readonly PatchLine[], index: number): boolean {
  const { text = "" } = lines[index] ?? {};
  return (
    /^(?:@@|diff --git |Index: |```|\*\*\* (?:End|Begin) Patch|-- ?$)/u.test(text) ||
    startsNames(lines, index) ||
    (lines[index] !== undefined && startsFile(lines[index]))
  );
}

/** A hunk that only changes CRLF to LF or back would have no effect, because lines get the line ends of the file. */
function refuseLineEndChange(lines: readonly HunkLine[], crlf: ReadonlySet<number>): void {
  const changed = (op: "-" | "+") => lines.filter((line) => line.op === op);
  const [removed, added] = [changed("-"), changed("+")];
  const isSame = removed.length === added.length && removed.every(({ text }, index) => text === added[index]?.text);
  const first = added.find((line, index) => crlf.has(line.line) !== crlf.has(removed[index]?.line ?? 0));
  if (isSame && first !== undefined && removed.length > 0)
    throw new MalformedPatch(first.line, "the hunk changes only line ends; rewrite the file instead");
}
