import { rm } from "node:fs/promises";
import { join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import { describeFault } from "../../base/files/file-fault.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import type { Logger } from "../../base/log/log.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { homeFiles } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { skillNameFault } from "../../skills/frontmatter.ts";
import { bundleText, readBundles, type SkillBundle, type SkillBundles } from "../../skills/skill-bundles.ts";
import { openSkills } from "./open-skills.ts";

/** The bundles of a home, for a person. */
export interface OpenedBundles {
  list(): Promise<SkillBundles>;
  /** Where it was written. */
  create(bundle: Omit<SkillBundle, "file">, force: boolean): Promise<Result<string, string>>;
  remove(name: string): Promise<Result<void, string>>;
}

export function openBundles(
  config: LoadedConfig,
  deps: { readonly cwd: string; readonly clock: Clock; readonly log: Logger },
): OpenedBundles {
  const folder = join(config.home.path, homeFiles.skillBundles);
  const list = () => readBundles(folder);
  return {
    list,
    async create(bundle, force) {
      const fault = skillNameFault(bundle.name);
      if (fault !== undefined) return err(fault);
      await using skills = openSkills(config, { ...deps, say() {} });
      const there = new Set((await skills.shelf()).skills.map(({ name }) => name));
      const missing = bundle.skills.filter((name) => !there.has(name));
      if (missing.length > 0)
        return err(`There is no skill ${missing.join(", ")}; hermes skills list shows what there is.`);
      const file = join(folder, `${bundle.name}.yaml`);
      if (!force && (await list()).bundles.some(({ name }) => name === bundle.name))
        return err(`There is a bundle ${bundle.name} already; --force puts this one in its place.`);
      try {
        await makeFolder(folder, 0o700);
      } catch (thrown) {
        return err(describeFault(thrown, folder).message);
      }
      const written = await writeFileAtomic(file, await bundleText(bundle), { mode: 0o600 });
      return written.ok ? ok(file) : err(written.error.message);
    },
    async remove(name) {
      const bundle = (await list()).bundles.find((each) => each.name === name);
      if (!bundle) return err(`There is no bundle ${name}.`);
      await rm(bundle.file, { force: true });
      return ok(undefined);
    },
  };
}
