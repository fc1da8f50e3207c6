import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";

import { isInside } from "../base/files/path.ts";
import { skillFile } from "./frontmatter.ts";
import { ignoredNames } from "./skill-folder.ts";

/**
 * A folder to search for skills. Skills of a project must not link out of it. `plugin` is the folder of one skill of
 * a plugin.
 */
export interface SkillRoot {
  readonly path: string;
  readonly kind: "home" | "external" | "project" | "plugin";
}

export interface SkillPlace {
  readonly root: SkillRoot;
  readonly folder: string;
  /** The path below its root, with `/`: `development/code-review`. */
  readonly path: string;
  /** A name that replaces the one in the SKILL.md: `plugin:name`. */
  readonly name?: string;
}

/** The maximum nesting of categories. */
const deepest = 4;
const maxSkills = 2_000;
/** The number of folders is limited, because a link may lead to a whole disk. */
const maxFolders = 5_000;

/** Finds every folder with a SKILL.md below the roots, sorted by path within each. Unreadable folders are skipped. */
export function skillPlaces(roots: readonly SkillRoot[]): readonly SkillPlace[] {
  return walkSkills(roots).places;
}

export interface WalkedSkills {
  readonly places: readonly SkillPlace[];
  /** The contents of the folders above the skills. While they are unchanged, the set of skills is unchanged too. */
  readonly folders: ReadonlyMap<string, string>;
}

export function walkSkills(roots: readonly SkillRoot[]): WalkedSkills {
  const matches: SkillPlace[] = [];
  const folders = new Map<string, string>();
  const seen = new Set<string>();
  for (const root of roots) {
    folders.set(root.path, folderText(root.path));
    const top = realFolder(root.path);
    if (top === undefined) continue;
    const walk = (folder: string, path: string, depth: number): void => {
      // Visited folders are recorded, because links may form cycles.
      if (folders.has(folder) && depth > 1) return;
      const names = folderNames(folder);
      folders.set(folder, namesText(names));
      for (const name of names) {
        if (matches.length >= maxSkills || folders.size >= maxFolders) return;
        const realPath = realFolder(join(folder, name));
        if (realPath === undefined || (root.kind === "project" && !isInside(top, realPath)) || seen.has(realPath))
          continue;
        const below = path === "" ? name : `${path}/${name}`;
        if (existsSync(join(realPath, skillFile))) {
          seen.add(realPath);
          matches.push({ root, folder: realPath, path: below });
        } else if (depth < deepest) walk(realPath, below, depth + 1);
      }
    };
    walk(top, "", 1);
  }
  return { places: matches, folders };
}

/** The content of a folder as one string. */
export function folderText(folder: string): string {
  return namesText(folderNames(folder));
}

function namesText(names: readonly string[]): string {
  return names.join("/");
}

/** Names with a leading dot are skipped, because they mark state files. */
function folderNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !ignoredNames.has(entry.name))
      .map(({ name }) => name)
      .filter((name) => !name.startsWith(".") && name.isWellFormed())
      .toSorted();
  } catch {
    return [];
  }
}

function realFolder(path: string): string | undefined {
  try {
    const real = realpathSync(path);
    return statSync(real).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}
