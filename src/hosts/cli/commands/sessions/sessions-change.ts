import { oneLine, plural } from "../../../../base/text/text.ts";
import { timeText } from "../../../../base/text/time-text.ts";
import type { OutputOf } from "../../../../operations/catalog.ts";
import { type CliCommand, type CliContext, type CliInput, CommandFailed, type Reply } from "../../command.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import { confirm, numberOption, sessionArgument } from "../../input.ts";
import { table } from "../../table.ts";

const several = { name: "sessions", summary: "ids, prefixes of ids, titles, or latest", rest: true } as const;
const yes = { flags: "-y, --yes", summary: "do not ask" } as const;

export const commands: readonly CliCommand[] = [
  {
    path: ["sessions", "rename"],
    summary: "Rename a session",
    args: [sessionArgument, { name: "title", summary: "at most 100 characters", rest: true }],
    examples: ["hermes sessions rename latest A faster parser"],
    async run(input, ctx) {
      const title = input.rest("title").join(" ");
      const renamed = await ctx.run("sessions.rename", { session: input.arg("session"), title });
      return { data: renamed, text: `Renamed ${renamed.id} to "${renamed.title}".` };
    },
  },
  {
    path: ["sessions", "tag"],
    summary: "Show, add or remove tags of a session",
    details: "A session with the tag `keep` is never removed automatically, however old it is.",
    args: [sessionArgument, { name: "tags", summary: "tags to add", optional: true, rest: true }],
    options: [{ flags: "-r, --remove", summary: "remove these tags" }],
    examples: ["hermes sessions tag latest keep work", "hermes sessions tag latest --remove work"],
    async run(input, ctx) {
      const tags = input.rest("tags").flatMap((word) => word.split(","));
      const tagged = await ctx.run("sessions.tag", {
        session: input.arg("session"),
        tags,
        remove: input.flag("remove"),
      });
      const shown = tagged.tags.map(escapeInvisible).join(", ");
      return { data: tagged, text: shown === "" ? `${tagged.id} has no tags.` : `${tagged.id}: ${shown}` };
    },
  },
  {
    path: ["sessions", "archive"],
    summary: "Archive sessions: they leave the list, and search still finds them",
    args: [several],
    run: async (input, ctx) =>
      markedReply("archived", await ctx.run("sessions.archive", { sessions: await namedIds(input, ctx) })),
  },
  {
    path: ["sessions", "unarchive"],
    summary: "Return archived sessions to the list",
    args: [several],
    run: async (input, ctx) =>
      markedReply("unarchived", await ctx.run("sessions.unarchive", { sessions: await namedIds(input, ctx) })),
  },
  {
    path: ["sessions", "delete"],
    summary: "Delete sessions; they can be restored for a day",
    details:
      "They leave lists and search at once, and are erased a day later with their recordings, long results and checkpoints.\nWith --now they are erased at once and cannot be restored.",
    args: [several],
    options: [{ flags: "--now", summary: "erase them at once; they cannot be restored" }, yes],
    async run(input, ctx) {
      if (!input.flag("now")) return remove(await namedIds(input, ctx), ctx);
      const ids = await namedIds(input, ctx, "any");
      await confirm(input, ctx, `Erase ${plural(ids.length, "session")} permanently?`);
      return erase(ids, ctx);
    },
  },
  {
    path: ["sessions", "undelete"],
    summary: "Restore deleted sessions",
    details: "`hermes sessions list --deleted` shows the sessions that can be restored.",
    args: [{ ...several, optional: true }],
    options: [{ flags: "--all", summary: "all sessions deleted within the last day" }],
    async run(input, ctx) {
      const isAll = input.flag("all");
      if (isAll === input.rest("sessions").length > 0)
        throw new CommandFailed(
          "Name a session.",
          "`hermes sessions list --deleted` lists deleted sessions; --all restores all.",
          2,
        );
      const sessions = isAll ? await deletedIds(ctx) : await namedIds(input, ctx, "deleted");
      if (sessions.length === 0) throw new CommandFailed("No session was deleted within the last day.");
      return markedReply("restored", await ctx.run("sessions.undelete", { sessions }));
    },
  },
  {
    path: ["sessions", "prune"],
    summary: "Delete sessions that have not been used for a long time; they can be restored for a day",
    details: "Archived sessions, open ones and those with the tag `keep` stay.",
    options: [
      { flags: "--older-than <days>", summary: "minimum number of days since the last use; default: 90" },
      { flags: "--source <name>", summary: "only sessions from this source: cli, oneshot, library" },
      { flags: "--dry-run", summary: "only list the sessions" },
      { flags: "--now", summary: "erase them at once; they cannot be restored" },
      yes,
    ],
    examples: ["hermes sessions prune --older-than 30 --source oneshot --dry-run"],
    run: prune,
  },
];

async function prune(input: CliInput, ctx: CliContext): Promise<Reply> {
  const days = numberOption(input, "olderThan") ?? 90;
  const { sessions } = await ctx.run("sessions.unused", { days, source: input.option("source") });
  if (sessions.length === 0) return { data: { sessions }, text: `No session is older than ${plural(days, "day")}.` };
  if (input.flag("dryRun")) {
    const rows = sessions.map(({ id, changedAt, title, preview }) => [
      id,
      timeText(changedAt),
      escapeInvisible(title ?? preview ?? ""),
    ]);
    return { data: { sessions, dryRun: true }, text: table(rows, ctx.io.columns) };
  }
  const verb = input.flag("now") ? "Permanently erase" : "Delete";
  await confirm(input, ctx, `${verb} ${plural(sessions.length, "session")} not used for ${plural(days, "day")}?`);
  const ids = sessions.map(({ id }) => id);
  return input.flag("now") ? erase(ids, ctx) : remove(ids, ctx);
}

async function erase(sessions: readonly string[], ctx: CliContext): Promise<Reply> {
  const outcome = await ctx.run("sessions.erase", { sessions });
  const { erased, left } = outcome;
  const kept = left.map((id) => `${id} is in use and was not erased.`);
  return {
    data: outcome,
    text: [`${plural(erased.length, "session")} erased.`, ...kept].join("\n"),
    exitCode: left.length > 0 ? 1 : 0,
  };
}

async function remove(sessions: readonly string[], ctx: CliContext): Promise<Reply> {
  const reply = markedReply("deleted", await ctx.run("sessions.delete", { sessions }));
  const [first, second] = sessions;
  return {
    ...reply,
    text: `${reply.text}\nTo restore, within a day: hermes sessions undelete ${second ? "ID …, or --all" : first}`,
  };
}

function markedReply(verb: string, marked: OutputOf<"sessions.archive">): Reply {
  const { sessions, failed } = marked;
  const lines = sessions.map(
    ({ id, title, preview }) => `${id} ${verb}: ${escapeInvisible(oneLine(title ?? preview ?? "", 60))}`,
  );
  return {
    data: marked,
    text: [
      ...(lines.length > 20 ? [`${plural(lines.length, "session")} ${verb}.`] : lines),
      ...failed.map(({ why }) => why),
    ].join("\n"),
    exitCode: failed.length > 0 ? 1 : 0,
  };
}

async function namedIds(input: CliInput, ctx: CliContext, only?: "deleted" | "any"): Promise<readonly string[]> {
  const { sessions } = await ctx.run("sessions.find", { sessions: input.rest("sessions"), only });
  return sessions.map(({ id }) => id);
}

async function deletedIds(ctx: CliContext): Promise<readonly string[]> {
  const { sessions } = await ctx.run("sessions.list", { limit: Number.MAX_SAFE_INTEGER, only: "deleted" });
  return sessions.map(({ id }) => id);
}
