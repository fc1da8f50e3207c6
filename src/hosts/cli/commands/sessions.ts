import { oneLine } from "../../../base/text.ts";
import type { Message } from "../../../contracts/message.ts";
import type { Entry, SessionRecord } from "../../../contracts/session.ts";
import { visible } from "../ask-approval.ts";
import { type CliCommand, type CliContext, CommandFailed } from "../command.ts";
import { table } from "../table.ts";

export const commands: readonly CliCommand[] = [
  {
    path: ["sessions", "list"],
    summary: "List sessions, last changed first",
    options: [
      { flags: "-n, --limit <count>", summary: "how many at most; 20 when left out" },
      { flags: "--source <name>", summary: "only those from there: cli, oneshot, library" },
    ],
    async run(input, ctx) {
      const limit = Number(input.option("limit") ?? 20);
      if (!Number.isSafeInteger(limit) || limit < 1)
        throw new CommandFailed("--limit needs a whole number.", undefined, 2);
      const source = input.option("source");
      const { openSessions, localPrincipal } = await import("../../../runtime/session/open-sessions.ts");
      await using store = await openSessions(await ctx.config());
      const found = (await store?.list({ limit, ...(source !== undefined && { source }) }, localPrincipal())) ?? [];
      const rows = found.map((each) => [
        ctx.paint.bold(each.id),
        timeText(each.changedAt),
        each.source,
        String(each.messages),
        visible(each.title ?? each.preview ?? ""),
      ]);
      return {
        data: { sessions: found.map(recordData) },
        text: found.length === 0 ? "There is no session yet." : table(rows, ctx.io.columns),
      };
    },
  },
  {
    path: ["sessions", "show"],
    summary: "Show what was said in a session, also one that another program has open",
    args: [{ name: "session", summary: "its id, the beginning of it, its title, or latest" }],
    async run(input, ctx) {
      const { openSessions, localPrincipal } = await import("../../../runtime/session/open-sessions.ts");
      await using store = await openSessions(await ctx.config());
      const found = await store?.find(input.arg("session"), localPrincipal());
      if (!store || !found?.ok)
        throw new CommandFailed(found?.ok === false ? found.error.message : "There is no session yet.");
      const entries = await store.path(found.value.id);
      return {
        data: { session: recordData(found.value), entries: entries.map((entry) => ({ ...entry })) as never },
        text: entries.flatMap((entry) => entryText(entry, ctx)).join("\n\n"),
      };
    },
  },
];

function recordData({ id, title, source, model, cwd, messages, createdAt, changedAt, preview }: SessionRecord) {
  return {
    id,
    ...(title !== undefined && { title }),
    source,
    ...(model !== undefined && { model }),
    ...(cwd !== undefined && { cwd }),
    messages,
    createdAt,
    changedAt,
    ...(preview !== undefined && { preview }),
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
      return [`${mark} ${paint.bold(tool)} ${paint.dim(visible(oneLine(partsText(text), 200)))}`];
    }
    case "compacted":
      return [paint.dim(`◌ context shortened: ${entry.tokensBefore} → ${entry.tokensAfter} tokens`)];
    case "damaged":
      return [paint.bad(`(an entry is damaged: ${entry.why})`)];
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

function timeText(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace("T", " ");
}
