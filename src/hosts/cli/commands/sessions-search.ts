import { plural } from "../../../base/text/text.ts";
import { timeText } from "../../../base/text/time-text.ts";
import type { FoundSessions, SearchedRole, SearchQuery } from "../../../contracts/session/session-search.ts";
import { visible } from "../ask-approval.ts";
import { type CliCommand, type CliContext, CommandFailed } from "../command.ts";
import { warningsOf } from "./session-lookup.ts";

const roles: readonly SearchedRole[] = ["user", "assistant", "tool"];

export const commands: readonly CliCommand[] = [
  {
    path: ["sessions", "search"],
    summary: "Find what was said in your sessions",
    args: [{ name: "words", summary: 'words, "a phrase", begin*, -without, a OR b', rest: true }],
    options: [
      { flags: "-n, --limit <count>", summary: "how many sessions at most; 10 when left out" },
      { flags: "--role <roles>", summary: "who said it: user, assistant, tool; user,assistant when left out" },
      { flags: "--since <date>", summary: "not before that day or moment" },
      { flags: "--until <date>", summary: "not after that day or moment" },
      { flags: "--sort <order>", summary: "newest or oldest; how well it fits when left out" },
      { flags: "--wait", summary: "until everything is searchable, after the search file was made anew" },
    ],
    async run(input, ctx) {
      const query = queryOf(input);
      const [{ openSessions, sessionsFile }, { findSessions, openSearch }] = await Promise.all([
        import("../../../runtime/session/open-sessions.ts"),
        import("../../../runtime/knowledge/open-search.ts"),
      ]);
      const config = await ctx.config();
      await using store = await openSessions(config, warningsOf(ctx));
      if (!store) return { data: { sessions: [], behind: 0 }, text: "There is no session yet." };
      await using search = openSearch(sessionsFile(config));
      if (input.flag("wait")) await search.ready(ctx.signal);
      const { found, note, bounded, behind } = await findSessions(query, ctx.principal, { store, search }, ctx.signal);
      const sessions = found.map(({ record, entry, role, at, snippet, isTitle, more }) => ({
        id: record.id,
        ...(record.title !== undefined && { title: record.title }),
        source: record.source,
        entry,
        role,
        at,
        snippet,
        inTitle: isTitle ?? false,
        more,
      }));
      const lines = found.map((each) => hitText(each, ctx));
      const notes = [
        ...(note === undefined ? [] : [`${note}.`]),
        ...(bounded ? ["More fits than was looked at: add words, or --since and --until."] : []),
        ...(behind > 0 ? [`${plural(behind, "entry")} not searchable yet: --wait waits for them.`] : []),
      ];
      const empty = found.length === 0 ? ["Nothing was found."] : [];
      return {
        data: { sessions, ...(note !== undefined && { note }), bounded, behind },
        text: [...lines, ...empty, ...notes.map((line) => ctx.paint.dim(visible(line)))].join("\n"),
      };
    },
  },
];

function hitText(
  { record, entry, role, at, snippet, isTitle, more }: FoundSessions["found"][number],
  { paint }: CliContext,
): string {
  const title = record.title ?? record.preview ?? "";
  const facts = [timeText(at), isTitle ? "title" : role, entry, ...(more > 0 ? [`${more} more`] : [])];
  const marked = visible(snippet).replace(/>>>(.*?)<<</gu, (_, word: string) => paint.accent(word));
  return `${paint.bold(record.id)}  ${visible(title)}\n  ${paint.dim(facts.join(" · "))}\n  ${marked}\n`;
}

function queryOf(input: Parameters<CliCommand["run"]>[0]): SearchQuery {
  const limit = Number(input.option("limit") ?? 10);
  if (!Number.isSafeInteger(limit) || limit < 1) throw new CommandFailed("--limit needs a whole number.", undefined, 2);
  const asked = input
    .option("role")
    ?.split(",")
    .map((role) => role.trim());
  const wrong = asked?.find((role) => !roles.some((known) => known === role));
  if (wrong !== undefined) throw new CommandFailed(`--role ${wrong}: it is ${roles.join(", ")}.`, undefined, 2);
  const sort = input.option("sort");
  if (sort !== undefined && sort !== "newest" && sort !== "oldest")
    throw new CommandFailed("--sort is newest or oldest.", undefined, 2);
  const since = timeOf(input.option("since"), "--since");
  const until = timeOf(input.option("until"), "--until");
  return {
    text: input.rest("words").join(" "),
    limit: Math.min(limit, mostSessions),
    ...(asked && { roles: roles.filter((role) => asked.includes(role)) }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(sort !== undefined && { sort }),
  };
}

const mostSessions = 50;

function timeOf(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new CommandFailed(`${option} ${text}: write a date such as 2026-11-01.`, undefined, 2);
  // A day is meant to its end.
  return option === "--until" && /^\d{4}-\d\d-\d\d$/u.test(text) ? at + 86_399_999 : at;
}
