import { posix } from "node:path";

import { err, ok, type Result } from "../../../base/result.ts";
import { driftNote } from "./drift.ts";
import { createWorkBudget, indexLines, WorkBudgetExceeded, type WorkBudget } from "./line-index.ts";
import type { Hunk, Patch, PatchSection } from "./patch.ts";
import { placeHunks, type Placement } from "./place-hunks.ts";
import { replaceBlock } from "./replace-block.ts";

/** The state of a path before the patch. `other`: it exists but is not a text file, with the reason. */
export type PatchTarget =
  | { readonly kind: "file"; readonly text: string }
  | { readonly kind: "free" }
  | { readonly kind: "other"; readonly reason: string };

/** All changes of one path. An undefined text means that there is no file. */
export interface FileChange {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** The previous path of a moved file. */
  readonly movedFrom?: string;
}

export interface AppliedPatch {
  /** The changes, one per path, in the order of the patch. A file that was added and deleted again is omitted. */
  readonly changes: readonly FileChange[];
  /** Notes about inexact matches, one sentence each. */
  readonly drifts: readonly string[];
}

export interface ApplyFault {
  /** The line of the patch, starting at 1. */
  readonly line: number;
  readonly path: string;
  readonly message: string;
}

/**
 * Computes the result of a patch without writing: every section applies, or there is a fault. Context lines keep the
 * file's spelling. Paths are compared by their spelling after resolving `.`, `..` and double slashes; the caller must
 * resolve symbolic links first. Never throws unless `look` does.
 */
export function applyPatch(patch: Patch, look: (path: string) => PatchTarget): Result<AppliedPatch, ApplyFault> {
  const drifts: string[] = [...(patch.notes ?? [])];
  const effort = createWorkBudget(maxSteps);
  const desk = createDesk(look, effort);
  for (const section of patch.sections) {
    try {
      const done = applySection(section, desk, drifts, effort);
      if (!done.ok) return done;
    } catch (thrown) {
      if (thrown instanceof WorkBudgetExceeded)
        return err({ line: section.line, path: section.path, message: tooMuch });
      throw thrown;
    }
  }
  return ok({ changes: desk.changes(), drifts });
}

/** The files after applying the sections so far. */
interface Desk {
  look(path: string): PatchTarget;
  put(path: string, text: string | undefined, movedFrom?: string): void;
  changes(): readonly FileChange[];
}

function createDesk(look: (path: string) => PatchTarget, effort: WorkBudget): Desk {
  const changed = new Map<string, FileChange>();
  const folders = new Set<string>();
  const first = (path: string) => {
    const target = look(path);
    return target.kind === "file" ? target.text : undefined;
  };
  return {
    look(path) {
      const change = changed.get(path);
      if (folders.has(path)) return { kind: "other", reason: "this is a folder" };
      if (change === undefined) return look(path);
      return change.after === undefined ? { kind: "free" } : { kind: "file", text: change.after };
    },
    put(path, after, movedFrom) {
      const before = changed.has(path) ? changed.get(path)?.before : first(path);
      const origin =
        movedFrom === undefined ? changed.get(path)?.movedFrom : (changed.get(movedFrom)?.movedFrom ?? movedFrom);
      const moved = origin === undefined || after === undefined ? {} : { movedFrom: origin };
      changed.set(path, { path, before, after, ...moved });
      if (after === undefined) return;
      for (const folder of foldersOf(path)) {
        effort.spend(folder.length);
        folders.add(folder);
      }
    },
    changes: () => [...changed.values()].filter(({ before, after }) => before !== undefined || after !== undefined),
  };
}

function applySection(
  section: PatchSection,
  desk: Desk,
  drifts: string[],
  effort: WorkBudget,
): Result<void, ApplyFault> {
  const { line } = section;
  const path = posix.normalize(section.path);
  const there = desk.look(path);
  if (there.kind === "other") return err({ line, path, message: there.reason });
  if (section.kind === "add") {
    if (there.kind === "file" && there.text === section.text) {
      drifts.push(`${path}: the file already exists with this content`);
      return ok(undefined);
    }
    if (there.kind === "file" && there.text !== "")
      return err({
        line,
        path,
        message: `the file exists already, with other content; change it with an update of its lines`,
      });
    const blocked = blockedBy(path, desk);
    if (blocked !== undefined) return err({ line, path, message: blocked });
    return ok(desk.put(path, section.text));
  }
  const created = there.kind === "free" && section.kind === "update" ? createdText(section.hunks) : undefined;
  if (created !== undefined) return applySection({ kind: "add", path, line, text: created }, desk, drifts, effort);
  if (there.kind === "free") {
    const verb = section.kind === "replace" ? "update" : section.kind;
    return err({ line, path, message: `there is no such file to ${verb}` });
  }
  if (section.kind === "delete") {
    const left = rewrite(there.text, section.hunks ?? [], path, [], effort);
    if (!left.ok) return left;
    if (section.hunks !== undefined && section.hunks.length > 0 && left.value !== "")
      return err({ line, path, message: "the file has lines that the diff does not remove; it was not deleted" });
    return ok(desk.put(path, undefined));
  }
  if (section.kind === "replace") return replace(there.text, section, path, desk, drifts);
  const text = rewrite(there.text, section.hunks, path, drifts, effort);
  if (!text.ok) return text;
  if (section.moveTo === undefined) return ok(desk.put(path, text.value));
  return move(path, section.moveTo, text.value, desk);
}

function replace(
  text: string,
  block: Extract<PatchSection, { kind: "replace" }>,
  path: string,
  desk: Desk,
  drifts: string[],
): Result<void, ApplyFault> {
  const replaced = replaceBlock(text, block);
  if (!replaced.ok) return err({ line: block.line, path, message: replaced.error });
  const { drift } = replaced.value;
  if (drift.length > 0) drifts.push(`${path}: block at line ${block.line}: ${drift.join(" and ")} differ`);
  return ok(desk.put(path, replaced.value.text));
}

/** Returns the text of a file that does not exist yet, if the numbers of a unified diff say so. */
function createdText(hunks: readonly Hunk[]): string | undefined {
  const [only, ...more] = hunks;
  if (only?.statedStart !== 0 || more.length > 0 || only.lines.some(({ op }) => op !== "+")) return undefined;
  return only.lines.map(({ text, isUnended }) => text + (isUnended ? "" : "\n")).join("");
}

function move(
  from: string,
  to: { readonly path: string; readonly line: number; readonly isCopy?: true },
  text: string,
  desk: Desk,
): Result<void, ApplyFault> {
  const path = posix.normalize(to.path);
  const there = desk.look(path);
  const used =
    there.kind === "file"
      ? "a file with this name already exists and would be overwritten"
      : there.kind === "other"
        ? there.reason
        : undefined;
  const blocked = used ?? blockedBy(path, desk, from);
  if (blocked !== undefined) return err({ line: to.line, path, message: blocked });
  if (to.isCopy) return ok(desk.put(path, text));
  desk.put(path, text, from);
  return ok(desk.put(from, undefined));
}

/** Returns whether a parent of the path is a file. */
function blockedBy(path: string, desk: Desk, leaving?: string): string | undefined {
  const file = foldersOf(path).find((folder) => folder !== leaving && desk.look(folder).kind === "file");
  return file === undefined ? undefined : `${file} is a file, not a folder`;
}

/** Returns the folders above a path, nearest first. */
function* foldersOf(path: string): Generator<string> {
  for (let folder = posix.dirname(path); folder !== "." && folder !== "/"; folder = posix.dirname(folder)) yield folder;
}

function rewrite(
  content: string,
  hunks: readonly Hunk[],
  path: string,
  drifts: string[],
  effort: WorkBudget,
): Result<string, ApplyFault> {
  if (hunks.length === 0) return ok(content);
  const file = splitFile(content);
  const placed = placeHunks(hunks, indexLines(file.texts, effort), effort);
  if (!placed.ok) return err({ ...placed.error, path });
  const { placements, applied } = placed.value;
  for (const { drift, start, hunk } of placements) {
    if (drift !== "exact") drifts.push(`${path}: line ${start + 1}, hunk at line ${hunk.line}: ${driftNote(drift)}`);
  }
  for (const { line } of applied) drifts.push(`${path}: the hunk at line ${line} is applied already; it was skipped`);
  return ok(joinFile(file, layOver(file, placements), isEnded(file, placements)));
}

/** Returns whether the last line has a line end afterwards: as before, unless the patch says otherwise. */
function isEnded({ texts, ends }: FileLines, placements: readonly Placement[]): boolean {
  const wasEnded = ends.at(-1) !== "";
  const last = placements.findLast(
    ({ start, lines }) => start + lines.filter(({ op }) => op !== "+").length === texts.length,
  );
  const isNoted = (except: "-" | "+") => last?.lines.findLast(({ op }) => op !== except)?.isUnended === true;
  return isNoted("+") === wasEnded ? wasEnded : !isNoted("-");
}

/**
 * Returns the file with the changes. A new line gets the line end of the line that it replaces, or of the one above it.
 */
function layOver({ texts, ends }: FileLines, placements: readonly Placement[]): readonly ResultLine[] {
  const result: ResultLine[] = [];
  let offset = 0;
  function keepUntil(until: number): void {
    for (; offset < until; offset++) result.push({ text: texts[offset] ?? "", end: ends[offset] });
  }
  for (const { start, lines } of placements) {
    let old = start;
    for (const { op, text } of lines) {
      if (op === " ") old++;
      else {
        keepUntil(old);
        if (op === "-") offset = ++old;
        else result.push({ text, end: ends[offset - 1] ?? ends[offset] });
      }
    }
  }
  keepUntil(texts.length);
  return result;
}

/**
 * The work limit, which is reached after about a second. A normal patch of a 50,000-line file needs a hundredth of it.
 */
const maxSteps = 20_000_000;
const tooMuch = "this takes too long to check; give hunks context that occurs once, or send less at a time";

/** The text of a file as lines, each with its own line end. A CR alone ends a line only in a file without LF. */
interface FileLines {
  readonly texts: readonly string[];
  /** `"\n"`, `"\r\n"`, `"\r"`, or `""` for an unterminated last line. */
  readonly ends: readonly string[];
  readonly hasBom: boolean;
}

function splitFile(content: string): FileLines {
  const hasBom = content.startsWith(bom);
  const lineEnd = content.includes("\n") || !content.includes("\r") ? "\n" : "\r";
  const pieces = (hasBom ? content.slice(1) : content).split(lineEnd);
  const last = pieces.pop() ?? "";
  const texts: string[] = [];
  const ends: string[] = [];
  for (const piece of pieces) {
    const crlf = piece.endsWith("\r");
    texts.push(crlf ? piece.slice(0, -1) : piece);
    ends.push(crlf ? "\r\n" : lineEnd);
  }
  if (last !== "") {
    texts.push(last);
    ends.push("");
  }
  return { texts, ends, hasBom };
}

/** A line of the result: a line of the file with its line end, or a new one. */
interface ResultLine {
  readonly text: string;
  /** The line end. Undefined or empty: the most common line end of the file. */
  readonly end: string | undefined;
}

/** Joins the lines to one text again, with the byte order mark of the file. */
function joinFile(file: FileLines, lines: readonly ResultLine[], ended: boolean): string {
  const defaultEnd = usualEnd(file);
  const unended = ended ? -1 : lines.length - 1;
  const body = lines.map(({ text, end }, offset) => text + (offset === unended ? "" : end || defaultEnd)).join("");
  return file.hasBom && !body.startsWith(bom) ? bom + body : body;
}

function usualEnd({ ends }: FileLines): string {
  const count = (lineEnd: string) => ends.filter((end) => end === lineEnd).length;
  if (count("\r") > 0) return "\r";
  return count("\r\n") > count("\n") ? "\r\n" : "\n";
}

const bom = "\uFEFF";
