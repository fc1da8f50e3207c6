import { writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";

import { makeFolder } from "../../base/files/make-folder.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { didYouMean } from "../../base/text/nearest.ts";
import type { SkillCollection } from "../skill-collection.ts";
import { readSkillEntries } from "../skill-folder.ts";
import type { SkillKeeper } from "../skill-keeper.ts";
import { stateFiles } from "../state-files.ts";
import { readBundledIndex } from "./bundled-index.ts";
import { forgetBundled, removeUnchanged, type SyncReport } from "./sync-bundled.ts";

/** The skills of a Hermes home, and the bundled ones. */
interface BundledInHome {
  readonly folder: string;
  readonly bundled: string;
  readonly keeper: Pick<SkillKeeper, "restore">;
  shelf(): Promise<SkillCollection>;
  sync(signal: AbortSignal): Promise<SyncReport | { readonly fault: string }>;
}

/**
 * Removes the record of a bundled skill. With `restore`, also resets the skill to the bundled version, which can be
 * undone.
 */
export async function resetBundled(
  skills: BundledInHome,
  name: string,
  restore: boolean,
  signal: AbortSignal,
): Promise<Result<{ readonly restored: boolean; readonly kept: boolean }>> {
  const { folder, bundled } = skills;
  const index = readBundledIndex(bundled)?.skills ?? [];
  const skill = index.find((each) => each.name === name);
  if (!skill) {
    const near = didYouMean(
      name,
      index.map((each) => each.name),
    );
    return err({ message: `${name} is not a bundled skill. ${near}`.trim() });
  }
  if (restore) {
    const there = (await skills.shelf()).skills.find((each) => each.name === name && each.place.root.kind === "home");
    const put = await skills.keeper.restore(
      there?.place.path ?? skill.path,
      readSkillEntries(join(bundled, skill.path)),
      signal,
    );
    if (!put.ok) return put;
  }
  const forgotten = await forgetBundled(folder, name);
  if (!forgotten.ok) return err({ message: forgotten.error });
  const synced = await skills.sync(signal);
  if ("fault" in synced) return err({ message: synced.fault });
  const after = (await skills.shelf()).skills.find((each) => each.name === name);
  return ok({ restored: restore, kept: after?.origin !== "bundled" });
}

/** Disables bundled skills. With `remove`, also deletes unchanged ones. */
export async function optOut({ folder }: Pick<BundledInHome, "folder">, remove: boolean): Promise<readonly string[]> {
  await makeFolder(folder, 0o700);
  writeFileSync(join(folder, stateFiles.optOut), "", { mode: 0o600 });
  return remove ? removeUnchanged(folder) : [];
}

export async function optIn(skills: BundledInHome, sync: boolean, signal: AbortSignal): Promise<Result<SyncReport>> {
  await rm(join(skills.folder, stateFiles.optOut), { force: true });
  if (!sync) return ok({ added: [], updated: [], kept: [], warnings: [] });
  const done = await skills.sync(signal);
  return "fault" in done ? err({ message: done.fault }) : ok(done);
}
