import { type CliCommand, CommandFailed } from "../../command.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import { table } from "../../table.ts";

const bundleName = { name: "name", summary: "the bundle" };

export const commands: readonly CliCommand[] = [
  {
    path: ["bundles", "list"],
    summary: "List bundles: skills used together as /NAME",
    async run(_input, ctx) {
      const listed = await ctx.run("bundles.list", {});
      const rows = listed.bundles.map(({ name, skills, description }) => [
        ctx.paint.bold(name),
        skills.join(", "),
        ctx.paint.dim(escapeInvisible(description)),
      ]);
      const faults = listed.broken.map(({ file, why }) =>
        ctx.paint.warn(`${file} cannot be used: ${escapeInvisible(why)}`),
      );
      return {
        data: listed,
        text: [rows.length === 0 ? "There are no bundles." : table(rows, ctx.io.columns), ...faults].join("\n"),
      };
    },
  },
  {
    path: ["bundles", "show"],
    summary: "Show one bundle",
    args: [bundleName],
    async run(input, ctx) {
      const { bundles } = await ctx.run("bundles.list", {});
      const bundle = bundles.find(({ name }) => name === input.arg("name"));
      if (!bundle)
        throw new CommandFailed(`There is no bundle ${escapeInvisible(input.arg("name"))}.`, "hermes bundles list");
      const { name, description, skills, instruction, file } = bundle;
      const lines = [
        ctx.paint.bold(name),
        description,
        `skills: ${skills.join(", ")}`,
        ...(instruction ? [instruction] : []),
        file,
      ];
      return { data: bundle, text: lines.map(escapeInvisible).join("\n") };
    },
  },
  {
    path: ["bundles", "create"],
    summary: "Create a bundle of skills",
    args: [bundleName],
    options: [
      { flags: "--skill <name>...", summary: "a skill of the bundle; repeatable" },
      { flags: "-d, --description <text>", summary: "purpose of the bundle" },
      { flags: "--instruction <text>", summary: "instructions for the model in addition to the skills" },
      { flags: "--force", summary: "replace an existing bundle" },
    ],
    examples: ["hermes bundles create ship --skill code-review --skill release-notes"],
    async run(input, ctx) {
      const skills = input.list("skill").flatMap((names) => names.split(","));
      const name = input.arg("name");
      const data = await ctx.run("bundles.create", {
        name,
        skills,
        description: input.option("description"),
        instruction: input.option("instruction"),
        force: input.flag("force"),
      });
      return { data, text: `/${name} now uses ${skills.join(", ")}.` };
    },
  },
  {
    path: ["bundles", "delete"],
    summary: "Delete a bundle; its skills stay",
    args: [bundleName],
    async run(input, ctx) {
      const data = await ctx.run("bundles.delete", { name: input.arg("name") });
      return { data, text: `Deleted ${data.deleted}.` };
    },
  },
];
