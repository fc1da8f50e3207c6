import { lstat, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";

import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import type { SkillEntry } from "../../contracts/knowledge/skill.ts";
import { hubFolder } from "./hub-lock.ts";

/** What was fetched lies here, readable and never executable, until somebody decides about it. */
export async function putInQuarantine(skills: string, name: string, entries: readonly SkillEntry[]): Promise<string> {
  const root = join(skills, hubFolder, "quarantine");
  await makeFolder(root, 0o700);
  await sweep(root);
  const folder = join(root, name);
  await rm(folder, { recursive: true, force: true });
  for (const entry of entries) {
    if (entry.kind !== "file") continue;
    const file = join(folder, entry.path);
    await makeFolder(dirname(file), 0o700);
    const written = await writeFileAtomic(file, entry.bytes, { mode: 0o600 });
    if (!written.ok) throw new Error(written.error.message);
  }
  return folder;
}

export async function leaveQuarantine(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

/** What nobody decided about goes; the newest stay. */
async function sweep(root: string): Promise<void> {
  const names = await readdir(root).catch(() => []);
  if (names.length <= mostKept) return;
  const matches = await Promise.all(names.map(async (name) => ({ name, at: (await lstat(join(root, name))).mtimeMs })));
  const old = matches.toSorted((one, other) => other.at - one.at).slice(mostKept);
  await Promise.all(old.map(({ name }) => rm(join(root, name), { recursive: true, force: true })));
}

const mostKept = 20;
