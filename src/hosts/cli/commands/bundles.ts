import { systemClock } from "../../../base/clock.ts";
import { silentLog } from "../../../base/log/log.ts";
import { visible } from "../ask-approval.ts";
import { type CliCommand, type CliContext, CommandFailed } from "../command.ts";
import { table } from "../table.ts";

const bundleName = { name: "name", summary: "the bundle" };

export const commands: readonly CliCommand[] = [
  {
    path: ["bundles", "list"],
    summary: "List bundles: several skills that are used together as /NAME",
    async run(_input, ctx) {
      const { bundles, broken } = await (await opened(ctx)).list();
      const rows = bundles.map(({ name, skills, description }) => [
        ctx.paint.bold(name),
        skills.join(", "),
        ctx.paint.dim(visible(description)),
      ]);
      const faults = broken.map(({ file, why }) => ctx.paint.warn(`${file} cannot be used: ${visible(why)}`));
      return {
        data: { bundles: bundles.map((each) => ({ ...each })), broken: broken.map((each) => ({ ...each })) },
        text: [rows.length === 0 ? "There are no bundles." : table(rows, ctx.io.columns), ...faults].join("\n"),
      };
    },
  },
  {
    path: ["bundles", "show"],
    summary: "Show one bundle",
    args: [bundleName],
    async run(input, ctx) {
      const { bundles } = await (await opened(ctx)).list();
      const found = bundles.find(({ name }) => name === input.arg("name"));
      if (!found) throw new CommandFailed(`There is no bundle ${visible(input.arg("name"))}.`, "hermes bundles list");
      const { name, description, skills, instruction, file } = found;
      const lines = [
        ctx.paint.bold(name),
        description,
        `skills: ${skills.join(", ")}`,
        ...(instruction ? [instruction] : []),
        file,
      ];
      return { data: { ...found }, text: lines.map(visible).join("\n") };
    },
  },
  {
    path: ["bundles", "create"],
    summary: "Make a bundle of skills",
    args: [bundleName],
    options: [
      { flags: "--skill <name>...", summary: "a skill in it; may be given several times" },
      { flags: "-d, --description <text>", summary: "what it is for" },
      { flags: "--instruction <text>", summary: "what is said to the model beside the skills" },
      { flags: "--force", summary: "in place of one that is there" },
    ],
    examples: ["hermes bundles create ship --skill code-review --skill release-notes"],
    async run(input, ctx) {
      const skills = input.list("skill").flatMap((names) => names.split(","));
      if (skills.length === 0) throw new CommandFailed("A bundle needs skills.", "--skill NAME names one.", 2);
      const instruction = input.option("instruction");
      const made = await (
        await opened(ctx)
      ).create(
        {
          name: input.arg("name"),
          description: input.option("description") ?? `${skills.join(", ")} together`,
          skills,
          ...(instruction !== undefined && { instruction }),
        },
        input.flag("force"),
      );
      if (!made.ok) throw new CommandFailed(visible(made.error));
      return { data: { file: made.value }, text: `/${input.arg("name")} uses ${skills.join(", ")} now.` };
    },
  },
  {
    path: ["bundles", "delete"],
    summary: "Delete a bundle; its skills stay",
    args: [bundleName],
    async run(input, ctx) {
      const removed = await (await opened(ctx)).remove(input.arg("name"));
      if (!removed.ok) throw new CommandFailed(visible(removed.error), "hermes bundles list");
      return { data: { deleted: input.arg("name") }, text: `${input.arg("name")} is deleted.` };
    },
  },
];

async function opened(ctx: CliContext) {
  const { openBundles } = await import("../../../runtime/knowledge/open-bundles.ts");
  return openBundles(await ctx.config(), { cwd: ctx.cwd, clock: systemClock, log: silentLog });
}
