import { delimiter, dirname } from "node:path";

import { type CliCommand, type CliContext, CommandFailed } from "../../command.ts";
import { askLine } from "../../questions/ask-line.ts";
import { table } from "../../table.ts";
import { withoutControls } from "../../without-controls.ts";
import { profileVerbs } from "./profile-verbs.ts";

const nameArgument = { name: "name", summary: "lower-case letters, digits, - and _" };

export const commands: readonly CliCommand[] = [
  {
    path: ["profile", "list"],
    summary: "List the profiles; * marks the active one",
    async run(_input, ctx) {
      const listed = await ctx.run("profile.list", {});
      const rows = listed.profiles.map(({ name, path, active, description }) => [
        active ? ctx.paint.good("*") : " ",
        name,
        path,
        withoutControls(description),
      ]);
      return { data: listed, text: table(rows, Math.max(ctx.io.columns, 120)) };
    },
  },
  {
    path: ["profile", "create"],
    summary: "Create a profile, which is a separate home",
    details:
      "Also creates a command with the name of the profile in ~/.local/bin, unless a file of that name exists or you pass --no-alias.",
    args: [nameArgument],
    options: [
      { flags: "--clone", summary: "copy settings, keys, SOUL.md and skills of the active profile" },
      { flags: "--clone-all", summary: "copy everything but sessions, logs and other history" },
      { flags: "--clone-from <profile>", summary: "copy from this profile instead of the active one" },
      { flags: "--no-skills", summary: "do not copy skills" },
      { flags: "--no-alias", summary: "create no command" },
      { flags: "--description <text>", summary: "description of the profile" },
    ],
    examples: ["hermes profile create work --clone", "hermes -p work config show"],
    async run(input, ctx) {
      const created = await ctx.run("profile.create", {
        name: input.arg("name"),
        clone: input.flag("clone"),
        cloneAll: input.flag("cloneAll"),
        cloneFrom: input.option("cloneFrom"),
        withoutSkills: input.flag("noSkills"),
        description: input.option("description"),
      });
      const { name, path } = created;
      const alias = input.flag("noAlias") ? undefined : await aliasIfFree(name, ctx);
      const isFound = alias !== undefined && (ctx.env["PATH"] ?? "").split(delimiter).includes(dirname(alias));
      const once = !isFound ? `hermes -p ${name} …` : `${name} …`;
      const text = `Created ${name} in ${path}\nUse it once with \`${once}\`, always with \`hermes profile use ${name}\`.`;
      return { data: { ...created, ...(alias !== undefined && { alias }) }, text };
    },
  },
  {
    path: ["profile", "use"],
    summary: "Make a profile the default for commands without -p",
    args: [nameArgument],
    async run(input, ctx) {
      const used = await ctx.run("profile.use", { name: input.arg("name") });
      return { data: used, text: `${used.name} is now the default profile.` };
    },
  },
  {
    path: ["profile", "delete"],
    summary: "Delete a profile with everything in it",
    details: "Asks you to type the name, unless you pass -y. The default profile and the active one cannot be deleted.",
    args: [nameArgument],
    options: [{ flags: "-y, --yes", summary: "do not ask" }],
    async run(input, ctx) {
      const { name, path } = await ctx.run("profile.find", { name: input.arg("name") });
      if (!input.flag("yes") && name !== "default") await confirmName(name, path, ctx);
      const deleted = await ctx.run("profile.delete", { name });
      return { data: deleted, text: `Deleted ${name} (${path}).` };
    },
  },
  ...profileVerbs,
];

/** Creates an alias, unless another program's file has that name. */
async function aliasIfFree(name: string, ctx: CliContext): Promise<string | undefined> {
  return ctx.run("profile.alias", { name }).then(
    ({ file }) => file,
    () => undefined,
  );
}

async function confirmName(name: string, path: string, ctx: CliContext): Promise<void> {
  if (!ctx.io.stdinIsTerminal) throw new CommandFailed(`Deleting ${name} needs a confirmation.`, "Pass -y.", 2);
  const question = `This deletes ${path} and everything in it. Type the name to continue: `;
  const typed = await askLine(ctx.io, question, ctx.signal);
  if (typed !== name) throw new CommandFailed("The name does not match; nothing was deleted.");
}
