import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { sha256 } from "../../base/digest.ts";
import type { SkillEntry } from "../../contracts/knowledge/skill.ts";
import { readSkillText, skillFile } from "../frontmatter.ts";
import { hashOfEntries, readSkillEntries } from "../skill-folder.ts";
import { skillPlaces } from "../skill-roots.ts";
import type { BundledIndex, BundledSkill } from "./bundled-index.ts";

/**
 * Builds the index from the skill folders. `made` lists files that are about to be written there, by path below the
 * folder. Throws if a folder is not a skill.
 */
export async function makeBundledIndex(
  folder: string,
  created: Readonly<Record<string, string>> = {},
): Promise<BundledIndex> {
  const places = skillPlaces([{ path: folder, kind: "home" }]);
  const skills = await Promise.all(
    places.map(async ({ folder, path }): Promise<BundledSkill> => {
      const read = await readSkillText(readFileSync(join(folder, skillFile), "utf8"), path.split("/").at(-1) ?? "");
      if (!read.ok) throw new Error(`${path}: ${read.error}`);
      const { head } = read.value;
      const written = Object.entries(created).flatMap(([file, text]): readonly SkillEntry[] =>
        file.startsWith(`${path}/`)
          ? [{ kind: "file", path: file.slice(path.length + 1), bytes: Buffer.from(text) }]
          : [],
      );
      const others = readSkillEntries(folder).filter((entry) => !written.some((each) => each.path === entry.path));
      return { name: head.name, path, hash: hashOfEntries([...others, ...written]), head };
    }),
  );
  const sorted = skills.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { stamp: sha256(sorted.map(({ path, hash }) => `${path} ${hash}\n`).join("")).slice(0, 16), skills: sorted };
}

/** Descriptions of the categories that have one. */
export function categoryTexts(folder: string): ReadonlyMap<string, string> {
  const matches = new Map<string, string>();
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    try {
      matches.set(entry.name, readFileSync(join(folder, entry.name, "DESCRIPTION.md"), "utf8").trim());
    } catch {
      continue;
    }
  }
  return matches;
}
