import { systemClock } from "../../../../base/clock.ts";
import { oneLine, plural } from "../../../../base/text/text.ts";
import { timeText } from "../../../../base/text/time-text.ts";
import { drawTree } from "../../../../commands/sessions/draw-tree.ts";
import type { SessionTree } from "../../../../contracts/session/session-tree.ts";
import type { OutputOf } from "../../../../operations/catalog.ts";
import type { CliCommand, CliContext } from "../../command.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import { numberOption, sessionArgument } from "../../input.ts";
import { transcriptText } from "../../session-transcript.ts";
import { table } from "../../table.ts";

export const commands: readonly CliCommand[] = [
  {
    path: ["sessions", "list"],
    summary: "List conversations, last changed first",
    options: [
      { flags: "-n, --limit <count>", summary: "maximum number of sessions; default: 20" },
      { flags: "-a, --all", summary: "include one-shot runs (-z, -q, pipes), child agents and empty sessions" },
      { flags: "--source <name>", summary: "only sessions from this source: cli, oneshot, library, subagent" },
      { flags: "--tag <tag>", summary: "only sessions with this tag" },
      { flags: "--archived", summary: "archived sessions" },
      { flags: "--deleted", summary: "deleted sessions that can still be restored" },
    ],
    async run(input, ctx) {
      const only = input.flag("deleted") ? "deleted" : input.flag("archived") ? "archived" : undefined;
      const filters = { source: input.option("source"), tag: input.option("tag"), only } as const;
      const limit = numberOption(input, "limit") ?? 20;
      const isFiltered = Object.values(filters).some((filter) => filter !== undefined);
      const conversations = !isFiltered && !input.flag("all");
      const { sessions } = await ctx.run("sessions.list", { ...filters, limit, conversations });
      const rows = sessions.map(({ id, changedAt, source, messages, title, preview, tags = [] }) => [
        ctx.paint.bold(id),
        timeText(changedAt),
        escapeInvisible(source),
        String(messages),
        [
          escapeInvisible(title ?? preview ?? ""),
          ...tags.map((tag) => ctx.paint.accent(`#${escapeInvisible(tag)}`)),
        ].join(" "),
      ]);
      const none = isFiltered
        ? "No matching sessions."
        : conversations
          ? "There are no conversations yet. To include one-shot runs: hermes sessions list --all"
          : "There are no sessions yet.";
      const hint = only === "deleted" ? "Restore one: hermes sessions undelete ID" : "Resume one: hermes -r ID";
      const hints = ctx.io.stdoutIsTerminal ? [ctx.paint.dim(hint)] : [];
      return {
        data: { sessions },
        text: rows.length === 0 ? none : [table(rows, ctx.io.columns), ...hints].join("\n"),
      };
    },
  },
  {
    path: ["sessions", "show"],
    summary: "Show a session, even one that another process has open",
    args: [sessionArgument],
    options: [{ flags: "--branch <name>", summary: "this branch; default: the current one" }],
    async run(input, ctx) {
      const session = input.arg("session");
      const shown = await ctx.run("sessions.show", { session, branch: input.option("branch") });
      return { data: shown, text: [transcriptText(shown.entries, ctx), ...agentLines(shown.agents, ctx)].join("\n") };
    },
  },
  {
    path: ["sessions", "tree"],
    summary: "Draw the branches of a session",
    details:
      "Each line is an exchange: its number, its time and its first words. `hermes -r ID --branch NAME` resumes a branch; /branch NUMBER in a chat starts one after that exchange.",
    args: [sessionArgument],
    options: [{ flags: "-a, --all", summary: "do not collapse long runs" }],
    async run(input, ctx) {
      const { session, ...tree } = await ctx.run("sessions.tree", { session: input.arg("session") });
      const columns = Math.min(ctx.io.columns, 160);
      const drawn = drawTree(visibleTree(tree), { columns, now: systemClock.now(), isWhole: input.flag("all") });
      return {
        data: { session, ...tree },
        text: `${ctx.paint.bold(escapeInvisible(session.title ?? session.id))}\n${drawn}`,
      };
    },
  },
  {
    path: ["sessions", "resume"],
    summary: "Resume a session; the same as hermes -r",
    args: [sessionArgument],
    options: [{ flags: "--branch <name>", summary: "resume this branch" }],
    async run(input, ctx) {
      const { readChatRequest } = await import("../../chat/chat-request.ts");
      const { runInteractiveChat } = await import("../../screen/choose-interface.ts");
      const given = new Map([["resume", input.arg("session")]]);
      const branch = input.option("branch");
      if (branch !== undefined) given.set("branch", branch);
      const chatInput = { ...input, option: (name: string) => given.get(name), flag: () => false, list: () => [] };
      return runInteractiveChat(readChatRequest(chatInput, ctx), chatInput, ctx);
    },
  },
  {
    path: ["sessions", "stats"],
    summary: "Count sessions and messages, with their cost and disk usage",
    async run(_input, ctx) {
      const stats = await ctx.run("sessions.stats", {});
      const { sessions, archived, deleted, messages, sources, oldest, calls, tokens, costUsd, bytes } = stats;
      const rows = [
        ["sessions", `${sessions}, ${archived} archived, ${deleted} deleted`],
        ["messages", String(messages)],
        ...sources.map((each) => [
          `from ${escapeInvisible(each.source)}`,
          `${plural(each.sessions, "session")}, ${plural(each.messages, "message")}`,
        ]),
        ...(oldest === undefined ? [] : [["since", timeText(oldest)]]),
        ["model calls", `${calls}, ${tokens.toLocaleString("en")} tokens, $${costUsd.toFixed(2)}`],
        ["on disk", `${(bytes / 1e6).toFixed(1)} MB`],
      ];
      return { data: stats, text: table(rows, ctx.io.columns) };
    },
  },
];

function visibleTree({ exchanges, branches }: SessionTree): SessionTree {
  return {
    exchanges: exchanges.map((each) => ({
      ...each,
      asked: escapeInvisible(each.asked),
      answered: escapeInvisible(each.answered),
    })),
    branches: branches.map((each) => ({ ...each, name: escapeInvisible(each.name) })),
  };
}

/** The child agents of a session, each with the command that shows it. */
function agentLines(agents: OutputOf<"sessions.show">["agents"], { paint, io }: CliContext): readonly string[] {
  if (agents.length === 0) return [];
  const rows = agents.map(({ sessionId, agent = "agent", goal, status }) => [
    `  ${status === "completed" ? paint.good("✓") : status === undefined ? "●" : paint.bad("✗")} ${escapeInvisible(agent)}`,
    escapeInvisible(oneLine(goal, Math.max(20, io.columns - 60))),
    `hermes sessions show ${sessionId}`,
  ]);
  return ["", paint.bold("Agents:"), table(rows, io.columns)];
}
