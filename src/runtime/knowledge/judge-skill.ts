import { once } from "../../base/async/once.ts";
import { sha256 } from "../../base/digest.ts";
import { userFolder } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { SkillJudge } from "../../contracts/knowledge/skill.ts";
import { skillDanger } from "../../safety/skills.ts";
import { readSkillEntries } from "../../skills/skill-folder.ts";
import { skillPlaces } from "../../skills/skill-roots.ts";

/**
 * Scans a whole skill before any part of it is used. The first new skill loads the scanner. `bundled`: the skills of
 * this program; files identical to bundled ones need no scan.
 */
export function createSkillJudge({ env, user }: Pick<LoadedConfig, "env" | "user">, bundled?: string): SkillJudge {
  const bundledHashes = once(() => (bundled === undefined ? new Set<string>() : hashesBelow(bundled)));
  return async (all) => {
    const entries = all.filter(
      (entry) => entry.kind !== "file" || entry.path === "SKILL.md" || !bundledHashes().has(sha256(entry.bytes)),
    );
    return skillDanger(entries, { home: userFolder(env), user });
  };
}

function hashesBelow(folder: string): ReadonlySet<string> {
  const hashes = skillPlaces([{ path: folder, kind: "home" }]).flatMap(({ folder: skillFolder }) =>
    readSkillEntries(skillFolder).flatMap((entry) => (entry.kind === "file" ? [sha256(entry.bytes)] : [])),
  );
  return new Set(hashes);
}
