import { oneLine } from "../../base/text/text.ts";
import { rows } from "../reply-text.ts";
import type { SlashCommand } from "../slash-command.ts";

export const bundlesCommand: SlashCommand = {
  name: "bundles",
  args: "[name]",
  maxWords: 1,
  summary: "List the bundles of skills, or the skills of one; /NAME uses it",
  async choices(before, { run }) {
    if (before.length > 0) return [];
    return (await run("bundles.list", {})).bundles.map(({ name, description }) => ({
      value: name,
      summary: description,
    }));
  },
  async run(args, { run }) {
    const { bundles, broken } = await run("bundles.list", {});
    const problems = broken.map(({ file, why }) => `✗ ${file}: ${oneLine(why, 200)}`);
    if (args === "") {
      const list = rows(bundles.map(({ name, description }) => [`/${name}`, oneLine(description, 90)]));
      const head = bundles.length === 0 ? "There are no bundles yet: hermes bundles create NAME --skill SKILL" : list;
      return { text: [head, ...problems].join("\n") };
    }
    const bundle = bundles.find(({ name }) => name === args);
    if (!bundle) return { text: `There is no bundle ${args}.`, failed: true };
    const { description, skills, instruction } = bundle;
    return {
      text: [
        `${bundle.name}: ${description}`,
        `Skills: ${skills.join(", ")}`,
        ...(instruction === undefined ? [] : [`Instruction: ${instruction}`]),
        `Use it: /${bundle.name} REQUEST`,
      ].join("\n"),
    };
  },
};
