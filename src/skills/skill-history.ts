import { readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";

import { writeFileAtomic } from "../base/files/atomic-file.ts";
import { makeFolder } from "../base/files/make-folder.ts";
import { err, ok, reasonOf, type Result } from "../base/result.ts";
import type { SkillAction, SkillAuthor } from "../contracts/knowledge/skill.ts";
import { type FileStates, isInnerPath, readStates } from "./file-states.ts";
import { skillNameFault } from "./frontmatter.ts";
import { readStateFile, stateFiles } from "./state-files.ts";

/** One change of a skill, with the file contents before and after. */
export interface HistoryEntry {
  readonly number: number;
  readonly at: number;
  readonly by: SkillAuthor;
  readonly action: SkillAction | "undo" | "approve" | "reset";
  readonly session?: string;
  /** The path of the skill below the folder of skills. */
  readonly path: string;
  readonly before: FileStates;
  readonly after: FileStates;
  readonly undoes?: number;
}

/** Reads the history, oldest first. Invalid entries are skipped. */
export function readHistory(home: string, skill: string): readonly HistoryEntry[] {
  return numbersOf(home, skill).flatMap((number) => {
    const entry = readStateFile(join(home, stateFiles.history, skill), fileName(number));
    const before = readStates(entry?.["before"]);
    const after = readStates(entry?.["after"]);
    if (!entry || !before || !after || typeof entry["path"] !== "string" || !isInnerPath(entry["path"])) return [];
    // The cast is safe: this module writes the file in this shape.
    return [{ ...(entry as unknown as HistoryEntry), number, before, after }];
  });
}

/** Appends an entry before the files change, and returns its number. The caller must hold the lock. */
export async function addEntry(
  home: string,
  skill: string,
  entry: Omit<HistoryEntry, "number">,
  keep: number,
): Promise<Result<number>> {
  const folder = join(home, stateFiles.history, skill);
  try {
    await makeFolder(folder, 0o700);
  } catch (thrown) {
    return err({ message: `the history cannot be written: ${reasonOf(thrown)}` });
  }
  const numbers = numbersOf(home, skill);
  const number = (numbers.at(-1) ?? 0) + 1;
  const written = await writeFileAtomic(join(folder, fileName(number)), JSON.stringify(entry), { mode: 0o600 });
  if (!written.ok) return err({ message: `the history cannot be written: ${written.error.message}` });
  for (const old of numbers.slice(0, Math.max(0, numbers.length + 1 - keep)))
    await rm(join(folder, fileName(old)), { force: true });
  return ok(number);
}

/** The next change to undo: the last one that is not undone and is not itself an undo. */
export function lastToUndo(entries: readonly HistoryEntry[]): HistoryEntry | undefined {
  const undone = new Set(entries.flatMap(({ undoes }) => (undoes === undefined ? [] : [undoes])));
  return entries.findLast(({ number, undoes }) => undoes === undefined && !undone.has(number));
}

function numbersOf(home: string, skill: string): readonly number[] {
  if (skillNameFault(skill) !== undefined) return [];
  try {
    return readdirSync(join(home, stateFiles.history, skill))
      .flatMap((name) => /^(\d{6})\.json$/u.exec(name)?.[1] ?? [])
      .map(Number)
      .toSorted((a, b) => a - b);
  } catch {
    return [];
  }
}

function fileName(number: number): string {
  return `${String(number).padStart(6, "0")}.json`;
}
