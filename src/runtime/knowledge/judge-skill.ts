import { once } from "../../base/async/once.ts";
import { sha256 } from "../../base/digest.ts";
import { userFolder } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { SkillJudge } from "../../contracts/knowledge/skill.ts";
import { skillDanger } from "../../safety/skills.ts";
import { readSkillEntries } from "../../skills/skill-folder.ts";
import { skillPlaces } from "../../skills/skill-roots.ts";

/**
 * Looks through a whole skill before anything of it is used. The scanner is loaded by the first that is new. `bundled`: the
 * skills of this program; a file that is one of theirs, byte by byte, needs no look in a changed copy.
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
