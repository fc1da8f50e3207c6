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

/** A change that waits for approval. The skill itself stays unchanged. */
export interface PendingChange {
  readonly skill: string;
  /** The path of the skill below the folder of skills. */
  readonly path: string;
  readonly at: number;
  readonly by: SkillAuthor;
  readonly session?: string;
  readonly actions: readonly SkillAction[];
  /** The file contents at the time of the proposal. */
  readonly seen: FileStates;
  /** The new file contents. */
  readonly files: FileStates;
}

export function readPending(home: string, skill: string): PendingChange | undefined {
  if (skillNameFault(skill) !== undefined) return undefined;
  const state = readStateFile(join(home, stateFiles.overlay, skill), changeFile);
  const seen = readStates(state?.["seen"]);
  const files = readStates(state?.["files"]);
  if (!state || !seen || !files || typeof state["path"] !== "string" || !isInnerPath(state["path"])) return undefined;
  // The cast is safe: this module writes the file in this shape.
  return { ...(state as unknown as PendingChange), skill, seen, files };
}

/** Lists pending changes, oldest first. */
export function allPending(home: string): readonly PendingChange[] {
  try {
    const names = readdirSync(join(home, stateFiles.overlay));
    return names.flatMap((name) => readPending(home, name) ?? []).toSorted((a, b) => a.at - b.at);
  } catch {
    return [];
  }
}

/** Adds to the pending change of the skill, if there is one. The caller must hold the lock. */
export async function addPending(home: string, change: PendingChange): Promise<Result<void>> {
  const before = readPending(home, change.skill);
  const whole: PendingChange = {
    ...change,
    actions: [...(before?.actions ?? []), ...change.actions],
    seen: { ...change.seen, ...before?.seen },
    files: { ...before?.files, ...change.files },
  };
  const folder = join(home, stateFiles.overlay, change.skill);
  try {
    await makeFolder(folder, 0o700);
  } catch (thrown) {
    return err({ message: `the change cannot be saved: ${reasonOf(thrown)}` });
  }
  const written = await writeFileAtomic(join(folder, changeFile), JSON.stringify(whole), { mode: 0o600 });
  return written.ok ? ok(undefined) : err({ message: written.error.message });
}

export async function removePending(home: string, skill: string): Promise<void> {
  await rm(join(home, stateFiles.overlay, skill), { recursive: true, force: true });
}

const changeFile = "change.json";
