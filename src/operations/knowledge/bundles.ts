import { defined } from "../../base/defined.ts";
import { err, ok } from "../../base/result.ts";
import { flag, list, object, optional, string } from "../../contracts/host/input-schema.ts";
import { readOperation, writeOperation } from "../operation.ts";

const name = string("the bundle");

export const operations = {
  list: readOperation({
    summary: "List the bundles of skills",
    needs: ["bundles"],
    run: async (_input, { bundles }) => ok(await bundles.list()),
  }),

  create: writeOperation({
    summary: "Create a bundle of skills",
    input: object({
      name,
      skills: list("its skills", string("skill")),
      description: optional(string("what it is for")),
      instruction: optional(string("instructions for the model in addition to the skills")),
      force: optional(flag("replace an existing bundle")),
    }),
    needs: ["bundles"],
    async run({ name: bundle, skills, description, instruction, force = false }, { bundles }) {
      if (skills.length === 0)
        return err({ message: "A bundle needs skills.", hint: "--skill NAME names one.", kind: "input" });
      const requested = { name: bundle, description: description ?? `${skills.join(", ")} together`, skills };
      const result = await bundles.create({ ...requested, ...defined({ instruction }) }, force);
      return result.ok ? ok({ file: result.value }) : err({ message: result.error });
    },
  }),

  delete: writeOperation({
    summary: "Delete a bundle; its skills stay",
    input: object({ name }),
    needs: ["bundles"],
    async run({ name: bundle }, { bundles }) {
      const removed = await bundles.remove(bundle);
      return removed.ok ? ok({ deleted: bundle }) : err({ message: removed.error, hint: "hermes bundles list" });
    },
  }),
};
