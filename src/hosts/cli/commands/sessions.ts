import { systemClock } from "../../../base/clock.ts";
import type { SessionId } from "../../../base/ids.ts";
import { oneLine } from "../../../base/text/text.ts";
import { timeText } from "../../../base/text/time-text.ts";
import { drawTree } from "../../../commands/draw-tree.ts";
import type { Message } from "../../../contracts/model/message.ts";
import type { SessionTree } from "../../../contracts/session/session-tree.ts";
import type { Entry, SessionQuery, SessionStore } from "../../../contracts/session/session.ts";
import { visible } from "../ask-approval.ts";
import { type CliCommand, type CliContext, CommandFailed } from "../command.ts";
import { table } from "../table.ts";
import { countOf, recordData, sessionArgument, withKnownSessions, withSessions } from "./session-lookup.ts";

export const commands: readonly CliCommand[] = [
  {
    path: ["sessions", "list"],
    summary: "List sessions, last changed first",
    options: [
      { flags: "-n, --limit <count>", summary: "how many at most; 20 when left out" },
      { flags: "--source <name>", summary: "only those from there: cli, oneshot, library" },
      { flags: "--tag <tag>", summary: "only those with this tag" },
      { flags: "--archived", summary: "those that were archived" },
      { flags: "--deleted", summary: "those that were deleted and can still be taken back" },
    ],
    async run(input, ctx) {
      const limit = countOf(input.option("limit"), 20, "--limit");
      const source = input.option("source");
      const tag = input.option("tag");
      const only = input.flag("deleted") ? "deleted" : input.flag("archived") ? "archived" : undefined;
      const query: SessionQuery = {
        limit,
        ...(source !== undefined && { source }),
        ...(tag !== undefined && { tag }),
        ...(only && { only }),
      };
      return withSessions(ctx, async (open) => {
        const found = (await open?.store.list(query, open.who)) ?? [];
        const rows = found.map(({ id, changedAt, source: from, messages, title, preview, tags = [] }) => [
          ctx.paint.bold(id),
          timeText(changedAt),
          visible(from),
          String(messages),
          [visible(title ?? preview ?? ""), ...tags.map((each) => ctx.paint.accent(`#${visible(each)}`))].join(" "),
        ]);
        const none = Object.keys(query).length > 1 ? "There is no such session." : "There is no session yet.";
        const hint = only === "deleted" ? "Take one back: hermes sessions undelete ID" : "Go on with one: hermes -r ID";
        const isSeen = ctx.io.stdoutIsTerminal && rows.length > 0;
        return {
          data: { sessions: found.map(recordData) },
          text:
            rows.length === 0
              ? none
              : [table(rows, ctx.io.columns), ...(isSeen ? [ctx.paint.dim(hint)] : [])].join("\n"),
        };
      });
    },
  },
  {
    path: ["sessions", "show"],
    summary: "Show what was said in a session, also one that another program has open",
    args: [sessionArgument],
    options: [{ flags: "--branch <name>", summary: "this branch, in place of the one that was left last" }],
    async run(input, ctx) {
      return withKnownSessions(ctx, async ({ store, find }) => {
        const record = await find(input.arg("session"));
        const branch = input.option("branch");
        const tip = branch === undefined ? undefined : await tipOf(branch, record.id, store);
        const entries = await store.path(record.id, tip);
        return {
          // Entries are stored as JSON: they are nothing else.
          data: { session: recordData(record), entries: entries.map((entry) => ({ ...entry })) as never },
          text: entries.flatMap((entry) => entryText(entry, ctx)).join("\n\n"),
        };
      });
    },
  },
  {
    path: ["sessions", "tree"],
    summary: "Draw the branches of a session",
    details:
      "Each line is an exchange: its number, when it began and how. `hermes -r ID --branch NAME` goes on with a branch, /branch NUMBER in a chat begins one behind that exchange.",
    args: [sessionArgument],
    options: [{ flags: "-a, --all", summary: "do not fold long runs" }],
    async run(input, ctx) {
      return withKnownSessions(ctx, async ({ store, find }) => {
        const record = await find(input.arg("session"));
        const { readTree } = await import("../../../sessions/find-branch.ts");
        const tree = await readTree(store, record.id);
        const columns = Math.min(ctx.io.columns, 160);
        const drawn = drawTree(seen(tree), { columns, now: systemClock.now(), isWhole: input.flag("all") });
        return {
          data: {
            session: recordData(record),
            exchanges: tree.exchanges.map((each) => ({ ...each })),
            branches: tree.branches.map((each) => ({ ...each })),
          },
          text: `${ctx.paint.bold(visible(record.title ?? record.id))}\n${drawn}`,
        };
      });
    },
  },
  {
    path: ["sessions", "resume"],
    summary: "Go on with a session; the same as hermes -r",
    args: [sessionArgument],
    options: [{ flags: "--branch <name>", summary: "go on with this branch" }],
    async run(input, ctx) {
      const { readChatRequest } = await import("../chat/chat-request.ts");
      const { runChat } = await import("../chat/run-chat.ts");
      const given = new Map([["resume", input.arg("session")]]);
      const branch = input.option("branch");
      if (branch !== undefined) given.set("branch", branch);
      const asked = { ...input, option: (name: string) => given.get(name), flag: () => false, list: () => [] };
      return runChat(readChatRequest(asked, ctx), ctx);
    },
  },
];

async function tipOf(name: string, id: SessionId, store: SessionStore) {
  const { readTree, findBranch } = await import("../../../sessions/find-branch.ts");
  const found = findBranch(name, await readTree(store, id));
  if (found.ok) return found.value.tip;
  throw new CommandFailed(`${found.error.message}.`, "`hermes sessions tree ID` draws them.");
}

function seen(tree: SessionTree): SessionTree {
  return {
    exchanges: tree.exchanges.map((each) => ({
      ...each,
      asked: visible(each.asked),
      answered: visible(each.answered),
    })),
    branches: tree.branches.map((each) => ({ ...each, name: visible(each.name) })),
  };
}

function entryText(entry: Entry, { paint }: CliContext): readonly string[] {
  switch (entry.type) {
    case "message":
      return [
        entry.message.role === "user" ? `${paint.accent("❯")} ${said(entry.message)}` : said(entry.message),
      ].filter((text) => text !== "");
    case "settled": {
      const { result, tool } = entry;
      const mark = result.ok ? paint.good("✓") : paint.bad("✗");
      const text = result.ok ? result.value.content : [{ type: "text" as const, text: result.error.message }];
      return [`${mark} ${paint.bold(visible(tool))} ${paint.dim(visible(oneLine(partsText(text), 200)))}`];
    }
    case "compacted":
      return [paint.dim(`◌ context shortened: ${entry.tokensBefore} → ${entry.tokensAfter} tokens`)];
    case "damaged":
      return [paint.bad(`(an entry is damaged: ${visible(entry.why)})`)];
    default:
      return [];
  }
}

function said(message: Message): string {
  return partsText(message.content)
    .split("\n")
    .map((line) => visible(line.replaceAll("\t", "  ")))
    .join("\n")
    .trim();
}

function partsText(parts: Message["content"]): string {
  return parts.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("");
}
