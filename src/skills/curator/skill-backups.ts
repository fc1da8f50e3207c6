import { existsSync, readdirSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";

import type { Clock } from "../../base/clock.ts";
import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import type { SkillEntry } from "../../contracts/knowledge/skill.ts";
import { readSkillEntries } from "../skill-folder.ts";
import { skillPlaces } from "../skill-roots.ts";
import { packTar, unpackTar } from "./tar-file.ts";

export const curatorFolder = ".hermes-curator";

export interface SkillBackups {
  /** All skills of the home, in one `.tar.gz`. */
  make(keep: number): Promise<Result<string, { readonly message: string }>>;
  /** The newest last. */
  list(): readonly string[];
  /** By the path of each skill below the folder of skills. */
  read(name: string): Result<ReadonlyMap<string, readonly SkillEntry[]>, { readonly message: string }>;
}

export function createSkillBackups(skills: string, clock: Clock): SkillBackups {
  const folder = join(skills, curatorFolder, "backups");
  const list = () =>
    existsSync(folder)
      ? readdirSync(folder)
          .filter((name) => name.endsWith(".tar.gz"))
          .toSorted()
      : [];
  return {
    list,
    async make(keep) {
      try {
        const files = skillPlaces([{ path: skills, kind: "home" }]).flatMap((place) =>
          readSkillEntries(place.folder).flatMap((entry) =>
            entry.kind === "file" ? [{ ...entry, path: `${place.path}/${entry.path}` }] : [],
          ),
        );
        await makeFolder(folder, 0o700);
        const name = `${new Date(clock.now()).toISOString().replaceAll(/[:.]/gu, "-")}.tar.gz`;
        const written = await writeFileAtomic(join(folder, name), gzipSync(packTar(files)), { mode: 0o600 });
        if (!written.ok) return err({ message: written.error.message });
        await Promise.all(
          list()
            .slice(0, -keep)
            .map((old) => rm(join(folder, old), { force: true })),
        );
        return ok(name);
      } catch (thrown) {
        return err({ message: reasonOf(thrown) });
      }
    },
    read(name) {
      try {
        const match = list().find((each) => each === name || each.startsWith(name));
        if (match === undefined) return err({ message: `there is no backup ${name}` });
        const bySkill = new Map<string, SkillEntry[]>();
        const files = unpackTar(gunzipSync(readFileSync(join(folder, match)), { maxOutputLength: mostBytes }));
        const roots = files.flatMap(({ path }) =>
          path.endsWith("/SKILL.md") ? [path.slice(0, -"/SKILL.md".length)] : [],
        );
        for (const file of files) {
          const root = roots.find((each) => file.path.startsWith(`${each}/`));
          if (root === undefined) continue;
          bySkill.set(root, [...(bySkill.get(root) ?? []), { ...file, path: file.path.slice(root.length + 1) }]);
        }
        return ok(bySkill);
      } catch (thrown) {
        return err({ message: `the backup ${name} cannot be used: ${reasonOf(thrown)}` });
      }
    },
  };
}

/** Far above the size of all skills of a home. */
const mostBytes = 500_000_000;
