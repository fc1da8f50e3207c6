import { existsSync } from "node:fs";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

import { writeFileAtomic } from "../base/files/atomic-file.ts";
import { codeOf } from "../base/files/file-fault.ts";
import { isObject, parsedObject } from "../base/json.ts";
import { valueOr } from "../base/result.ts";
import { archivePathFault } from "./backup-manifest.ts";
import { restorePrefix } from "./backup-scope.ts";

/**
 * A restore replaces entries of a home one by one with renames. Its plan is on disk from before the first rename until
 * after the last one, so the next start of Hermes finishes a killed restore. The replaced entries stay in
 * `restore-undo`; an undo uses the same steps.
 */
export interface HomeRestorePlan {
  /**
   * A folder in the home: `new` contains the new entries, `old` receives the replaced ones. Its name is never reused.
   */
  readonly stage: string;
  readonly units: readonly RestoreUnit[];
  /** True for an undo: `new` is then the `old` folder of the previous restore. */
  readonly isUndo?: boolean;
}

export interface RestoreUnit {
  /** An entry in the top folder of the home or of a profile. */
  readonly path: string;
  /** Whether the entry comes from `new`; otherwise it is only moved away. */
  readonly hasNew: boolean;
}

const undoFolder = `${restorePrefix}undo`;
const planFile = `${restorePrefix}plan.json`;

/** Whether a restore was started and not finished. */
export function hasUnfinishedRestore(home: string): boolean {
  return existsSync(join(home, planFile));
}

/** Executes a plan. Once the plan is on disk, the home is restored even after a kill. */
export async function carryOut(home: string, plan: HomeRestorePlan): Promise<void> {
  const text = JSON.stringify(plan);
  await mkdir(join(home, plan.stage), { recursive: true, mode: 0o700 });
  for (const file of [join(home, plan.stage, "plan.json"), join(home, planFile)]) {
    const written = await writeFileAtomic(file, text, { mode: 0o600 });
    if (!written.ok) throw new Error(written.error.message);
  }
  await finishRestore(home);
}

/** Executes the plan. Every step can be repeated. Returns false if there was nothing to finish. */
export async function finishRestore(home: string): Promise<boolean> {
  const plan = await readPlan(join(home, planFile));
  if (!plan) return false;
  const [stage, undo] = [join(home, plan.stage), join(home, undoFolder)];
  const isMoved = (await readPlan(join(undo, "plan.json")))?.stage === plan.stage;
  if (!isMoved) {
    if (plan.isUndo && !existsSync(join(stage, "new"))) await renameIfThere(join(undo, "old"), join(stage, "new"));
    for (const unit of plan.units) await replaceUnit(home, stage, unit);
    await syncFolder(home);
    // Keeps only the state before the latest restore.
    await rm(undo, { recursive: true, force: true, maxRetries: 3 });
    await rename(stage, undo);
  }
  await rm(join(home, planFile), { force: true });
  await syncFolder(home);
  return true;
}

async function replaceUnit(home: string, stage: string, { path, hasNew }: RestoreUnit): Promise<void> {
  const [current, fresh, old] = [join(home, path), join(stage, "new", path), join(stage, "old", path)];
  if (hasNew && !existsSync(fresh)) return;
  await mkdir(dirname(old), { recursive: true, mode: 0o700 });
  if (!existsSync(old)) await renameIfThere(current, old);
  // A program wrote it again after a killed restore had moved it.
  else if (hasNew) await rm(current, { recursive: true, force: true });
  if (!hasNew) return;
  await mkdir(dirname(current), { recursive: true, mode: 0o700 });
  await rename(fresh, current);
}

/** The plan that restores the state before the last restore. Undefined if there is none. */
export async function undoPlan(home: string, stage: string): Promise<HomeRestorePlan | undefined> {
  const undo = join(home, undoFolder);
  const last = await readPlan(join(undo, "plan.json"));
  if (!last || !existsSync(join(undo, "old"))) return undefined;
  const units = last.units.map(({ path }) => ({ path, hasNew: existsSync(join(undo, "old", path)) }));
  return { stage, units, isUndo: true };
}

async function readPlan(file: string): Promise<HomeRestorePlan | undefined> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const value = valueOr(() => parsedObject(text), undefined);
  const units = value?.["units"];
  const isPlan = isStageName(value?.["stage"]) && Array.isArray(units) && units.every(isUnit);
  if (!isPlan) throw new Error(`${file} is damaged; delete it to continue with the home as it is`);
  // The cast is safe: every field was checked.
  return value as unknown as HomeRestorePlan;
}

function isStageName(value: unknown): boolean {
  return typeof value === "string" && /^restore-[\w.-]+$/u.test(value) && value !== undoFolder;
}

function isUnit(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value["path"] === "string" &&
    typeof value["hasNew"] === "boolean" &&
    archivePathFault(value["path"]) === undefined
  );
}

async function renameIfThere(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT") throw thrown;
  }
}

async function syncFolder(folder: string): Promise<void> {
  try {
    await using handle = await open(folder, "r");
    await handle.sync();
  } catch {
    // Some systems cannot sync a folder.
  }
}
