import { systemClock } from "../../../base/clock.ts";
import { oneLine, plural } from "../../../base/text/text.ts";
import { timeText } from "../../../base/text/time-text.ts";
import type { SessionMarks, SessionRecord } from "../../../contracts/session/session.ts";
import { visible } from "../ask-approval.ts";
import { askLine } from "../ask-line.ts";
import { type CliCommand, type CliContext, type CliInput, CommandFailed, type Reply } from "../command.ts";
import { table } from "../table.ts";
import { countOf, type OpenSessions, recordData, sessionArgument, withKnownSessions } from "./session-lookup.ts";

const several = { name: "sessions", summary: "ids, beginnings of them, titles, or latest", rest: true } as const;
const yes = { flags: "-y, --yes", summary: "do it without asking" } as const;

export const commands: readonly CliCommand[] = [
  {
    path: ["sessions", "rename"],
    summary: "Give a session another title",
    args: [sessionArgument, { name: "title", summary: "at most 100 characters", rest: true }],
    examples: ["hermes sessions rename latest The parser that was fast"],
    async run(input, ctx) {
      return withKnownSessions(ctx, async ({ store, find }) => {
        const record = await find(input.arg("session"));
        const { renameSession } = await import("../../../sessions/session-title.ts");
        const titled = await renameSession(record, input.rest("title").join(" "), store);
        if (!titled.ok) throw new CommandFailed(titled.error.message);
        return { data: { id: record.id, title: titled.value }, text: `${record.id} is called "${titled.value}" now.` };
      });
    },
  },
  {
    path: ["sessions", "tag"],
    summary: "Show, add or take away tags of a session",
    details: "A session with the tag `keep` is never removed by itself, however old it is.",
    args: [sessionArgument, { name: "tags", summary: "words to find it by", optional: true, rest: true }],
    options: [{ flags: "-r, --remove", summary: "take these tags away" }],
    examples: ["hermes sessions tag latest keep work", "hermes sessions tag latest --remove work"],
    run: tag,
  },
  {
    path: ["sessions", "archive"],
    summary: "Take sessions out of the list; they are kept and found",
    args: [several],
    run: (input, ctx) => mark(input, ctx, { archived: true }, "archived"),
  },
  {
    path: ["sessions", "unarchive"],
    summary: "Bring archived sessions back into the list",
    args: [several],
    run: (input, ctx) => mark(input, ctx, { archived: false }, "in the list again"),
  },
  {
    path: ["sessions", "delete"],
    summary: "Delete sessions; for a day they can be taken back",
    details:
      "They are gone from lists and search at once, and erased a day later with their recordings, long results and checkpoints.\nWith --now they are erased at once, for good.",
    args: [several],
    options: [{ flags: "--now", summary: "erase them at once; nothing can be taken back" }, yes],
    run: remove,
  },
  {
    path: ["sessions", "undelete"],
    summary: "Take deleted sessions back",
    details: "`hermes sessions list --deleted` shows those that can be taken back.",
    args: [{ ...several, optional: true }],
    options: [{ flags: "--all", summary: "all that were deleted within the last day" }],
    async run(input, ctx) {
      const wanted = input.rest("sessions");
      const isAll = input.flag("all");
      if (isAll === wanted.length > 0)
        throw new CommandFailed("Which sessions?", "Name them (sessions list --deleted shows them), or say --all.", 2);
      return withKnownSessions(ctx, async (open) => {
        const deleted = await open.store.list({ limit: mostAtOnce, only: "deleted" }, open.who);
        const records = isAll ? deleted : named(wanted, deleted);
        if (records.length === 0) throw new CommandFailed("No session was deleted within the last day.");
        return marked(records, { deleted: false }, "back", open, ctx);
      });
    },
  },
  {
    path: ["sessions", "prune"],
    summary: "Delete sessions that were not used for long; for a day they can be taken back",
    details: "Archived sessions, those with the tag `keep` and those that are open stay.",
    options: [
      { flags: "--older-than <days>", summary: "not used for so many days; 90 when left out" },
      { flags: "--source <name>", summary: "only those from there: cli, oneshot, library" },
      { flags: "--dry-run", summary: "only show them" },
      { flags: "--now", summary: "erase them at once; nothing can be taken back" },
      yes,
    ],
    examples: ["hermes sessions prune --older-than 30 --source oneshot --dry-run"],
    run: prune,
  },
];

const mostAtOnce = 1_000_000;
const fewAtOnce = 100;
const givingBackMs = 5_000;

async function tag(input: CliInput, ctx: CliContext): Promise<Reply> {
  return withKnownSessions(ctx, async ({ store, who, find }) => {
    const record = await find(input.arg("session"));
    const { plainTitle } = await import("../../../sessions/session-title.ts");
    const words = input.rest("tags").flatMap((word) => word.split(",").flatMap((each) => plainTitle(each, 50) || []));
    const before = record.tags ?? [];
    const tags = input.flag("remove")
      ? before.filter((each) => !words.includes(each))
      : [...new Set([...before, ...words])];
    if (words.length > 0) {
      const done = await store.mark(record.id, { tags }, who);
      if (!done.ok) throw new CommandFailed(done.error.message);
    }
    const text = tags.length === 0 ? `${record.id} has no tags.` : `${record.id}: ${tags.map(visible).join(", ")}`;
    return { data: { id: record.id, tags }, text };
  });
}

function mark(input: CliInput, ctx: CliContext, marks: SessionMarks, how: string): Promise<Reply> {
  return withKnownSessions(ctx, async (open) => marked(await all(input, open), marks, how, open, ctx));
}

async function remove(input: CliInput, ctx: CliContext): Promise<Reply> {
  return withKnownSessions(ctx, async (open) => {
    if (!input.flag("now")) return deleted(await all(input, open), open, ctx);
    const wanted = input.rest("sessions");
    const gone = await open.store.list({ limit: mostAtOnce, only: "deleted" }, open.who);
    const hidden = wanted.flatMap((text) => gone.find(({ id, title }) => id === text || title === text) ?? []);
    const shown = wanted.filter((text) => !hidden.some(({ id, title }) => id === text || title === text));
    const records = [...hidden, ...(await Promise.all(shown.map(open.find)))];
    await sure(input, ctx, `Erase ${plural(records.length, "session")} for good?`);
    return erased(records, open, ctx);
  });
}

async function prune(input: CliInput, ctx: CliContext): Promise<Reply> {
  const days = countOf(input.option("olderThan"), 90, "--older-than");
  const source = input.option("source");
  return withKnownSessions(ctx, async (open) => {
    const before = systemClock.now() - days * 86_400_000;
    const query = { limit: mostAtOnce, before, ...(source !== undefined && { source }) };
    const old = (await open.store.list(query, open.who)).filter(({ tags }) => !tags?.includes("keep"));
    if (old.length === 0) return { data: { sessions: [] }, text: `No session is older than ${plural(days, "day")}.` };
    const rows = old.map(({ id, changedAt, title, preview }) => [
      id,
      timeText(changedAt),
      visible(title ?? preview ?? ""),
    ]);
    if (input.flag("dryRun"))
      return { data: { sessions: old.map(recordData), dryRun: true }, text: table(rows, ctx.io.columns) };
    const how = input.flag("now") ? "Erase for good" : "Delete";
    await sure(input, ctx, `${how} ${plural(old.length, "session")} not used for ${plural(days, "day")}?`);
    return input.flag("now") ? erased(old, open, ctx) : deleted(old, open, ctx);
  });
}

/** At a terminal a person is asked; a program says --yes. */
async function sure(input: CliInput, ctx: CliContext, question: string): Promise<void> {
  if (input.flag("yes")) return;
  if (!ctx.io.stdinIsTerminal || ctx.json) throw new CommandFailed(question, "Say --yes to do it.", 2);
  const answer = await askLine(ctx.io, `${question} [y/N] `, ctx.signal);
  if (!/^y(?:es)?$/iu.test(answer)) throw new CommandFailed("Nothing was changed.");
}

async function erased(records: readonly SessionRecord[], open: OpenSessions, ctx: CliContext): Promise<Reply> {
  const { eraseSessions } = await import("../../../runtime/session/erase-sessions.ts");
  const config = await ctx.config();
  const ids = records.map(({ id }) => id);
  const done = await eraseSessions(ids, open.who, { store: open.store, config }, ctx.signal);
  if (ctx.signal.aborted) {
    const message = `Interrupted: of ${plural(ids.length, "session")} ${done.sessions.length} are erased.`;
    throw new CommandFailed(message, undefined, 130);
  }
  // What takes longer is given back while the next conversation runs.
  await open.store.upkeep.giveBack(AbortSignal.any([ctx.signal, AbortSignal.timeout(givingBackMs)]));
  const left = ids.filter((id) => !done.sessions.includes(id));
  const stays = left.map((id) => `${id} is in use and stays.`);
  return {
    data: { erased: [...done.sessions], left, bytes: done.bytes },
    text: [`${plural(done.sessions.length, "session")} erased.`, ...stays].join("\n"),
    exitCode: left.length > 0 ? 1 : 0,
  };
}

async function deleted(records: readonly SessionRecord[], open: OpenSessions, ctx: CliContext): Promise<Reply> {
  const reply = await marked(records, { deleted: true }, "deleted", open, ctx);
  const [first, second] = records;
  const which = second ? "ID …, or --all" : first?.id;
  const undo = `For a day: hermes sessions undelete ${which}`;
  return { ...reply, text: `${reply.text}\n${undo}` };
}

async function marked(
  records: readonly SessionRecord[],
  marks: SessionMarks,
  how: string,
  { store, who }: OpenSessions,
  { signal }: CliContext,
): Promise<Reply> {
  const done: SessionRecord[] = [];
  const failed: { readonly id: string; readonly why: string }[] = [];
  for (let at = 0; at < records.length; at += fewAtOnce) {
    if (signal.aborted)
      throw new CommandFailed(
        `Interrupted: of ${plural(records.length, "session")} ${done.length} are ${how}.`,
        undefined,
        130,
      );
    // Together they wait for the disk once.
    const few = records.slice(at, at + fewAtOnce);
    for (const [place, result] of (await Promise.all(few.map(({ id }) => store.mark(id, marks, who)))).entries()) {
      if (result.ok) done.push(result.value);
      else failed.push({ id: few[place]?.id ?? "", why: result.error.message });
    }
  }
  const lines = done.map(
    ({ id, title, preview }) => `${id} is ${how}: ${visible(oneLine(title ?? preview ?? "", 60))}`,
  );
  return {
    data: { sessions: done.map(recordData), failed: failed.map((each) => ({ ...each })) },
    text: [
      ...(lines.length > 20 ? [`${plural(lines.length, "session")}: ${how}`] : lines),
      ...failed.map(({ why }) => why),
    ].join("\n"),
    exitCode: failed.length > 0 ? 1 : 0,
  };
}

/** All that are named, or none of them. */
async function all(input: CliInput, { find }: OpenSessions): Promise<readonly SessionRecord[]> {
  const records = await Promise.all(input.rest("sessions").map(find));
  return records.filter(({ id }, at) => records.findIndex((each) => each.id === id) === at);
}

function named(wanted: readonly string[], among: readonly SessionRecord[]): readonly SessionRecord[] {
  return wanted.map((text) => {
    const exact = among.find(({ id, title }) => id === text || title === text);
    const begun = among.filter(({ id }) => text.length >= 4 && id.startsWith(text));
    const [first, second] = exact ? [exact] : begun;
    if (first && !second) return first;
    const why = first ? `"${text}" fits several deleted sessions.` : `There is no deleted session "${text}".`;
    throw new CommandFailed(why, "List them: hermes sessions list --deleted");
  });
}
