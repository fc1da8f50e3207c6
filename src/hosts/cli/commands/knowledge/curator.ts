import { plural } from "../../../../base/text/text.ts";
import type { OutputOf } from "../../../../operations/catalog.ts";
import type { CliCommand, CliContext } from "../../command.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import { table } from "../../table.ts";

const name = { name: "name", summary: "the skill" };

/** Maintains the skills that the agent created. */
export const commands: readonly CliCommand[] = [
  {
    path: ["curator", "status"],
    summary: "Show the use of skills and the schedule of the curator",
    async run(_input, ctx) {
      const status = await ctx.run("curator.status", {});
      const { skills, lastAt, dueAt, paused } = status;
      const last = lastAt === null ? "" : `, last run: ${dayOf(lastAt)}`;
      const rows = skills.map((each) => rowOf(each, ctx));
      return {
        data: status,
        text: [table(rows, ctx.io.columns), paused ? "Paused." : `Next run: from ${dayOf(dueAt)} on${last}.`].join(
          "\n",
        ),
      };
    },
  },
  {
    path: ["curator", "run"],
    summary: "Archive the agent's unused skills",
    details: "Deletes nothing. Backs up all skills first; `hermes curator restore NAME` restores one.",
    options: [{ flags: "--dry-run", summary: "only report what would be archived" }],
    async run(input, ctx) {
      const dryRun = input.flag("dryRun");
      const report = await ctx.run("curator.run", { dryRun });
      const { stale, archived, backup } = report;
      const lines = [
        archived.length === 0
          ? "Nothing to archive."
          : `${dryRun ? "Would be archived" : "Archived"}: ${archived.join(", ")}`,
        ...(stale.length === 0 ? [] : [`Unused for a long time: ${stale.join(", ")}`]),
        ...(backup === undefined ? [] : [`Backup: ${backup}`]),
      ];
      return { data: report, text: lines.join("\n") };
    },
  },
  {
    path: ["curator", "backup"],
    summary: "Back up all skills now",
    async run(_input, ctx) {
      const data = await ctx.run("curator.backup", {});
      return { data, text: `Backup: ${data.backup}` };
    },
  },
  {
    path: ["curator", "rollback"],
    summary: "Restore all skills from a backup; newer skills stay",
    args: [{ name: "backup", summary: "name of the backup; default: the newest", optional: true }],
    async run(input, ctx) {
      const data = await ctx.run("curator.rollback", { backup: input.optionalArg("backup") });
      return { data, text: `${plural(data.skills.length, "skill")} restored from ${data.backup}.` };
    },
  },
  ...(["pause", "resume"] as const).map((verb): CliCommand => ({
    path: ["curator", verb],
    summary: verb === "pause" ? "Stop running the curator automatically" : "Run the curator automatically again",
    run: async (_input, ctx) => ({
      data: await ctx.run(`curator.${verb}`, {}),
      text: verb === "pause" ? "Paused." : "Resumed.",
    }),
  })),
  ...(["pin", "unpin"] as const).map((verb): CliCommand => ({
    path: ["curator", verb],
    summary: verb === "pin" ? "Pin a skill: never archive it" : "Unpin a skill: allow archiving it again",
    args: [name],
    async run(input, ctx) {
      const data = await ctx.run(`curator.${verb}`, { name: input.arg("name") });
      return { data, text: `${data.name} is ${data.pinned ? "pinned" : "no longer pinned"}.` };
    },
  })),
  {
    path: ["curator", "archive"],
    summary: "Move a skill into the archive",
    args: [name],
    async run(input, ctx) {
      const data = await ctx.run("curator.archive", { name: input.arg("name") });
      return { data, text: `Archived ${data.archived}. \`hermes curator restore ${data.archived}\` restores it.` };
    },
  },
  {
    path: ["curator", "restore"],
    summary: "Restore a skill from the archive",
    args: [name],
    async run(input, ctx) {
      const data = await ctx.run("curator.restore", { name: input.arg("name") });
      return { data, text: `Restored ${data.restored}.` };
    },
  },
  {
    path: ["curator", "list-archived"],
    summary: "List the archived skills",
    async run(_input, ctx) {
      const data = await ctx.run("curator.archived", {});
      return { data, text: data.archived.join("\n") || "The archive is empty." };
    },
  },
];

function rowOf(skill: OutputOf<"curator.status">["skills"][number], { paint }: CliContext): readonly string[] {
  const { name: id, state, use, exempt, origin } = skill;
  return [
    paint.bold(escapeInvisible(id)),
    exempt === undefined ? state : paint.dim(exempt),
    plural(use.uses + use.views, "use"),
    use.lastAt === 0 ? "never used" : `last ${dayOf(use.lastAt)}`,
    paint.dim(origin),
  ];
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
