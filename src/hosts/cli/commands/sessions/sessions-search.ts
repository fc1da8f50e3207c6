import { plural } from "../../../../base/text/text.ts";
import { timeText } from "../../../../base/text/time-text.ts";
import type { InputOf, OutputOf } from "../../../../operations/catalog.ts";
import { type CliCommand, type CliContext, type CliInput, CommandFailed } from "../../command.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import { choiceOption, numberOption } from "../../input.ts";

const roles = ["user", "assistant", "tool"] as const;
const maxSessions = 50;

export const commands: readonly CliCommand[] = [
  {
    path: ["sessions", "search"],
    summary: "Search the text of your sessions",
    args: [{ name: "words", summary: 'words, "a phrase", prefix*, -excluded, a OR b', rest: true }],
    options: [
      { flags: "-n, --limit <count>", summary: "maximum number of sessions; default: 10" },
      { flags: "--role <roles>", summary: "roles to search: user, assistant, tool; default: user,assistant" },
      { flags: "--since <date>", summary: "start date or time" },
      { flags: "--until <date>", summary: "end date or time" },
      {
        flags: "--sort <order>",
        summary: "sort order: newest or oldest; default: best match first",
        choices: ["newest", "oldest"],
      },
      { flags: "--wait", summary: "wait until everything is indexed" },
    ],
    async run(input, ctx) {
      if (input.rest("words").join("").trim() === "")
        throw new CommandFailed("The search text is empty.", "For example: hermes sessions search login", 2);
      const answer = await ctx.run("sessions.search", queryOf(input));
      const { sessions, note, bounded, behind } = answer;
      const notes = [
        ...(note === undefined ? [] : [`${note}.`]),
        ...(bounded ? ["There are more matches: add words, or --since and --until."] : []),
        ...(behind > 0 ? [`${plural(behind, "entry")} not indexed yet: pass --wait to include them.`] : []),
      ];
      return {
        data: answer,
        text: [
          ...sessions.map((each) => matchText(each, ctx)),
          ...(sessions.length === 0 ? ["No matches."] : []),
          ...notes.map((line) => ctx.paint.dim(escapeInvisible(line))),
        ].join("\n"),
      };
    },
  },
];

function matchText(match: OutputOf<"sessions.search">["sessions"][number], { paint }: CliContext): string {
  const { id, title, preview = "", entry, role, at: writtenAt, snippet, inTitle, more } = match;
  const facts = [timeText(writtenAt), inTitle ? "title" : role, entry, ...(more > 0 ? [`${more} more`] : [])];
  const marked = escapeInvisible(snippet).replace(/>>>(.*?)<<</gu, (_, word: string) => paint.accent(word));
  return `${paint.bold(id)}  ${escapeInvisible(title ?? preview)}\n  ${paint.dim(facts.join(" · "))}\n  ${marked}\n`;
}

function queryOf(input: CliInput): InputOf<"sessions.search"> {
  const words = input
    .option("role")
    ?.split(",")
    .map((role) => role.trim());
  const unknown = words?.find((role) => !roles.some((each) => each === role));
  if (unknown !== undefined) throw new CommandFailed(`--role ${unknown}: use ${roles.join(", ")}.`, undefined, 2);
  return {
    text: input.rest("words").join(" "),
    limit: Math.min(numberOption(input, "limit") ?? 10, maxSessions),
    roles: words && roles.filter((role) => words.includes(role)),
    since: timeOption(input, "since"),
    until: timeOption(input, "until"),
    sort: choiceOption(input, "sort", ["newest", "oldest"]),
    wait: input.flag("wait"),
  };
}

function timeOption(input: CliInput, name: "since" | "until"): number | undefined {
  const text = input.option(name);
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new CommandFailed(`--${name} ${text}: write a date such as 2026-11-01.`, undefined, 2);
  // `--until` includes the whole day.
  return name === "until" && /^\d{4}-\d\d-\d\d$/u.test(text) ? time + 86_399_999 : time;
}
