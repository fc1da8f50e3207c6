import { isOriginalHome, profilePath, resolveHome, rootHome } from "../../../config/home.ts";
import { problemText } from "../../../config/problem.ts";
import { createProfile, deleteProfile, known, listProfiles, useProfile } from "../../../config/profiles.ts";
import { askLine } from "../ask-line.ts";
import { type CliCommand, type CliContext, CommandFailed } from "../command.ts";
import { valueOf } from "../config-faults.ts";
import { table } from "../table.ts";

const nameArgument = { name: "name", summary: "small letters, digits, - and _" };

export const commands: readonly CliCommand[] = [
  {
    path: ["profile", "list"],
    summary: "List the profiles; * marks the one in use",
    async run(_input, ctx) {
      const { root, named } = rootHome(ctx.env, ctx.cwd);
      const profiles = valueOf(await listProfiles(root));
      const inUse = ctx.profile ?? named ?? profiles.find(({ current }) => current)?.name;
      const marked = profiles.map(({ name, path }) => ({ name, path, active: name === inUse }));
      const rows = marked.map(({ name, path, active }) => [active ? ctx.paint.good("*") : " ", name, path]);
      return { data: { profiles: marked }, text: table(rows, Math.max(ctx.io.columns, 120)) };
    },
  },
  {
    path: ["profile", "create"],
    summary: "Make a profile, a home of its own",
    args: [nameArgument],
    options: [{ flags: "--clone", summary: "copy config.yaml and .env of the profile in use" }],
    examples: ["hermes profile create work --clone", "hermes -p work config show"],
    async run(input, ctx) {
      const name = input.arg("name");
      const { root } = rootHome(ctx.env, ctx.cwd);
      const source = input.flag("clone") ? valueOf(await resolveHome(ctx.env, ctx.cwd, ctx.profile)) : undefined;
      const made = valueOf(await createProfile(root, name, source));
      const { path } = made;
      return {
        data: { name, path },
        text: `Made ${name} in ${path}\n\`hermes -p ${name} …\` uses it once, \`hermes profile use ${name}\` always.`,
      };
    },
  },
  {
    path: ["profile", "use"],
    summary: "Choose the profile for calls without -p",
    args: [nameArgument],
    async run(input, ctx) {
      const name = input.arg("name");
      valueOf(await useProfile(rootHome(ctx.env, ctx.cwd).root, name));
      return { data: { name }, text: `${name} is used from now on.` };
    },
  },
  {
    path: ["profile", "delete"],
    summary: "Delete a profile with everything in it",
    details: "Asks for the name again, unless -y is given. The default profile and the one in use stay.",
    args: [nameArgument],
    options: [{ flags: "-y, --yes", summary: "do not ask" }],
    run: async (input, ctx) => remove(input.arg("name"), input.flag("yes"), ctx),
  },
];

async function remove(name: string, isSure: boolean, ctx: CliContext) {
  const { root, named } = rootHome(ctx.env, ctx.cwd);
  valueOf(await known(root, name));
  const path = profilePath(root, name);
  const original = await isOriginalHome(path);
  if (original.length > 0 && name !== "default") {
    throw new CommandFailed(
      `The Python Hermes uses ${path} too (${original.join(", ")}); its files are left alone.`,
      "Delete it with its own command.",
    );
  }
  if (!isSure && name !== "default") await confirm(name, path, ctx);
  const gone = await deleteProfile(root, name, ctx.profile ?? named);
  if (!gone.ok) throw new CommandFailed(problemText(gone.error));
  return { data: { name, path, deleted: true }, text: `Deleted ${name} (${path}).` };
}

async function confirm(name: string, path: string, ctx: CliContext): Promise<void> {
  if (!ctx.io.stdinIsTerminal) throw new CommandFailed(`Deleting ${name} needs a yes.`, "Add -y.");
  const typed = await askLine(
    ctx.io,
    `This deletes ${path} and everything in it. Type the name to go on: `,
    ctx.signal,
  );
  if (typed !== name) throw new CommandFailed("That is not the name; nothing was deleted.");
}
