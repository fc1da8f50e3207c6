import { systemClock } from "../../../base/clock.ts";
import { silentLog } from "../../../base/log/log.ts";
import { plural } from "../../../base/text/text.ts";
import type { CuratedSkill, OpenedCurator } from "../../../runtime/knowledge/open-curator.ts";
import { visible } from "../ask-approval.ts";
import { type CliCommand, type CliContext, CommandFailed, type Reply } from "../command.ts";
import { table } from "../table.ts";

const name = { name: "name", summary: "the skill" };

/** Looking after the skills that the agent made. */
export const commands: readonly CliCommand[] = [
  {
    path: ["curator", "status"],
    summary: "Show how skills are used, and when they are looked after",
    run: (_input, ctx) =>
      withCurator(ctx, async ({ curator }) => {
        const { skills, lastAt, dueAt, isPaused } = await curator.status();
        const when = isPaused
          ? "It is paused."
          : `Next look: from ${dayOf(dueAt)} on${lastAt === undefined ? "" : `, the last was on ${dayOf(lastAt)}`}.`;
        return {
          data: { skills: skills.map(dataOf), lastAt: lastAt ?? null, dueAt, paused: isPaused },
          text: [
            table(
              skills.map((each) => rowOf(each, ctx)),
              ctx.io.columns,
            ),
            when,
          ].join("\n"),
        };
      }),
  },
  {
    path: ["curator", "run"],
    summary: "Archive skills of the agent's that nobody uses",
    details: "Nothing is deleted. A backup of all skills is made first; `hermes curator restore NAME` brings one back.",
    options: [{ flags: "--dry-run", summary: "only say what would be done" }],
    run: (input, ctx) =>
      withCurator(ctx, async ({ curator }) => {
        const report = valueOf(await curator.run(input.flag("dryRun"), ctx.signal));
        const { stale, archived, backup } = report;
        const lines = [
          archived.length === 0
            ? "Nothing to archive."
            : `${input.flag("dryRun") ? "Would be archived" : "Archived"}: ${archived.join(", ")}`,
          ...(stale.length === 0 ? [] : [`Not used for long: ${stale.join(", ")}`]),
          ...(backup === undefined ? [] : [`Backup: ${backup}`]),
        ];
        return { data: { ...report, stale: [...stale], archived: [...archived] }, text: lines.join("\n") };
      }),
  },
  {
    path: ["curator", "backup"],
    summary: "Make a backup of all skills now",
    run: (_input, ctx) =>
      withCurator(ctx, async ({ backups }) => {
        const made = valueOf(await backups.make((await ctx.config()).values.curator.keep_backups));
        return { data: { backup: made }, text: `Backup: ${made}` };
      }),
  },
  {
    path: ["curator", "rollback"],
    summary: "Make every skill what it was in a backup; what came since stays",
    args: [{ name: "backup", summary: "its name; the newest when left out", optional: true }],
    run: (input, ctx) =>
      withCurator(ctx, async ({ curator, backups }) => {
        const backup = input.optionalArg("backup") ?? backups.list().at(-1);
        if (backup === undefined) throw new CommandFailed("There is no backup yet.", "hermes curator backup");
        const restored = valueOf(await curator.rollback(backup, ctx.signal));
        return {
          data: { backup, skills: [...restored] },
          text: `${plural(restored.length, "skill")} as in ${backup}.`,
        };
      }),
  },
  ...(["pause", "resume"] as const).map((verb): CliCommand => ({
    path: ["curator", verb],
    summary: verb === "pause" ? "Look after skills no more by itself" : "Look after skills by itself again",
    run: (_input, ctx) =>
      withCurator(ctx, async ({ curator }) => {
        await curator.pause(verb === "pause");
        return { data: { paused: verb === "pause" }, text: verb === "pause" ? "Paused." : "It goes on." };
      }),
  })),
  ...(["pin", "unpin"] as const).map((verb): CliCommand => ({
    path: ["curator", verb],
    summary: verb === "pin" ? "Keep a skill, used or not" : "Let a skill be looked after again",
    args: [name],
    run: (input, ctx) =>
      withCurator(ctx, async ({ curator, usage }) => {
        const wanted = input.arg("name");
        if (!(await curator.status()).skills.some((each) => each.name === wanted))
          throw new CommandFailed(`There is no skill ${visible(wanted)} in the home.`);
        await usage.pin(wanted, verb === "pin", ctx.signal);
        return {
          data: { name: wanted, pinned: verb === "pin" },
          text: `${wanted} is ${verb === "pin" ? "pinned" : "not pinned any more"}.`,
        };
      }),
  })),
  {
    path: ["curator", "archive"],
    summary: "Put a skill into the archive",
    args: [name],
    run: (input, ctx) =>
      withCurator(ctx, async ({ curator }) => {
        valueOf(await curator.archive(input.arg("name"), ctx.signal));
        return {
          data: { archived: input.arg("name") },
          text: `${input.arg("name")} is archived. \`hermes curator restore ${input.arg("name")}\` brings it back.`,
        };
      }),
  },
  {
    path: ["curator", "restore"],
    summary: "Bring a skill back from the archive",
    args: [name],
    run: (input, ctx) =>
      withCurator(ctx, async ({ curator }) => {
        valueOf(await curator.restore(input.arg("name"), ctx.signal));
        return { data: { restored: input.arg("name") }, text: `${input.arg("name")} is back.` };
      }),
  },
  {
    path: ["curator", "list-archived"],
    summary: "List the archive",
    run: (_input, ctx) =>
      withCurator(ctx, async ({ curator }) => {
        const found = curator.archived();
        return { data: { archived: [...found] }, text: found.join("\n") || "The archive is empty." };
      }),
  },
];

async function withCurator(ctx: CliContext, run: (opened: OpenedCurator) => Promise<Reply>): Promise<Reply> {
  const { openSkills } = await import("../../../runtime/knowledge/open-skills.ts");
  const { openCurator } = await import("../../../runtime/knowledge/open-curator.ts");
  const config = await ctx.config();
  const say = (sentence: string) => ctx.io.warn(`${ctx.paint.dim(`hermes: ${visible(sentence)}`)}\n`);
  await using skills = openSkills(config, { cwd: ctx.cwd, clock: systemClock, log: silentLog, say });
  return await run(openCurator(config, skills, systemClock));
}

function valueOf<T>(
  result:
    | { readonly ok: true; readonly value: T }
    | { readonly ok: false; readonly error: { readonly message: string } },
): T {
  if (result.ok) return result.value;
  throw new CommandFailed(`${visible(result.error.message)}.`);
}

function rowOf({ name: skill, state, use, exempt, origin }: CuratedSkill, { paint }: CliContext): readonly string[] {
  const last = use.lastAt === 0 ? "never used" : `last ${dayOf(use.lastAt)}`;
  return [
    paint.bold(visible(skill)),
    exempt === undefined ? state : paint.dim(exempt),
    `${use.uses + use.views} uses`,
    last,
    paint.dim(origin),
  ];
}

function dataOf({ use, ...rest }: CuratedSkill) {
  return { ...rest, use: { ...use } };
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
