import { rm } from "node:fs/promises";
import { join } from "node:path";

import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { err, ok } from "../../base/result.ts";
import { withoutUndefined } from "../../base/without-undefined.ts";
import { homeFiles } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { flag, list, object, optional, string } from "../../contracts/host/input-schema.ts";
import { skillNameFault } from "../../skills/frontmatter.ts";
import { bundleText, readBundles } from "../../skills/skill-bundles.ts";
import { readOperation, writeOperation } from "../operation.ts";

const name = string("the bundle");

export const operations = {
  list: readOperation({
    summary: "List the bundles of skills",
    needs: ["config"],
    run: async (_input, { config }) => ok(await readBundles(folderOf(config))),
  }),

  create: writeOperation({
    summary: "Create a bundle of skills",
    input: object({
      name,
      skills: list("its skills", string("skill")),
      description: optional(string("purpose of the bundle")),
      instruction: optional(string("instructions for the model in addition to the skills")),
      force: optional(flag("replace an existing bundle")),
    }),
    needs: ["config", "skills"],
    async run(
      { name: bundle, skills: names, description, instruction, force = false },
      { config, skills: { opened } },
    ) {
      if (names.length === 0)
        return err({ message: "A bundle needs skills.", hint: "--skill NAME names one.", kind: "input" });
      const fault = skillNameFault(bundle);
      if (fault !== undefined) return err({ message: fault });
      const { skills } = await (await opened()).shelf();
      const missing = names.filter((each) => !skills.some((skill) => skill.name === each));
      if (missing.length > 0)
        return err({ message: `There is no skill ${missing.join(", ")}.`, hint: "hermes skills list" });
      const folder = folderOf(config);
      if (!force && (await readBundles(folder)).bundles.some((each) => each.name === bundle))
        return err({ message: `The bundle ${bundle} already exists.`, hint: "--force replaces it." });
      await makeFolder(folder, 0o700);
      const file = join(folder, `${bundle}.yaml`);
      const about = { name: bundle, description: description ?? `${names.join(", ")} together` };
      const text = await bundleText({ ...about, skills: names, ...withoutUndefined({ instruction }) });
      const written = await writeFileAtomic(file, text, { mode: 0o600 });
      return written.ok ? ok({ file }) : written;
    },
  }),

  delete: writeOperation({
    summary: "Delete a bundle; its skills stay",
    input: object({ name }),
    needs: ["config"],
    async run({ name: requested }, { config }) {
      const bundle = (await readBundles(folderOf(config))).bundles.find((each) => each.name === requested);
      if (!bundle) return err({ message: `There is no bundle ${requested}.`, hint: "hermes bundles list" });
      await rm(bundle.file, { force: true });
      return ok({ deleted: requested });
    },
  }),
};

function folderOf({ home }: LoadedConfig): string {
  return join(home.path, homeFiles.skillBundles);
}
