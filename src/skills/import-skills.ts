import { cp, lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

import { makeFolder } from "../base/files/make-folder.ts";

export interface SkillImport {
  readonly imported: readonly string[];
  /** Skipped because a skill of that name exists. */
  readonly kept: readonly string[];
}

/** Copies missing skill folders. Skips links, because they may lead anywhere. */
export async function importSkills(from: string, to: string, isDryRun: boolean): Promise<SkillImport> {
  const there = new Set((await skillFolders(to)).map(nameOf));
  const imported: string[] = [];
  const kept: string[] = [];
  for (const folder of await skillFolders(from)) {
    const name = nameOf(folder);
    if (there.has(name)) {
      kept.push(name);
      continue;
    }
    imported.push(name);
    if (isDryRun) continue;
    await makeFolder(to, 0o700);
    await cp(join(from, folder), join(to, folder), {
      recursive: true,
      errorOnExist: true,
      force: false,
      filter: async (path) => !(await lstat(path)).isSymbolicLink(),
    });
  }
  return { imported, kept };
}

/** Finds `name` or `category/name` of each folder with a SKILL.md. Names with a leading dot are state files. */
async function skillFolders(root: string): Promise<readonly string[]> {
  const matches: string[] = [];
  for (const name of await foldersIn(root)) {
    if (await isSkill(join(root, name))) matches.push(name);
    else
      for (const below of await foldersIn(join(root, name))) {
        if (await isSkill(join(root, name, below))) matches.push(join(name, below));
      }
  }
  return matches;
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith(".")).map(({ name }) => name);
  } catch {
    return [];
  }
}

async function isSkill(folder: string): Promise<boolean> {
  return lstat(join(folder, "SKILL.md")).then(
    (match) => match.isFile(),
    () => false,
  );
}

function nameOf(folder: string): string {
  return folder.split(/[/\\]/u).at(-1) ?? folder;
}
