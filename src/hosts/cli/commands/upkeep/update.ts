import { plural } from "../../../../base/text/text.ts";
import type { OutputOf } from "../../../../operations/catalog.ts";
import type { CliCommand, CliContext, CliInput, Reply } from "../../command.ts";
import { confirm } from "../../input.ts";

export const commands: readonly CliCommand[] = [
  {
    path: ["update"],
    summary: "Update Hermes, or return to the previous version",
    details:
      "Installs the new version beside the old one, starts it to check it, and then switches in one step. If anything fails, or the\n" +
      "update is killed, the old version stays in use. The old version is kept for --rollback. A clone is moved forward with git.\n" +
      "Exit codes: 0 done or nothing to do, 1 failed, 2 blocked, for example by uncommitted changes of a clone.",
    args: [
      {
        name: "file",
        summary: "a package file made with npm pack; default: the newest published version",
        optional: true,
      },
    ],
    options: [
      { flags: "--check", summary: "only report whether there is a newer version" },
      { flags: "--rollback", summary: "switch back to the version before the last update" },
      { flags: "--backup", summary: "back up the home first; with updates.pre_update_backup every update does this" },
      { flags: "--no-backup", summary: "do not back up the home first" },
      { flags: "--force", summary: "install even if the version is the same or older" },
      { flags: "--branch <name>", summary: "in a clone: update to this branch of origin" },
      { flags: "-y, --yes", summary: "do not ask" },
    ],
    examples: ["hermes update --check", "hermes update ./hermes-agent-ts-0.2.0.tgz", "hermes update --rollback"],
    async run(input, ctx) {
      const branch = input.option("branch");
      if (input.flag("check")) return checkReply(await ctx.run("update.check", { branch }), ctx);
      if (input.flag("rollback")) {
        const back = await ctx.run("update.rollback", {});
        return { data: back, text: `Switched back from ${back.from} to ${ctx.paint.good(back.to)}.` };
      }
      const file = input.optionalArg("file");
      const nothing = await confirmUpdate(input, ctx, file, branch);
      if (nothing) return nothing;
      await backUp(input, ctx);
      const updated = await ctx.run("update.apply", { file, branch, force: input.flag("force") });
      const { changed, from, to, removed = [] } = updated;
      if (!changed) return { data: updated, text: `Hermes ${to} is up to date.` };
      const lines = [
        `Updated from ${from} to ${ctx.paint.good(to)}. Sessions that are open keep running on ${from}.`,
        "`hermes update --rollback` goes back.",
        ...(removed.length > 0 ? [`Removed ${plural(removed.length, "older version")}.`] : []),
      ];
      return { data: updated, text: lines.join("\n") };
    },
  },
];

/** An invalid configuration must not prevent an update: then only --backup is considered. */
async function backUp(input: CliInput, ctx: CliContext): Promise<void> {
  const settings = await ctx.config().then(
    ({ values }) => values.updates,
    () => undefined,
  );
  const isRequested = input.flag("backup") || (settings?.pre_update_backup ?? false);
  if (!isRequested || input.flag("noBackup")) return;
  const { file } = await ctx.run("backup.beforeUpdate", { keep: settings?.backup_keep ?? 5 });
  if (file !== null && !ctx.json) ctx.io.warn(`Backed up the home to ${file}\n`);
}

/** Asks for confirmation at a terminal. Returns a reply if there is nothing to update. */
async function confirmUpdate(
  input: CliInput,
  ctx: CliContext,
  file: string | undefined,
  branch: string | undefined,
): Promise<Reply | undefined> {
  if (!ctx.io.stdinIsTerminal || ctx.json || input.flag("yes")) return undefined;
  if (file !== undefined) {
    await confirm(input, ctx, `Install ${file} and switch to it?`);
    return undefined;
  }
  const check = await ctx.run("update.check", { branch });
  if (!check.isNewer && !input.flag("force")) return checkReply(check, ctx);
  await confirm(input, ctx, `Update from ${check.version} to ${check.newest}?`);
  return undefined;
}

function checkReply(check: OutputOf<"update.check">, { paint }: CliContext): Reply {
  const { isNewer, newest, version, behind } = check;
  if (!isNewer) return { data: check, text: `Hermes ${version} is up to date.` };
  const what = behind === undefined ? `Version ${paint.good(newest)}` : `${plural(behind, "newer commit")} (${newest})`;
  return { data: check, text: `${what} is available; this is ${version}. \`hermes update\` installs it.` };
}
